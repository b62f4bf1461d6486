// Package capture reads captured requests of any length: one JSON document per line,
// documents of several lines, Lists and audit logs.
package capture

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"maps"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Record is one captured request, or a part of a capture that is none.
type Record struct {
	// File is the name of its file, if several are read.
	File string
	// Line is where it begins in its file (1-based).
	Line int
	// Request is the text of an AdmissionReview, an AdmissionRequest or an
	// object.
	Request string
	// Defaulting is true when the request is as the client sent it, before the
	// server's defaults.
	Defaulting bool
	// Skip says why the record cannot be replayed; Request is then empty.
	Skip string
	// Note says what is missing from a request that is replayed anyway.
	Note string
	// Bad says that the record is not what it should be, and why.
	Bad string
}

// Place is where the record begins, for people.
func (r Record) Place() string { return Place(r.File, r.Line) }

// Place is a place in a file, for people; file may be empty.
func Place(file string, line int) string {
	if file == "" {
		return fmt.Sprintf("line %d", line)
	}
	return fmt.Sprintf("%s:%d", file, line)
}

// maxRecord is the size of the longest record that is read, in bytes. A List
// may be longer: each of its items is a record.
const maxRecord = scenario.MaxTextBytes

// Read yields the records of a capture: one JSON document a line, JSON
// documents of several lines, or YAML documents separated by lines of three
// dashes. The items of a List are records of their own. It never holds more than
// one record, or the beginning of one List. Whatever the capture has besides
// comments and empty lines is in a record: what cannot be read is one with a
// problem, and reading goes on behind it. The error is that of the reader.
func Read(r io.Reader) iter.Seq2[Record, error] {
	return readUpTo(maxRecord, r)
}

// readUpTo is Read with another limit on a record, in bytes.
func readUpTo(limit int, r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		s := newSplitter(r, limit, func(record Record) bool { return yield(record, nil) })
		if err := s.run(); err != nil {
			yield(Record{Line: s.line}, err)
		}
	}
}

// records turns a document, or an item of a List, into requests. list is the
// list's kind, if it is an item.
func records(text []byte, line int, list typeMeta) []Record {
	whole := string(text)
	if list.Kind == "" && scenario.PlainReview(whole) {
		inner := strings.TrimSpace(whole)
		at, _ := diag.LineColumn(whole, strings.Index(whole, "{"))
		return []Record{{Line: line + at - 1, Request: inner}}
	}
	docs, problems := scenario.ParseDocuments(diag.Request, whole)
	var out []Record
	for _, d := range docs {
		at, _ := diag.LineColumn(whole, d.Span.Start)
		out = append(out, record(d, line+at-1, list))
	}
	// The end of a broken document is not the beginning of the next.
	last := bytes.Count(bytes.TrimRight(text, "\r\n"), []byte("\n"))
	for _, p := range problems {
		if p.Severity == diag.Error || p.Code == codes.IgnoredAfterDocumentEnd {
			return append(out, Record{Line: line + min(max(p.Line-1, 0), last), Bad: p.Summary})
		}
	}
	if len(out) == 0 {
		out = append(out, Record{Line: line, Bad: "there is no object"})
	}
	return out
}

func record(d *scenario.Document, line int, list typeMeta) Record {
	r := Record{Line: line}
	object := list.complete(d)
	if d.IsAuditEvent() || list.isAudit() {
		request, note, skip := scenario.AuditRequest(object)
		if skip != "" {
			r.Skip = skip
			return r
		}
		r.Defaulting, r.Note = true, note
		object = request
	} else if d.Kind != "" || list.Kind == "" {
		r.Request = string(d.JSON())
		return r
	}
	raw, err := json.Marshal(object)
	if err != nil {
		r.Bad = "the record cannot be written as a request: " + err.Error()
		return r
	}
	r.Request = string(raw)
	return r
}

// typeMeta is the kind of a List.
type typeMeta struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
}

func (t typeMeta) isList() bool { return strings.HasSuffix(t.Kind, "List") }

func (t typeMeta) isAudit() bool {
	return t.Kind == "EventList" && strings.HasPrefix(t.APIVersion, "audit.k8s.io/")
}

// complete is an item of a typed list, such as PodList, whose items may leave out
// apiVersion and kind, which then are the list's.
func (t typeMeta) complete(d *scenario.Document) map[string]any {
	kind := strings.TrimSuffix(t.Kind, "List")
	if d.Kind != "" || kind == "" {
		return d.Value
	}
	object := maps.Clone(d.Value)
	object["kind"] = kind
	if d.APIVersion == "" {
		object["apiVersion"] = t.APIVersion
	}
	return object
}
