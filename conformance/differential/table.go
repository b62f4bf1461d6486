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
	equal, different, known := r.figures()
	fmt.Fprintf(&b, "%d scenarios: %d equal, %d different, %d different for a known reason.\n\n", r.Scenarios, equal, different, known)
	b.WriteString("| compared | times |\n|---|---:|\n")
	for _, k := range slices.Sorted(maps.Keys(r.Counts)) {
		fmt.Fprintf(&b, "| %s | %d |\n", k, r.Counts[k])
	}
	for _, reason := range slices.Sorted(maps.Keys(r.Excepted)) {
		fmt.Fprintf(&b, "| exception: %s | %d |\n", reason, r.Excepted[reason])
	}
	return b.String()
}

// figures count the scenarios.
func (r *Result) figures() (equal, different, known int) {
	for _, n := range r.Excepted {
		known += n
	}
	return r.Scenarios - len(r.Failures) - known, len(r.Failures), known
}

// The rows of all versions stand between these lines of docs/fidelity.md.
const (
	beginVersions = "<!-- begin: a row for each version, written by the tests -->"
	endVersions   = "<!-- end: a row for each version -->"
)

const versionsHead = "| Kubernetes | built with | scenarios with | scenarios | equal | different | different for a known reason |\n|---|---|---|---:|---:|---:|---:|\n"

// WriteRow puts the result of a version into the table of all versions, in the
// place of an earlier one. what says what kind of scenarios they were.
func (r *Result) WriteRow(path string, reference *Reference, what string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, table, _ := strings.Cut(string(data), beginVersions)
	table, _, _ = strings.Cut(table, endVersions)
	rows := map[string]string{}
	for line := range strings.Lines(table) {
		if cells := strings.Split(line, " | "); strings.HasPrefix(line, "| 1.") && len(cells) > 3 {
			rows[cells[0]+cells[2]] = line
		}
	}
	equal, different, known := r.figures()
	version := fmt.Sprintf("| 1.%d", reference.Minor)
	rows[version+what] = fmt.Sprintf("%s | %s | %s | %d | %d | %d | %d |\n", version, reference.Release, what, r.Scenarios, equal, different, known)
	text := versionsHead
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		text += rows[key]
	}
	return WriteBetween(path, beginVersions, endVersions, text)
}

// The table is between these lines of docs/fidelity.md.
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
