package requesttext

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// OldObject is the text of the old object with the indentation of its place
// taken away; empty when there is none or the text cannot be read.
func OldObject(text string) string {
	e, err := open(text)
	if err != nil || e.bare || !e.hasValue(e.root+"oldObject") {
		return ""
	}
	span, lines := e.region(e.root + "oldObject")
	value := e.text[span.Start:span.End]
	if !lines {
		// The first line begins behind the key, the others have its indentation.
		return strings.ReplaceAll(value, "\n"+e.indentOf(e.doc.LocateKey(e.root+"oldObject").Start), "\n") + "\n"
	}
	return dedented(value)
}

// region is the place of an object. In blocks it is whole lines, comments
// among them included, and lines is true.
func (e *editor) region(path string) (span diag.Span, lines bool) {
	key, at := e.doc.LocateKey(path), e.doc.Locate(path)
	if !strings.Contains(e.text[key.End:max(at.Start, key.End)], "\n") {
		return at, false
	}
	width := len(e.indentOf(key.Start))
	start := key.End + strings.IndexByte(e.text[key.End:], '\n') + 1
	end, next := start, start
	for line := range strings.Lines(e.text[start:]) {
		next += len(line)
		if strings.TrimSpace(line) == "" {
			continue // belongs to the object only if more of it follows
		}
		if len(line)-len(strings.TrimLeft(line, " ")) <= width {
			break
		}
		end = next
	}
	return diag.Span{Start: start, End: end}, true
}

// indentOf is the space before what is first on the line of an offset.
func (e *editor) indentOf(offset int) string {
	line := e.text[strings.LastIndexByte(e.text[:offset], '\n')+1:]
	return line[:len(line)-len(strings.TrimLeft(line, " "))]
}

// dedented takes from each line the spaces that all have.
func dedented(text string) string {
	least := -1
	for line := range strings.Lines(text) {
		if n := len(line) - len(strings.TrimLeft(line, " ")); strings.TrimSpace(line) != "" && (least < 0 || n < least) {
			least = n
		}
	}
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(line[min(max(least, 0), len(line)-len(strings.TrimLeft(line, " "))):])
	}
	return b.String()
}

var errOldObject = errors.New("the old object must be one readable document")

// oldObject writes the old object; an empty text removes it.
func (e *editor) oldObject(text string) {
	if e.err != nil {
		return
	}
	path := e.root + "oldObject"
	if strings.TrimSpace(text) == "" {
		e.remove(path)
		return
	}
	docs, diags := scenario.ParseDocuments(diag.Request, text)
	if len(docs) != 1 || diag.HasErrors(diags) {
		e.err = errOldObject
		return
	}
	if !e.doc.Has(path) {
		e.insert("", "oldObject", e.objectText(docs[0], text, e.fieldIndent()))
		return
	}
	value := e.objectText(docs[0], text, e.indentOf(e.doc.LocateKey(path).Start))
	span, lines := e.region(path)
	switch {
	case lines && strings.HasPrefix(value, "\n"):
		end := ""
		if strings.HasSuffix(e.text[span.Start:span.End], "\n") {
			end = "\n"
		}
		e.splice(span.Start, span.End, value[1:]+end)
	case strings.HasPrefix(value, "\n"):
		key := e.doc.LocateKey(path)
		e.splice(key.End+strings.IndexByte(e.text[key.End:], ':')+1, span.End, value)
	default:
		e.splice(span.Start, span.End, value)
	}
}

// fieldIndent is the indentation of the fields of the request.
func (e *editor) fieldIndent() string {
	path := strings.TrimSuffix(e.root, ".")
	at := e.place(path).Start
	if !e.flow(path) {
		return e.indentOf(at)
	}
	rest := e.text[at+1:]
	space := rest[:len(rest)-len(strings.TrimLeft(rest, " \n"))]
	return space[strings.LastIndexByte(space, '\n')+1:]
}

