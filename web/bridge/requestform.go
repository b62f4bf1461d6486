package bridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// RequestChanges are what the fields above the request text can change; nil
// means unchanged.
type RequestChanges struct {
	Operation   *string   `json:"operation"`
	User        *string   `json:"user"`
	Groups      *[]string `json:"groups"`
	SubResource *string   `json:"subResource"`
	DryRun      *bool     `json:"dryRun"`
}

// requestForm changes the request text as the reader would: a bare object is
// wrapped in an AdmissionReview, then single values are replaced or inserted.
// Comments and layout of everything else stay.
func requestForm(_ context.Context, params json.RawMessage) (any, error) {
	var in struct {
		Scenario scenario.Scenario `json:"scenario"`
		Set      RequestChanges    `json:"set"`
	}
	if err := json.Unmarshal(params, &in); err != nil {
		return nil, fmt.Errorf("the form: %w", err)
	}
	text, err := changeRequest(in.Scenario.Request, in.Set)
	if err != nil {
		return nil, err
	}
	return map[string]string{"text": text}, nil
}

func changeRequest(text string, set RequestChanges) (string, error) {
	e, err := openRequest(text)
	if err != nil {
		return "", err
	}
	if set.Operation != nil {
		e.operation(*set.Operation)
	}
	if set.User != nil {
		e.set("userInfo", "username", *set.User)
	}
	if set.Groups != nil {
		e.set("userInfo", "groups", *set.Groups)
	}
	if set.SubResource != nil {
		e.set("", "subResource", *set.SubResource)
	}
	if set.DryRun != nil {
		e.set("", "dryRun", *set.DryRun)
	}
	return e.text, e.err
}

// requestEditor edits a text by the places of its fields. The text is parsed
// anew after each edit, because places move.
type requestEditor struct {
	text string
	// root is the path of the AdmissionRequest: "request." in a review, "" when
	// the text is the request itself.
	root string
	doc  *scenario.Document
	err  error
}

var errOneDocument = errors.New("the request text must be one readable document before its fields can be changed")

func openRequest(text string) (*requestEditor, error) {
	if strings.HasPrefix(strings.TrimSpace(text), "{") {
		// JSON leaves no room between its braces for the edits below.
		block, err := yaml.JSONToYAML([]byte(text))
		if err != nil {
			return nil, errOneDocument
		}
		text = string(block)
	}
	docs, diags := scenario.ParseDocuments(diag.Request, text)
	if len(docs) != 1 || diag.HasErrors(diags) {
		return nil, errOneDocument
	}
	e := &requestEditor{text: text, doc: docs[0]}
	switch {
	case docs[0].Kind == "AdmissionReview":
		e.root = "request."
	case docs[0].Kind != "":
		e.root = "request."
		e.replace(review(text))
	}
	return e, e.err
}

