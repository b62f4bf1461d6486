package completion

import (
	_ "embed"
	"strings"
	"sync"
)

// functionsTable has a line for each function and macro below the heading of its area, in the order in
// which they are read. Its columns are the name, an example, the parameters without the receiver, what
// it does, what it costs in the server's CEL cost units (semantics §2.2), and for a macro what to insert.
// An example yields a value in the newest version, for any request; a test evaluates each. Package
// version knows since when new objects may use a function.
//
//go:embed functions.tsv
var functionsTable string

// help is a line of the table.
type help struct{ area, name, example, params, doc, cost, body string }

func (h help) isMacro() bool { return h.body != "" }

// functions returns the lines of the table.
var functions = sync.OnceValue(func() (list []help) {
	area := ""
	for line := range strings.Lines(functionsTable) {
		line = strings.TrimSuffix(line, "\n")
		if heading, ok := strings.CutPrefix(line, "# "); ok {
			area = heading
			continue
		}
		column := append(strings.Split(line, "\t"), "")
		list = append(list, help{area, column[0], column[1], column[2], column[3], column[4], column[5]})
	}
	return list
})

// helpOf returns the line of a function or macro. It is false for a name that has none.
func helpOf(name string) (help, bool) {
	for _, h := range functions() {
		if h.name == name {
			return h, true
		}
	}
	return help{}, false
}
