package differential

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Table says in Markdown what was compared and how much of it was equal.
func (r *Result) Table() string {
	var b strings.Builder
	excepted := 0
	for _, n := range r.Excepted {
		excepted += n
	}
	fmt.Fprintf(&b, "%d scenarios: %d equal, %d different, %d different for a known reason.\n\n",
		r.Scenarios, r.Scenarios-len(r.Failures)-excepted, len(r.Failures), excepted)
	b.WriteString("| compared | times |\n|---|---:|\n")
	for _, k := range slices.Sorted(maps.Keys(r.Counts)) {
		fmt.Fprintf(&b, "| %s | %d |\n", k, r.Counts[k])
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Excepted)) {
		fmt.Fprintf(&b, "| exception: %s | %d |\n", reason, r.Excepted[reason])
	}
	return b.String()
}

// The table stands between these lines of docs/fidelity.md.
const (
	beginMark = "<!-- begin: written by the differential test -->"
	endMark   = "<!-- end: written by the differential test -->"
)

// WriteTable puts the table between the marks of a document.
func WriteTable(path, table string) error { return WriteBetween(path, beginMark, endMark, table) }

// WriteBetween puts text between two marks of a document.
func WriteBetween(path, beginMark, endMark, table string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(data)
	begin, end := strings.Index(text, beginMark), strings.Index(text, endMark)
	if begin < 0 || end < begin {
		return fmt.Errorf("%s has no place for the table", path)
	}
	text = text[:begin] + beginMark + "\n\n" + strings.TrimSpace(table) + "\n\n" + text[end:]
	return os.WriteFile(path, []byte(text), 0o644)
}