// review wraps an object in an AdmissionReview; comments move with the lines.
func review(object string) string {
	var b strings.Builder
	b.WriteString("apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest:\n  operation: CREATE\n  object:\n")
	for line := range strings.Lines(object) {
		if strings.TrimSpace(line) == "---" {
			continue // the only document's own separator
		}
		if strings.TrimSpace(line) != "" {
			b.WriteString("    ")
		}
		b.WriteString(line)
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

func (e *requestEditor) replace(text string) {
	docs, diags := scenario.ParseDocuments(diag.Request, text)
	if len(docs) != 1 || diag.HasErrors(diags) {
		e.err = errOneDocument
		return
	}
	e.text, e.doc = text, docs[0]
}

func (e *requestEditor) splice(span diag.Span, text string) {
	e.replace(e.text[:span.Start] + text + e.text[span.End:])
}

// value replaces the value of a field. It goes on the line of its key, because
// a list may stand as far left as its key, and other values may not.
func (e *requestEditor) value(path, text string) {
	e.splice(diag.Span{Start: e.doc.LocateKey(path).End, End: e.doc.Locate(path).End}, ": "+text)
}

// set writes a value to parent.field, both below the request; parent may be "".
func (e *requestEditor) set(parent, field string, value any) {
	if e.err != nil {
		return
	}
	raw, err := json.Marshal(value)
	if err != nil {
		e.err = err
		return
	}
	path := e.root + field
	if parent != "" {
		path = e.root + parent + "." + field
	}
	switch {
	case e.doc.Has(path):
		e.value(path, string(raw))
	case parent != "" && !e.doc.Has(e.root+parent):
		e.insert("", fmt.Sprintf("%s: {%s: %s}", parent, field, raw))
	default:
		e.insert(parent, fmt.Sprintf("%s: %s", field, raw))
	}
}

// insert puts a field at the start of a mapping below the request.
func (e *requestEditor) insert(parent, field string) {
	path := strings.TrimSuffix(e.root+parent, ".")
	if path == "" {
		e.replace(field + "\n" + e.text)
		return
	}
	at := e.doc.Locate(path).Start
	if at < len(e.text) && e.text[at] == '{' {
		e.splice(diag.Span{Start: at + 1, End: at + 1}, field+", ")
		return
	}
	line := strings.LastIndexByte(e.text[:at], '\n') + 1
	indent := e.text[line:at]
	if strings.Trim(indent, " ") != "" {
		e.err = errOneDocument // the mapping begins on the line of its key
		return
	}
	e.splice(diag.Span{Start: at, End: at}, field+"\n"+indent)
}

// operation sets the operation and moves the objects to where the API server
// has them: CREATE has no old one, DELETE no new one, UPDATE both.
func (e *requestEditor) operation(name string) {
	e.set("", "operation", name)
	object, old := e.root+"object", e.root+"oldObject"
	switch name {
	case "CREATE":
		e.move(old, object)
	case "DELETE":
		e.move(object, old)
	case "UPDATE":
		if e.err != nil || !e.has(object) || e.has(old) {
			return
		}
		e.copyObject(object)
	}
}

// has reports whether there is a value other than null at a path.
func (e *requestEditor) has(path string) bool {
	if !e.doc.Has(path) {
		return false
	}
	span := e.doc.Locate(path)
	text := e.text[span.Start:span.End]
	return text != "null" && text != "~" && text != ""
}

// move renames a field; when the other one is there already, the field
// becomes null instead.
func (e *requestEditor) move(from, to string) {
	if e.err != nil || !e.has(from) {
		return
	}
	if e.has(to) {
		e.value(from, "null")
		return
	}
	name := to[strings.LastIndexByte(to, '.')+1:]
	if e.doc.Has(to) {
		e.splice(e.doc.LocateKey(to), name+"WasNull") // never sent on: removed below
		e.removeLine(name + "WasNull")
	}
	if e.err == nil {
		e.splice(e.doc.LocateKey(from), name)
	}
}

// removeLine drops the line of a field that is null.
func (e *requestEditor) removeLine(key string) {
	var b strings.Builder
	for line := range strings.Lines(e.text) {
		if !strings.HasPrefix(strings.TrimSpace(line), key+":") {
			b.WriteString(line)
		}
	}
	e.replace(b.String())
}

// copyObject makes the old object a copy of the new one, to be edited.
func (e *requestEditor) copyObject(object string) {
	span, key := e.doc.Locate(object), e.doc.LocateKey(object)
	value := strings.TrimRight(e.text[span.Start:span.End], "\n ")
	keyLine := strings.LastIndexByte(e.text[:key.Start], '\n') + 1
	valueLine := strings.LastIndexByte(e.text[:span.Start], '\n') + 1
	entry := "oldObject: " + value
	if valueLine != keyLine {
		entry = "oldObject:\n" + e.text[valueLine:span.Start] + value
	}
	e.splice(diag.Span{Start: key.Start, End: key.Start}, entry+"\n"+e.text[keyLine:key.Start])
}
