package objects

import (
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
)

func isQuantity(t *catalog.Type) bool {
	return t != nil && t.Kind == catalog.Custom && t.Name == "resource.Quantity"
}

func validQuantity(value any) bool {
	_, err := resource.ParseQuantity(fmt.Sprint(value))
	return err == nil
}

// amount matches a number followed by a word.
var amount = lazy.Regexp{Text: `^([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]+)$`}

// units maps other programs' unit names, in lower case, to quantity suffixes. For bytes, powers of
// 1000 and of 1024 have the same names.
var units = map[string][]string{
	"k": {"k"}, "kb": {"Ki", "k"}, "kib": {"Ki"}, "ki": {"Ki"}, "mb": {"Mi", "M"}, "mib": {"Mi"}, "mi": {"Mi"}, "gb": {"Gi", "G"}, "gib": {"Gi"}, "gi": {"Gi"}, "g": {"G"},
	"tb": {"Ti", "T"}, "tib": {"Ti"}, "ti": {"Ti"}, "t": {"T"}, "b": {""}, "bytes": {""}, "cpu": {""}, "cpus": {""}, "core": {""}, "cores": {""}, "millicores": {"m"}, "m": {"m"}, "mcpu": {"m"},
}

// quantities returns the amounts that a text may mean, most likely first. Kubernetes measures
// memory in powers of 1024, unless the number is round in powers of 1000.
func quantities(text string) []string {
	m := amount.FindStringSubmatch(strings.TrimSpace(text))
	if m == nil {
		return nil
	}
	suffixes := units[strings.ToLower(m[2])]
	if n, err := strconv.Atoi(m[1]); err == nil && len(suffixes) == 2 && n >= 100 && n%100 == 0 {
		suffixes = []string{suffixes[1], suffixes[0]}
	}
	var out []string
	for _, suffix := range suffixes {
		out = append(out, m[1]+suffix)
	}
	return out
}
