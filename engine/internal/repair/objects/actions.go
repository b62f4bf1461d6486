package objects

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// address matches a probe's or hook's target written as one string: http://:8080/healthz,
// 8080/healthz, /healthz:8080, 8080.
var address = lazy.Regexp{Text: `^(?:http://)?(?:localhost)?:?(\d*)(/[^\s:]*)?:?(\d*)$`}

// action writes a probe's or hook's one-string action as fields: an address as path and port, a
// command as its words. A missing port is the container's.
func (o Object) action(w wrongType, path, source string) []diag.Fix {
	if w.want.Kind != catalog.Struct {
		return nil
	}
	if w.want.Field("command") != nil && len(w.want.Fields()) == 1 {
		return o.rewritten("Write it as a command", path, "{command: "+commandLine(source)+"}")
	}
	m := address.FindStringSubmatch(source)
	if m == nil || w.want.Field("port") == nil || w.want.Field("targetPort") != nil || m[2] != "" && w.want.Field("path") == nil {
		return nil
	}
	port := m[1] + m[3]
	for up := w.path.Parent(); len(up) > 0 && port == ""; up = up.Parent() {
		if own, ok := o.value(up.Child("ports").Index(0).Child("containerPort")).(int64); ok {
			port = strconv.FormatInt(own, 10)
		}
	}
	fields := "port: " + port
	if m[2] != "" {
		fields = "path: " + m[2] + ", " + fields
	}
	if port == "" {
		return drafts(o.rewritten("Write it as path and port", path, "{"+fields+"8080}"))
	}
	return o.rewritten("Write it as "+fields, path, "{"+fields+"}")
}

// inOrder returns a mapping's keys in source order.
func (o Object) inOrder(path fieldpath.Path, m map[string]any) []string {
	return slices.SortedStableFunc(slices.Values(sortedKeys(m)), func(a, b string) int {
		return cmp.Compare(o.Document.LocateKey(o.in(path.Key(a))).Start, o.Document.LocateKey(o.in(path.Key(b))).Start)
	})
}

// namedValues writes a mapping as the API's list of items with name and value. It is empty if the
// items have no such fields.
func namedValues(pairs map[string]any, names []string, item *catalog.Type) string {
	if item == nil || item.Kind != catalog.Struct || item.Field("name") == nil || item.Field("value") == nil || item.Field("value").Type.Kind != catalog.String {
		return ""
	}
	var items []string
	for _, name := range names {
		switch value := pairs[name].(type) {
		case string, bool, int64, float64:
			items = append(items, fmt.Sprintf("{name: %s, value: %s}", strconv.Quote(name), strconv.Quote(fmt.Sprint(value))))
		default:
			return ""
		}
	}
	return "[" + strings.Join(items, ", ") + "]"
}
