package repairs_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/scenario"
)

var update = flag.Bool("update", false, "write the results into docs/documents.md")

const (
	root      = "../../.."
	scenarios = root + "/engine/testdata/documented"
	printed   = root + "/engine/testdata/documents"
	tables    = root + "/docs/documents.md"
)

// A row of a table of docs/documents.md: its cells, and what they name.
type row struct {
	cells    []string
	scenario string // the third cell
}

var (
	exampleCell = regexp.MustCompile(`^\[[a-z0-9-]+\]\(\.\./(examples/[a-z0-9-]+)\)$`)
	printedCell = regexp.MustCompile("^printed `([a-z-]+)`$")
	testCell    = regexp.MustCompile("^`([a-z_/]+_test\\.go)(?: (Test[A-Za-z0-9]+))?`$")
	fileCell    = regexp.MustCompile("^`([a-z0-9.-]+)`$")
	fieldText   = regexp.MustCompile("`([a-zA-Z]+)`")
)

// TestTables runs the scenario of every row of docs/documents.md. The results are what
// the table says, the fields of a row are in its scenario, and every scenario is in a
// row.
func TestTables(t *testing.T) {
	raw, err := os.ReadFile(tables)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(raw), "\n")
	used := map[string]bool{}
	rows := 0
	for i, line := range lines {
		if !strings.HasPrefix(line, "| ") || strings.HasPrefix(line, "| section |") {
			continue
		}
		rows++
		cells := strings.Split(strings.Trim(line, "|"), "|")
		if len(cells) != 4 {
			t.Fatalf("line %d has %d cells", i+1, len(cells))
		}
		for j := range cells {
			cells[j] = strings.TrimSpace(cells[j])
		}
		r := row{cells: cells, scenario: cells[2]}
		result, text, err := r.result(t)
		if err != nil {
			t.Errorf("line %d: %v", i+1, err)
			continue
		}
		used[r.scenario] = true
		for _, field := range fieldText.FindAllStringSubmatch(cells[1], -1) {
			if text != "" && !strings.Contains(text, field[1]) {
				t.Errorf("line %d: %s has no %s", i+1, r.scenario, field[1])
			}
		}
		if cells[3] != result && !*update {
			t.Errorf("line %d: %s is %q, and the table says %q (go test ./engine/edit/repairs -run TestTables -update)", i+1, r.scenario, result, cells[3])
		}
		cells[3] = result
		lines[i] = "| " + strings.Join(cells, " | ") + " |"
	}
	if rows < 100 {
		t.Errorf("only %d rows", rows)
	}
	for folder, cell := range map[string]string{scenarios: "`%s`", printed: "printed `%s`"} {
		files, err := filepath.Glob(folder + "/*.txtar")
		if err != nil || len(files) == 0 {
			t.Fatalf("%d files in %s (%v)", len(files), folder, err)
		}
		for _, file := range files {
			if name := fmt.Sprintf(cell, strings.TrimSuffix(filepath.Base(file), ".txtar")); !used[name] {
				t.Errorf("%s is in no row", file)
			}
		}
	}
	if *update {
		if err := os.WriteFile(tables, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// result is what comes of a row, and the texts of its scenario; none for a test.
func (r row) result(t *testing.T) (result, text string, err error) {
	t.Helper()
	if m := exampleCell.FindStringSubmatch(r.scenario); m != nil {
		return evaluated(filepath.Join(root, m[1]))
	}
	if m := fileCell.FindStringSubmatch(r.scenario); m != nil {
		return evaluated(filepath.Join(scenarios, m[1]+".txtar"))
	}
	if m := printedCell.FindStringSubmatch(r.scenario); m != nil {
		s, err := read(filepath.Join(printed, m[1]+".txtar"))
		if err != nil {
			return "", "", err
		}
		after, applied := firstRepairs(t, s.Scenario)
		count := fmt.Sprintf("%d repairs", applied)
		if applied == 1 {
			count = "1 repair"
		}
		if left := refusedOrBroken(after); left != "" {
			t.Logf("%s: %s", m[1], left)
			return "a mistake is left after " + count, texts(s.Scenario), nil
		}
		return "accepted after " + count, texts(s.Scenario), nil
	}
	if m := testCell.FindStringSubmatch(r.scenario); m != nil {
		code, err := os.ReadFile(filepath.Join(root, m[1]))
		if err != nil {
			return "", "", err
		}
		if m[2] != "" && !strings.Contains(string(code), "func "+m[2]+"(t *testing.T)") {
			return "", "", fmt.Errorf("%s has no %s", m[1], m[2])
		}
		return "tested", "", nil
	}
	return "", "", fmt.Errorf("%q is neither an example, a file nor a test", r.scenario)
}

// read reads a scenario from a folder or an archive.
func read(path string) (*scenario.Classified, error) {
	if filepath.Ext(path) != ".txtar" {
		return scenario.FromFS(os.DirFS(path))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return scenario.Classify([]scenario.File{{Name: filepath.Base(path), Text: string(data)}}, scenario.Given{}), nil
}

// evaluated is the answer to the scenario, which has to be the one that it expects.
func evaluated(path string) (result, text string, err error) {
	s, err := read(path)
	if err != nil {
		return "", "", err
	}
	if s.Expected == nil {
		return "", "", fmt.Errorf("%s expects nothing", path)
	}
	r, err := engine.Evaluate(context.Background(), s.Scenario, engine.Everything())
	if err != nil {
		return "", "", err
	}
	expected, err := expect.Parse([]byte(s.Expected.Text))
	if err != nil {
		return "", "", err
	}
	differences, err := expect.Compare(expected, r)
	if err != nil {
		return "", "", err
	}
	if len(differences) > 0 {
		return "", "", fmt.Errorf("%s: %v", path, differences)
	}
	return answer(r), texts(s.Scenario), nil
}

func texts(s scenario.Scenario) string { return s.Policies + s.Cluster + s.Request }

// answer is the verdict in a few words.
func answer(r *report.Report) string {
	states := map[report.State]string{
		report.StateAdmitted: "admitted", report.StateMutated: "admitted, changed", report.StateDenied: "denied",
		report.StateNoPolicyRan: "admitted, no policy ran", report.StatePolicyRefused: "the configuration is rejected",
	}
	words := states[r.Outcome.State]
	if r.Outcome.State == report.StatePolicyRefused {
		return words
	}
	return fmt.Sprintf("%s, %d", words, r.Outcome.Code)
}
