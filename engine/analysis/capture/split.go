package capture

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// splitter cuts a stream into documents, line by line. Where a document ends is
// decided from the beginning of the lines alone, so that a broken one does not
// take those behind it along.
type splitter struct {
	reader *bufio.Reader
	yield  func(Record) bool
	line   int // lines begun so far
	limit  int // on a record, in bytes
	doc    document
}

func newSplitter(r io.Reader, limit int, yield func(Record) bool) *splitter {
	return &splitter{reader: bufio.NewReaderSize(r, 1<<16), limit: limit, yield: yield, doc: document{limit: limit}}
}

// run reads to the end, or until the caller has enough. The error is the
// reader's; what was read before it has been yielded.
func (s *splitter) run() error {
	if mark, _ := s.reader.Peek(3); string(mark) == "\ufeff" {
		_, _ = s.reader.Discard(3) // they have been peeked
	}
	begins, skip := true, false // at the beginning of a line; on a line of dashes
	for {
		chunk, err := s.reader.ReadSlice('\n')
		if begins && len(chunk) > 0 {
			s.line++
			skip = s.doc.separator(chunk)
			if (skip || s.doc.endsBefore(chunk)) && !s.flush() {
				return nil
			}
			if skip && !s.separated(chunk) {
				return nil
			}
			if s.doc.form == nothing && !skip {
				s.doc.begin(chunk, s.line)
			}
		}
		if s.doc.form != nothing && !skip && !s.add(chunk, begins) {
			return nil
		}
		begins = bytes.HasSuffix(chunk, []byte("\n"))
		if begins && s.doc.complete() && !s.flush() {
			return nil
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			s.flush()
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}

// separated yields what follows a separator on its line, which no reader reads.
func (s *splitter) separated(line []byte) bool {
	rest := bytes.TrimSpace(line[3:])
	if len(rest) == 0 || rest[0] == '#' {
		return true
	}
	return s.yield(Record{Line: s.line, Bad: "only a comment may follow the separator --- on its line"})
}

// add keeps a part of a line. Past the limit on a record, the items of a List
// that have been read are yielded.
func (s *splitter) add(chunk []byte, begins bool) bool {
	d := &s.doc
	d.add(chunk, begins)
	if len(d.text) <= d.limit {
		return true
	}
	return !slices.ContainsFunc(d.drain(), func(r Record) bool { return !s.yield(r) })
}

// flush yields the document that has ended.
func (s *splitter) flush() bool {
	list := s.doc.end()
	s.doc = document{limit: s.limit, text: s.doc.text[:0]}
	return !slices.ContainsFunc(list, func(r Record) bool { return !s.yield(r) })
}

// form is how a document is written, which its first line shows.
type form int

const (
	nothing form = iota // no document has begun
	flow                // it begins with a brace or bracket, and ends with it
	block               // a mapping or list in YAML; it ends where another document begins
	stray               // a line that is neither; it ends with the line
)

// document is what has been read of one document.
type document struct {
	form  form
	limit int // on what is kept, in bytes
	line  int // of its first line, from 1
	text  []byte
	list  list
	// brace says that the first line is a brace and nothing else: the document
	// was meant to have several lines.
	brace bool
	// tooLarge says that the document, which is no List, has been reported
	// already and is only read to its end.
	tooLarge bool
}

// key is the beginning of a line in a mapping of an object.
var key = lazy.Regexp{Text: `^(?:[\w./$-]+|"(?:[^"\\]|\\.)*"|'[^']*')[ \t]*:(?:\s|$)`}

// begin decides from its first line how a document is written. Comments and empty
// lines are no documents.
func (d *document) begin(line []byte, number int) {
	d.line = number
	trimmed := bytes.TrimSpace(line)
	switch {
	case len(trimmed) == 0 || trimmed[0] == '#':
		return
	case trimmed[0] == '{' || trimmed[0] == '[':
		d.form, d.brace = flow, len(trimmed) == 1
	case key.Match(trimmed) || item(trimmed) || trimmed[0] == '%':
		d.form = block
	default:
		d.form = stray
	}
	d.list.begin(d.form, number)
}

// item reports whether a line begins an item of a YAML list.
func item(line []byte) bool {
	return len(line) > 0 && line[0] == '-' && (len(line) == 1 || bytes.ContainsAny(line[1:2], " \t\r\n"))
}

// separator reports whether a line ends a document and belongs to none.
func (d *document) separator(line []byte) bool {
	return bytes.HasPrefix(line, []byte("---")) || d.form != flow && string(bytes.TrimRight(line, " \t\r\n")) == "..."
}

// endsBefore reports whether a line begins another document.
func (d *document) endsBefore(line []byte) bool {
	switch d.form {
	case flow:
		// Inside of JSON nothing begins with a brace in the first column, but for
		// JSON without indentation, and the items of a List.
		before := bytes.TrimRight(d.text, " \t\r\n")
		between := d.list.within() && !d.list.open()
		return line[0] == '{' && !between && (!d.brace || len(before) == 0 || !bytes.ContainsAny(before[len(before)-1:], ":,["))
	case block:
		indented := bytes.TrimLeft(line, " \t")
		switch {
		case len(bytes.TrimSpace(line)) == 0 || line[0] == '#' || len(indented) < len(line):
			return false
		case item(line) || line[0] == '%':
			return false
		case !key.Match(line):
			return true
		}
		// Lines of a log, such as "audit: {…}", are no fields of one mapping.
		return d.holdsJSON(line) && d.holdsJSON(d.text)
	}
	return false
}

// holdsJSON reports whether the last line of a text is a name with a JSON object.
func (d *document) holdsJSON(text []byte) bool {
	text = bytes.TrimSpace(text)
	line := text[bytes.LastIndexByte(text, '\n')+1:]
	_, value, _ := bytes.Cut(line, []byte(":"))
	value = bytes.TrimSpace(value)
	return bytes.HasPrefix(value, []byte(`{"`)) && bytes.HasSuffix(value, []byte("}"))
}

// add keeps a part of a line; begins says that the line begins with it.
func (d *document) add(chunk []byte, begins bool) {
	at := len(d.text)
	d.text = append(d.text, chunk...)
	switch d.form {
	case flow:
		d.list.scan(d.text)
	case block:
		if begins {
			d.list.block(chunk, at)
		}
		d.list.lines += bytes.Count(chunk, []byte("\n"))
	}
}

// complete reports, at the end of a line, whether the document ends with it.
func (d *document) complete() bool {
	return d.form == stray || d.form == flow && d.list.closed()
}

// drain makes room: it returns the items of a List that have been read, and
// whatever does not fit.
func (d *document) drain() []Record {
	head := d.list.header(d.text)
	var out []Record
	if d.list.found && (head.isList() || head.Kind == "") && !d.tooLarge {
		out = d.items(head)
		d.text = d.list.cut(d.text)
		if len(d.text) <= d.limit {
			return out
		}
		if d.list.open() {
			out = append(out, d.large(d.list.start.line)...)
			d.text = d.list.drop(d.text)
			return out
		}
	}
	if !d.tooLarge {
		out = append(out, d.large(d.line)...)
		d.tooLarge = true
	}
	d.text = d.list.forget(d.text)
	return out
}

func (d *document) large(line int) []Record {
	if d.list.dropped {
		return nil // it has been reported
	}
	return []Record{d.tooLong(line)}
}

func (d *document) tooLong(line int) Record {
	return Record{Line: line, Bad: fmt.Sprintf("a record is larger than %s", size(d.limit))}
}

// size writes a number of bytes.
func size(n int) string {
	if n >= 1<<20 {
		return fmt.Sprintf("%d MiB", n>>20)
	}
	return fmt.Sprintf("%d bytes", n)
}

// items are the records of the items that have been read.
func (d *document) items(head typeMeta) []Record {
	var out []Record
	for _, i := range d.list.items {
		if i.bad != "" {
			out = append(out, Record{Line: i.line, Bad: i.bad})
			continue
		}
		text := d.text[i.from:i.to]
		if len(text) > d.limit {
			out = append(out, d.tooLong(i.line))
			continue
		}
		if d.form == block {
			text = bytes.Replace(text, []byte("-"), []byte(" "), 1)
		}
		out = append(out, records(text, i.line, head)...)
	}
	return out
}

// end returns the records of a document, or those of a List that are left.
func (d *document) end() []Record {
	switch {
	case d.form == nothing || d.tooLarge:
		return nil
	case d.form == stray:
		return []Record{{Line: d.line, Bad: d.strange()}}
	}
	d.list.finish(d.text)
	if !d.list.found {
		return records(d.text, d.line, typeMeta{})
	}
	envelope := d.list.envelope(d.text)
	head, problem := kindOf(envelope)
	if problem == "" && !head.isList() && !d.list.drained {
		return records(d.text, d.line, typeMeta{})
	}
	if problem != "" {
		head = d.list.header(d.text)
	}
	out := d.items(head)
	if problem == "" && !head.isList() {
		problem = "a document with items is not a List"
	}
	if problem != "" {
		out = append(out, Record{Line: d.line, Bad: problem})
	}
	return out
}

// strange says what is wrong with a line that begins no document.
func (d *document) strange() string {
	if i := bytes.Index(d.text, []byte(`{"`)); i > 0 {
		return "this line has text before its JSON; remove it, because a record begins with a brace"
	}
	return "this line is not a record: no JSON or YAML object begins here"
}
