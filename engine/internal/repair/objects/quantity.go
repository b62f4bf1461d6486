package objects

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

func isQuantity(t *catalog.Type) bool {
	return t != nil && t.Kind == catalog.Custom && t.Name == "resource.Quantity"
}

func validQuantity(value any) bool {
	_, err := resource.ParseQuantity(fmt.Sprint(value))
	return err == nil
}
