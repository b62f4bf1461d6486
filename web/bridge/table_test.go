package bridge

import (
	"fmt"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/analysis/table"
	"github.com/preadmit/preadmit/engine/report"
)

// readWhole reads a text in parts of the given size.
func readWhole(t *testing.T, text string, size int) TableRead {
	t.Helper()
	var got TableRead
	for from := 0; from < len(text); from += size {
		part := text[from:min(from+size, len(text))]
		if msg := callWith(t, "table/read", TableText{Table: got.Table, File: "a.ndjson", Text: part, Last: from+size >= len(text)}, &got); msg != "" {
			t.Fatal(msg)
		}
	}
	return got
}

// runWhole returns all rows of a table.
func runWhole(t *testing.T, id int64, slug string) (rows []table.Row, problems []string) {
	t.Helper()
	s := example(t, slug)
	p := TableRun{Table: id, Scenario: &s}
	for {
		var got TableRows
		if msg := callWith(t, "table/run", p, &got); msg != "" || got.Gone {
			t.Fatal(msg, got)
		}
		rows, problems = append(rows, got.Rows...), append(problems, got.Problems...)
		if p = (TableRun{Table: id, From: len(rows)}); len(rows) == got.Total {
			return rows, problems
		}
		if len(got.Rows) == 0 {
			t.Fatal("no progress")
		}
	}
}

const tableDeployment = `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"web-%d","namespace":"shop"},"spec":{"replicas":%d,"selector":{"matchLabels":{"app":"web"}},"template":{"metadata":{"labels":{"app":"web"}},"spec":{"containers":[{"name":"web","image":"example.com/web:1"}]}}}}
`

func TestTable(t *testing.T) {
	var capture strings.Builder
	for i := range 20 {
		fmt.Fprintf(&capture, tableDeployment, i, i)
	}
	capture.WriteString("{\"broken\":\n")
	for _, size := range []int{7, 1000, 1 << 20} { // parts end within records
		read := readWhole(t, capture.String(), size)
		rows, problems := runWhole(t, read.Table, "first-look")
		if len(rows) != 21 || read.Records != 21 || len(problems) > 0 {
			t.Fatalf("%d rows, %d records, problems %q", len(rows), read.Records, problems)
		}
		for i, row := range rows[:20] {
			want := report.StateDenied
			if i <= 5 {
				want = report.StateMutated // a policy adds an owner
			}
			if row.State != want || row.Line != i+1 || row.Name != fmt.Sprintf("web-%d", i) || row.Kind != "Deployment.apps" || len(row.Cells) == 0 {
				t.Errorf("row %d is %+v, want %s", i, row, want)
			}
		}
		if last := rows[20]; last.Problem == "" || last.State != "" {
			t.Errorf("the broken record is %+v", last)
		}
		var c TableCase
		if msg := callWith(t, "table/case", TableRecord{Table: read.Table, Row: 7}, &c); msg != "" || !strings.Contains(c.Request, "name: web-7\n") {
			t.Errorf("the request of row 7 is %q %s", c.Request, msg)
		}
		if msg := callWith(t, "table/case", TableRecord{Table: read.Table, Row: 20}, &c); msg == "" {
			t.Error("a broken record has a request")
		}
	}
}

// A rejected policy did not run. No row may suggest otherwise.
func TestTableOfRefusedPolicies(t *testing.T) {
	read := readWhole(t, fmt.Sprintf(tableDeployment, 1, 1), 1000)
	s := example(t, "first-look")
	s.Policies = strings.Replace(s.Policies, "object.spec.replicas", "object.spec.replicas +", 1)
	var got TableRows
	if msg := callWith(t, "table/run", TableRun{Table: read.Table, Scenario: &s}, &got); msg != "" {
		t.Fatal(msg)
	}
	if len(got.Rows) != 1 || got.Rows[0].State != report.StatePolicyRefused || len(got.Problems) == 0 {
		t.Fatalf("got %+v", got)
	}
	found := false
	for _, c := range got.Rows[0].Cells {
		found = found || c.State == table.CellRefused
	}
	if !found {
		t.Errorf("no cell says that a policy is refused: %+v", got.Rows[0].Cells)
	}
}

func TestTableIsGone(t *testing.T) {
	first := readWhole(t, fmt.Sprintf(tableDeployment, 1, 1), 1000)
	readWhole(t, fmt.Sprintf(tableDeployment, 2, 2), 1000)
	s := example(t, "first-look")
	var got TableRows
	if msg := callWith(t, "table/run", TableRun{Table: first.Table, Scenario: &s}, &got); msg != "" || !got.Gone {
		t.Errorf("got %+v %s", got, msg)
	}
	if msg := callWith(t, "table/read", TableText{Table: first.Table, Text: "x"}, &TableRead{}); msg == "" {
		t.Error("a table that is gone is read on")
	}
}

func TestTableIsBounded(t *testing.T) {
	var got TableRead
	part := strings.Repeat("# comment\n", 400_000) // 4 MB
	for i := 0; got.Full == "" && i < 20; i++ {
		if msg := callWith(t, "table/read", TableText{Table: got.Table, Text: part}, &got); msg != "" {
			t.Fatal(msg)
		}
	}
	if !strings.Contains(got.Full, "MiB") {
		t.Errorf("no limit: %+v", got)
	}
}
