package capture

import (
	"bytes"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// list finds the items of a List while its text is read, so that a List may be
// longer than memory. Whether the document is a List shows its kind, which may
// follow the items.
type list struct {
	// found says that the document has a top-level list named items.
	found bool
	// begins and ends are the offsets of what is between its brackets, in the
	// text that is kept. ends is -1 while the list goes on.
	begins, ends int
	items        []listItem // read and not yet drained
	start        listItem   // of the item under way
	inItem       bool
	drained      bool // items have been taken out
	dropped      bool // the item under way is too large and is not kept
	form         form
	line         int // of the first line of the document
	lines        int // line feeds so far
	// of JSON
	pos            int // what has been looked at
	depth          int
	inString       bool
	escaped        bool
	keyFrom, keyTo int // of the last string outside of the items
	odd            bool
	// of YAML
	indent int // of the dashes; -1 before the first
}

// listItem is one item: its place in the text, and its line.
type listItem struct {
	from, to, line int
	bad            string
}

func (l *list) begin(f form, line int) { *l = list{form: f, line: line, ends: -1, indent: -1} }

// closed reports whether all braces of JSON are closed.
func (l *list) closed() bool { return l.depth <= 0 && !l.inString }

// open reports whether an item is under way.
func (l *list) open() bool { return l.inItem }

func (l *list) within() bool { return l.found && l.ends < 0 }

// scan looks at what has been added to JSON.
func (l *list) scan(text []byte) {
	for ; l.pos < len(text); l.pos++ {
		c := text[l.pos]
		switch {
		case c == '\n':
			l.lines++
			l.inString, l.escaped = false, false // strings of JSON end with their line
		case l.escaped:
			l.escaped = false
		case l.inString:
			l.escaped = c == '\\'
			if c == '"' {
				l.inString, l.keyTo = false, l.pos
			}
		case c == '"':
			l.inString, l.keyFrom = true, l.pos+1
			l.element(c)
		case c == '{' || c == '[':
			l.opens(text, c)
		case c == '}' || c == ']':
			l.closes()
		default:
			l.element(c)
		}
	}
}

func (l *list) opens(text []byte, c byte) {
	if l.depth == 1 && c == '[' && !l.found && l.keyTo < len(text) && l.keyFrom <= l.keyTo && string(text[l.keyFrom:l.keyTo]) == "items" {
		l.found, l.begins = true, l.pos+1
	} else if l.depth == 2 && l.within() && c == '{' && !l.odd {
		l.start, l.inItem = listItem{from: l.pos, line: l.line + l.lines}, true
	} else {
		l.element(c)
	}
	l.depth++
}

func (l *list) closes() {
	l.depth--
	switch {
	case l.depth == 2 && l.inItem:
		l.inItem = false
		if l.dropped {
			l.dropped = false
			return
		}
		l.start.to = l.pos + 1
		l.items = append(l.items, l.start)
	case l.depth == 1 && l.within():
		l.ends = l.pos
	}
}

// element notes what is no object among the items.
func (l *list) element(c byte) {
	if l.depth != 2 || !l.within() {
		return
	}
	switch c {
	case ',':
		l.odd = false
	case ' ', '\t', '\r':
	default:
		if !l.odd {
			l.items = append(l.items, listItem{line: l.line + l.lines, bad: "an item of the list is not an object"})
		}
		l.odd = true
	}
}

// block looks at the beginning of a line of YAML, at an offset of the text.
func (l *list) block(line []byte, at int) {
	trimmed := bytes.TrimLeft(line, " ")
	indent := len(line) - len(trimmed)
	switch {
	case len(bytes.TrimSpace(line)) == 0 || trimmed[0] == '#':
		return
	case l.within() && item(trimmed) && (l.indent < 0 || indent == l.indent):
		l.closeItem(at)
		l.indent = indent
		l.start, l.inItem = listItem{from: at, line: l.line + l.lines}, true
	case l.within() && indent == 0:
		l.closeItem(at)
		l.ends = at
	}
	if !l.found && string(bytes.TrimRight(line, " \t\r\n")) == "items:" {
		l.found, l.begins = true, at+len(line)
	}
}

// closeItem ends the item of YAML that is under way.
func (l *list) closeItem(at int) {
	if !l.inItem {
		return
	}
	l.inItem = false
	if l.dropped {
		l.dropped = false
		return
	}
	l.start.to = at
	l.items = append(l.items, l.start)
}

// finish ends a list with its document.
func (l *list) finish(text []byte) {
	if l.form == block && l.within() {
		l.closeItem(len(text))
		l.ends = len(text)
	}
}

// cut takes the items that have been drained out of the text.
func (l *list) cut(text []byte) []byte {
	to := len(text)
	if l.inItem {
		to = l.start.from
	} else if l.ends >= 0 {
		to = l.ends
	}
	l.items, l.drained = nil, true
	return l.remove(text, l.begins, to)
}

// drop takes the item under way out of the text: it is too large.
func (l *list) drop(text []byte) []byte {
	l.dropped = true
	return l.remove(text, l.start.from, len(text))
}

// forget takes everything out of the text.
func (l *list) forget(text []byte) []byte { return l.remove(text, 0, len(text)) }

func (l *list) remove(text []byte, from, to int) []byte {
	n := to - from
	for _, at := range []*int{&l.pos, &l.ends, &l.start.from} {
		if *at >= to {
			*at -= n
		} else if *at > from {
			*at = from
		}
	}
	if from < l.begins {
		l.keyFrom, l.keyTo = 0, 0
	}
	return append(text[:from], text[to:]...)
}

// envelope is the document without its items.
func (l *list) envelope(text []byte) []byte {
	if l.ends < 0 {
		return text[:l.begins] // it is cut off
	}
	if l.form == block {
		return bytes.Join([][]byte{bytes.TrimRight(text[:l.begins], " \t\r\n"), []byte(" []\n"), text[l.ends:]}, nil)
	}
	return bytes.Join([][]byte{text[:l.begins], text[l.ends:]}, nil)
}

// header is what the text before the items shows of the kind.
func (l *list) header(text []byte) typeMeta {
	if !l.found {
		return typeMeta{}
	}
	end := []byte("]}")
	if l.form == block {
		end = nil
	}
	head, _ := kindOf(bytes.Join([][]byte{text[:l.begins], end}, nil)) // a broken head shows no kind
	return head
}

// kindOf reads the kind of a List without its items, and says what is wrong with
// it.
func kindOf(envelope []byte) (head typeMeta, problem string) {
	_, problems := scenario.ParseDocuments(diag.Request, string(envelope))
	for _, p := range problems {
		if p.Severity == diag.Error {
			return head, p.Summary
		}
	}
	if err := yaml.Unmarshal(envelope, &head); err != nil {
		return head, err.Error()
	}
	return head, ""
}
