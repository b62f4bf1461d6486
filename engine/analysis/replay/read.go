// Package replay runs many captured requests through the engine and counts what
// policies and webhooks did: how often they matched, were excluded by a
// condition, denied, changed the object or failed, and what their expressions
// cost.
package replay

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Record is one captured request.
type Record struct {
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
	// Note says what is missing from a request that is replayed all the same.
	Note string
	// Bad says that the record is not what it should be, and why.
	Bad string
}

// maxLine is the size of the longest line that is read, in bytes.
const maxLine = scenario.MaxTextBytes

// Read yields the records of a capture: one JSON document a line, JSON
// documents of several lines, or YAML documents separated by lines of three
// dashes. It never holds more than one document. The error is that of the
// reader.
func Read(r io.Reader) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		s := &splitter{reader: bufio.NewReaderSize(r, 1<<16)}
		for {
			text, line, err := s.next()
			if len(bytes.TrimSpace(text)) > 0 {
				for _, record := range records(text, line) {
					if !yield(record, nil) {
						return
					}
				}
			}
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				yield(Record{Line: line}, err)
				return
			}
		}
	}
}

// splitter cuts a stream into documents.
type splitter struct {
	reader *bufio.Reader
	line   int // lines read so far
}

// next returns a document and the line it begins at. At the end of the stream
// the error is io.EOF, with the last document.
func (s *splitter) next() (document []byte, begin int, err error) {
	begin = s.line + 1
	for {
		text, err := s.reader.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) && len(document) < maxLine {
			document = append(document, text...)
			text, err = s.reader.ReadSlice('\n')
		}
		if len(document)+len(text) > maxLine || errors.Is(err, bufio.ErrBufferFull) {
			return nil, begin, fmt.Errorf("line %d: a document is larger than %d MiB", s.line+1, maxLine>>20)
		}
		s.line++
		first := len(bytes.TrimSpace(document)) == 0
		if first {
			document, begin = document[:0], s.line
		}
		if bytes.HasPrefix(text, []byte("---")) {
			return document, begin, err
		}
		document = append(document, text...)
		// JSON ends by itself: on its line, or with a brace at the begin of one.
		if line := bytes.TrimSpace(document); (first || bytes.HasPrefix(text, []byte("}"))) && len(line) > 0 && line[0] == '{' && json.Valid(line) {
			return document, begin, err
		}
		// A broken line of JSON must not swallow those behind it.
		if first && err == nil && looksComplete(text) && s.nextIsJSON() {
			return document, begin, nil
		}
		if err != nil {
			return document, begin, err
		}
	}
}

// looksComplete says that a line was meant to be a whole JSON document.
func looksComplete(line []byte) bool {
	line = bytes.TrimSpace(line)
	return len(line) > 1 && line[0] == '{' && line[1] != '}'
}

func (s *splitter) nextIsJSON() bool {
	next, err := s.reader.Peek(1)
	return err == nil && next[0] == '{'
}

// records turns a document into requests.
func records(text []byte, line int) []Record {
	docs, problems := scenario.ParseDocuments(diag.Request, string(text))
	for _, p := range problems {
		if p.Severity == diag.Error {
			// The end of a broken document is not the begin of the next.
			last := bytes.Count(bytes.TrimRight(text, "\r\n"), []byte("\n"))
			return []Record{{Line: line + min(p.Line-1, last), Bad: p.Summary}}
		}
	}
	var out []Record
	for _, d := range docs {
		at, _ := diag.LineColumn(string(text), d.Span.Start)
		out = append(out, record(d, line+at-1))
	}
	return out
}

func record(d *scenario.Document, line int) Record {
	r := Record{Line: line}
	if d.IsAuditEvent() {
		request, note, skip := scenario.AuditRequest(d.Value)
		if skip != "" {
			r.Skip = skip
			return r
		}
		raw, err := json.Marshal(request)
		if err != nil {
			r.Bad = "the audit event cannot be written as a request: " + err.Error()
			return r
		}
		r.Request, r.Defaulting, r.Note = string(raw), true, note
		return r
	}
	r.Request = string(d.JSON)
	return r
}
