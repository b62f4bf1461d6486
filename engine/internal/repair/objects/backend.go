package objects

import (
	"fmt"
	"strconv"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// oldBackend writes an Ingress's backend in networking.k8s.io/v1 form. Earlier versions had
// serviceName and servicePort; the port was a number or a name.
func (o Object) oldBackend(steps fieldpath.Path) []diag.Fix {
	parent := steps.Parent()
	t := o.typeOf(parent)
	around, _ := o.value(parent).(map[string]any)
	name, named := around["serviceName"].(string)
	if t == nil || t.Field("service") == nil || !named || len(around) != 2 || t.Field("serviceName") != nil {
		return nil
	}
	port := ""
	switch value := around["servicePort"].(type) {
	case int64:
		port = fmt.Sprintf("number: %d", value)
	case string:
		port = "name: " + strconv.Quote(value)
	default:
		return nil
	}
	return o.rewritten("Write the backend in its v1 form", o.in(parent), fmt.Sprintf("{service: {name: %s, port: {%s}}}", strconv.Quote(name), port))
}