// inner is how much deeper than its key the text indents an object.
func (e *editor) inner() string {
	for _, field := range []string{"oldObject", "object"} {
		if path := e.root + field; e.hasValue(path) {
			value, key := e.indentOf(e.doc.Locate(path).Start), e.indentOf(e.doc.LocateKey(path).Start)
			if len(value) > len(key) {
				return value[len(key):]
			}
		}
	}
	return "  "
}

// objectText is an object as it is written behind a key that is indented like
// this: on the lines below it, or, where the text is in braces, in braces.
func (e *editor) objectText(doc *scenario.Document, text, outer string) string {
	if !e.flow(strings.TrimSuffix(e.root, ".")) {
		var b strings.Builder
		inner := e.inner()
		for line := range strings.Lines("\n" + strings.TrimRight(text, "\n ")) {
			if strings.TrimSpace(line) != "---" {
				b.WriteString(indent(line, outer+inner))
			}
		}
		return b.String()
	}
	raw := []byte(strings.TrimSpace(text))
	inBraces := bytes.HasPrefix(raw, []byte("{")) && !bytes.ContainsAny(raw, "\n#")
	if !json.Valid(raw) && (e.json || !inBraces) {
		raw = doc.JSON()
	}
	if !e.json || !strings.Contains(e.text, "\n") {
		return string(raw)
	}
	var b bytes.Buffer
	if err := json.Indent(&b, raw, outer, "  "); err != nil {
		return string(raw)
	}
	return b.String()
}

// operation sets the operation and moves the objects to where the API server
// has them: CREATE has no old one, DELETE no new one, UPDATE both.
func (e *editor) operation(name string) {
	e.set("", "operation", name, false)
	switch name {
	case "CREATE":
		e.move("oldObject", "object")
	case "DELETE":
		e.move("object", "oldObject")
	case "UPDATE":
		e.copyObject("object", "oldObject")
		e.copyObject("oldObject", "object")
	}
}

// move renames a field; when the other one is there already, the field goes.
func (e *editor) move(from, to string) {
	if e.err != nil || !e.hasValue(e.root+from) {
		return
	}
	if e.hasValue(e.root + to) {
		e.removeObject(e.root + from)
		return
	}
	e.remove(e.root + to) // it is null
	if e.err == nil {
		key := e.doc.LocateKey(e.root + from)
		e.splice(key.Start, key.End, e.key(to))
	}
}

// removeObject removes an object with the comments in it.
func (e *editor) removeObject(path string) {
	span, lines := e.region(path)
	if !lines {
		e.remove(path)
		return
	}
	key := e.doc.LocateKey(path)
	e.splice(strings.LastIndexByte(e.text[:key.Start], '\n')+1, span.End, "")
}

// copyObject makes one object a copy of the other, to be edited, unless both
// are there.
func (e *editor) copyObject(from, to string) {
	if e.err != nil || !e.hasValue(e.root+from) || e.hasValue(e.root+to) {
		return
	}
	e.remove(e.root + to)
	if e.err != nil {
		return
	}
	key := e.doc.LocateKey(e.root + from)
	span, lines := e.region(e.root + from)
	value := e.text[span.Start:span.End]
	entry := e.key(to) + ": " + value
	if lines {
		entry = e.key(to) + ":\n" + strings.TrimSuffix(value, "\n")
	}
	if e.flow(strings.TrimSuffix(e.root, ".")) {
		entry += ","
	}
	line := strings.LastIndexByte(e.text[:key.Start], '\n') + 1
	between := " "
	if strings.TrimSpace(e.text[line:key.Start]) == "" {
		between = "\n" + e.text[line:key.Start]
	}
	e.splice(key.Start, key.Start, entry+between)
}

// Problems are what is wrong with the text of an object, with places.
func Problems(object string) []diag.Diagnostic {
	if strings.TrimSpace(object) == "" {
		return nil
	}
	_, diags := scenario.ParseDocuments(diag.Request, object)
	return diags
}
