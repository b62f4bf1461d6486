package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/capture"
	"github.com/preadmit/preadmit/engine/analysis/table"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

const (
	// tableSlice limits the time of one call, because the user may press a key meanwhile.
	tableSlice = 40 * time.Millisecond
	// maxTableRecords and maxTableBytes limit one table's input.
	maxTableRecords = 50_000
	maxTableBytes   = 64 << 20
)

// TableText is the next part of a capture, or of a file with objects.
type TableText struct {
	// Table identifies its table. 0 begins a new one and drops the last.
	Table int64  `json:"table"`
	File  string `json:"file,omitempty"`
	Text  string `json:"text"`
	// Last says that the file ends with this part.
	Last bool `json:"last,omitempty"`
}

// TableRead is the reply to table/read.
type TableRead struct {
	Table int64 `json:"table"`
	// Records is the number of records so far.
	Records int `json:"records"`
	// Full says why nothing more is read.
	Full string `json:"full,omitempty"`
}

// TableRun are the parameters of table/run.
type TableRun struct {
	Table int64 `json:"table"`
	// From is the number of rows that the page has.
	From int `json:"from"`
	// Scenario has the policies and cluster for the requests. The first call passes it, and later
	// calls if it changed.
	Scenario *scenario.Scenario `json:"scenario,omitempty"`
}

// TableRows is the reply to table/run, with as many rows as a short time allows.
type TableRows struct {
	Rows []table.Row `json:"rows"`
	// Total is the table's number of records.
	Total int `json:"total"`
	// Problems are the errors in the policies and the cluster, one per line.
	Problems []string `json:"problems,omitempty"`
	// Gone says that the table no longer exists and must be read again.
	Gone bool `json:"gone,omitempty"`
}

// TableRecord identifies a table's record, from 0.
type TableRecord struct {
	Table int64 `json:"table"`
	Row   int   `json:"row"`
}

// TableCase is a row's request as a text.
type TableCase struct {
	Request string `json:"request"`
	// Defaulting says that the request is as the client sent it, without the server's defaults.
	Defaulting bool `json:"defaulting,omitempty"`
	Gone       bool `json:"gone,omitempty"`
}

// requests are the current table's.
type requests struct {
	id            int64
	configuration *engine.Configuration
	file          *tableFile
	bytes         int

	mu      sync.Mutex // a file's reader runs concurrently with the calls
	records []capture.Record
	full    string
}

// tableFile is a file with more parts to come.
type tableFile struct {
	name string
	pipe *io.PipeWriter
	done chan struct{}
}

var tables struct {
	sync.Mutex
	last    int64
	current *requests
}

// readTable adds a file's next part to a table.
func readTable(_ context.Context, p TableText) (TableRead, error) {
	tables.Lock()
	defer tables.Unlock()
	if p.Table == 0 {
		tables.current.close()
		tables.last++
		tables.current = &requests{id: tables.last}
	}
	t := tables.current
	if t == nil || p.Table != 0 && p.Table != t.id {
		return TableRead{}, errors.New("this table is gone: open the files again")
	}
	t.add(p)
	records, full := t.read()
	return TableRead{Table: t.id, Records: len(records), Full: full}, nil
}

// add passes a part to the file's reader.
func (t *requests) add(p TableText) {
	if t.bytes += len(p.Text); t.bytes > maxTableBytes {
		t.mu.Lock()
		t.full = fmt.Sprintf("A table holds %d MiB of requests at most. The command line has no limit: preadmit replay.", maxTableBytes>>20)
		t.mu.Unlock()
		t.close()
		return
	}
	if t.file == nil || t.file.name != p.File {
		t.close()
		t.file = t.begin(p.File)
	}
	// An error means that the reader stopped because the table is full.
	_, _ = io.WriteString(t.file.pipe, p.Text)
	if p.Last {
		t.close()
	}
}

// begin starts a file's reader. It reads parts as they arrive.
func (t *requests) begin(name string) *tableFile {
	r, w := io.Pipe()
	f := &tableFile{name: name, pipe: w, done: make(chan struct{})}
	go func() {
		defer close(f.done)
		defer r.Close()
		for record, err := range capture.Read(r) {
			if err != nil || !t.append(name, record) {
				return
			}
		}
	}()
	return f
}

func (t *requests) append(file string, record capture.Record) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.records) == maxTableRecords {
		t.full = fmt.Sprintf("A table has %d rows at most. The command line has no limit: preadmit replay.", maxTableRecords)
		return false
	}
	record.File = file
	t.records = append(t.records, record)
	return true
}

// read returns the records read so far.
func (t *requests) read() (records []capture.Record, full string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.records, t.full
}

// close ends the current file, if any.
func (t *requests) close() {
	if t == nil || t.file == nil {
		return
	}
	t.file.pipe.Close()
	<-t.file.done
	t.file = nil
}

// runTable evaluates a table's next records.
func runTable(ctx context.Context, p TableRun) (TableRows, error) {
	tables.Lock()
	defer tables.Unlock()
	t := tables.current
	if t == nil || t.id != p.Table {
		return TableRows{Gone: true}, nil
	}
	records, _ := t.read()
	out := TableRows{Rows: []table.Row{}, Total: len(records)}
	if p.Scenario != nil {
		base := *p.Scenario
		base.Request, base.Expression = "", ""
		configuration, problems := engine.Compile(base)
		if configuration == nil {
			return out, problems
		}
		t.configuration = configuration
		out.Problems = errorsOf(configuration.Report().Diagnostics)
	}
	if t.configuration == nil {
		return out, errors.New("there are no policies for this table")
	}
	start := time.Now()
	for i := max(p.From, 0); i < len(records) && (i == p.From || time.Since(start) < tableSlice); i++ {
		row, err := within(ctx, evaluationTime, func(limited context.Context) (table.Row, error) {
			return table.Evaluate(limited, t.configuration, records[i])
		})
		if err != nil {
			row = table.Row{File: records[i].File, Line: records[i].Line, Problem: "Preadmit failed on this request: " + err.Error()}
		}
		out.Rows = append(out.Rows, row)
	}
	return out, nil
}

// errorsOf returns the errors in the policies and the cluster.
func errorsOf(all diag.Diagnostics) []string {
	var out []string
	for _, d := range all {
		if d.Severity == diag.Error && (d.Text == diag.Policies || d.Text == diag.Cluster) {
			out = append(out, fmt.Sprintf("%s, line %d: %s", d.Text, d.Line, d.Summary))
		}
	}
	return out
}

// tableCase returns a row's request for the editor.
func tableCase(_ context.Context, p TableRecord) (TableCase, error) {
	tables.Lock()
	defer tables.Unlock()
	t := tables.current
	if t == nil || t.id != p.Table {
		return TableCase{Gone: true}, nil
	}
	records, _ := t.read()
	if p.Row < 0 || p.Row >= len(records) || records[p.Row].Request == "" {
		return TableCase{}, errors.New("this row has no request")
	}
	text, err := scenario.YAML(json.RawMessage(records[p.Row].Request))
	if err != nil {
		return TableCase{}, err
	}
	return TableCase{Request: string(text), Defaulting: records[p.Row].Defaulting}, nil
}
