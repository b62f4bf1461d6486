package differential

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
)

// Table summarises the comparisons and agreements in Markdown.
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

// docs/fidelity.md has all versions' rows between these lines.
const (
	beginVersions = "<!-- begin: a row for each version, written by the tests -->"
	endVersions   = "<!-- end: a row for each version -->"
)

// comparisons are the columns of that table: the kinds of scenarios.
var comparisons = []string{"policies", "webhooks", "custom resources", "built-in plugins"}

// WriteRow puts the result of a release into the table of all versions, in the
// place of an earlier one of its minor version. what is one of comparisons.
func (r *Result) WriteRow(path string, reference *Reference, what string) error {
	column := slices.Index(comparisons, what) + 1
	if column == 0 {
		return fmt.Errorf("no column for %s", what)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	_, table, _ := strings.Cut(string(data), beginVersions)
	table, _, _ = strings.Cut(table, endVersions)
	rows := map[string][]string{}
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(line, "| \n"), " | ")
		if strings.HasPrefix(cells[0], "1.") && len(cells) == len(comparisons)+1 {
			rows[minor(cells[0])] = cells
		}
	}
	row := rows[minor(reference.Release)]
	if row == nil {
		row = append(make([]string, 0, len(comparisons)+1), reference.Release)
		for range comparisons {
			row = append(row, "none")
		}
	}
	row[0], row[column] = reference.Release, r.cell()
	rows[minor(reference.Release)] = row
	text := "| Kubernetes | " + strings.Join(comparisons, " | ") + " |\n|---" + strings.Repeat("|---:", len(comparisons)) + "|\n"
	for _, key := range slices.Sorted(maps.Keys(rows)) {
		text += "| " + strings.Join(rows[key], " | ") + " |\n"
	}
	return WriteBetween(path, beginVersions, endVersions, text)
}

// minor returns 1.30 for 1.30.14.
func minor(release string) string {
	return release[:strings.LastIndex(release, ".")]
}

// cell says how many scenarios are equal, and how many differ for a known reason.
func (r *Result) cell() string {
	equal, _, known := r.figures()
	text := fmt.Sprintf("%d of %d", equal, r.Scenarios)
	if known > 0 {
		text += fmt.Sprintf(" (%d known)", known)
	}
	return text
}

// conformance/compared.md has the table between these lines.
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
