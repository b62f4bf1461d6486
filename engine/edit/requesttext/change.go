// Package requesttext changes the request text as its author would:
// it replaces, inserts or removes single values in place, and keeps
// all other layout and comments. It first wraps a plain object in an
// AdmissionReview. JSON stays JSON.
package requesttext

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Changes are the values to set; nil leaves one as it is. Empty texts and lists
// remove the field.
type Changes struct {
	Operation *string `json:"operation,omitempty"`
	// User brings the groups of [GroupsOf] where the request has none of its own.
	User        *string   `json:"user,omitempty"`
	Groups      *[]string `json:"groups,omitempty"`
	SubResource *string   `json:"subResource,omitempty"`
	DryRun      *bool     `json:"dryRun,omitempty"`
	// Namespace is set in the request, and in its objects.
	Namespace *string `json:"namespace,omitempty"`
	// OldObject is the text of one object, YAML or JSON.
	OldObject *string `json:"oldObject,omitempty"`
	// Apply is only a setting, even where the text is a review.
	Apply *scenario.ApplySettings `json:"apply,omitempty"`
	// Force makes a server-side apply take fields over.
	Force bool `json:"force,omitempty"`
}

// Settings returns the settings of a plain object's request after the changes.
func (c Changes) Settings(now *scenario.RequestSettings) *scenario.RequestSettings {
	var s scenario.RequestSettings
	if now != nil {
		s = *now
	}
	c = c.withGroups(s.User, s.Groups)
	if s.Operation == "" && s.Apply == nil && c.Apply == nil {
		c = c.withOperation()
	}
	for _, field := range []struct{ to, from *string }{{&s.Operation, c.Operation}, {&s.User, c.User}, {&s.Namespace, c.Namespace}, {&s.SubResource, c.SubResource}, {&s.OldObject, c.OldObject}} {
		if field.from != nil {
			*field.to = *field.from
		}
	}
	if c.Groups != nil {
		s.Groups = *c.Groups
	}
	switch {
	case c.Apply != nil:
		s.Apply = c.Apply
	case c.Operation != nil:
		s.Apply = nil // an apply has the operation of what it finds
	case c.Force && s.Apply != nil:
		s.Apply = &scenario.ApplySettings{FieldManager: s.Apply.FieldManager, Force: true}
	}
	if c.DryRun != nil {
		s.DryRun = *c.DryRun
	}
	return s.OrNil()
}

// Change returns the text with the changes made. The error is for a text that
// is not one readable document, or for an old object that is not.
func Change(text string, set Changes) (_ string, err error) {
	defer guard.Error(&err)
	e, err := open(text)
	if err != nil {
		return "", err
	}
	if e.bare {
		e.wrap()
		set = set.withOperation()
	}
	set = set.withGroups(e.user())
	if set.Operation != nil {
		e.operation(*set.Operation)
	}
	if set.User != nil {
		e.set("userInfo", "username", *set.User, *set.User == "")
	}
	if set.Groups != nil {
		e.set("userInfo", "groups", *set.Groups, len(*set.Groups) == 0)
	}
	if set.SubResource != nil {
		e.set("", "subResource", *set.SubResource, *set.SubResource == "")
	}
	if set.DryRun != nil {
		e.set("", "dryRun", *set.DryRun, !*set.DryRun)
	}
	if set.OldObject != nil {
		e.oldObject(*set.OldObject)
	}
	if set.Namespace != nil {
		e.namespace(*set.Namespace)
	}
	return e.text, e.err
}

// usualOperation has what the API does with the subresources that are not created.
var usualOperation = map[string]string{
	"scale": "UPDATE", "status": "UPDATE", "ephemeralcontainers": "UPDATE", "resize": "UPDATE", "approval": "UPDATE", "finalize": "UPDATE",
	"exec": "CONNECT", "attach": "CONNECT", "portforward": "CONNECT", "proxy": "CONNECT",
}

// withOperation adds the subresource's usual operation if none is set.
func (c Changes) withOperation() Changes {
	if c.Operation == nil && c.SubResource != nil {
		if operation, ok := usualOperation[*c.SubResource]; ok {
			c.Operation = &operation
		}
	}
	return c
}

// user is who the request says asks, with the groups.
func (e *editor) user() (name string, groups []string) {
	value := e.doc.Value
	for _, field := range strings.Split(e.root+"userInfo", ".") {
		value, _ = value[field].(map[string]any)
	}
	name, _ = value["username"].(string)
	list, _ := value["groups"].([]any)
	for _, g := range list {
		group, _ := g.(string)
		groups = append(groups, group)
	}
	return name, groups
}

// namespace sets the namespace of the request and of its objects.
func (e *editor) namespace(name string) {
	e.set("", "namespace", name, name == "")
	for _, object := range []string{"object", "oldObject"} {
		if metadata := object + ".metadata"; e.hasValue(e.root + metadata) {
			e.set(metadata, "namespace", name, name == "")
		}
	}
}

// editor changes a text by the places of its fields. The text is parsed anew
// after each change, because places move.
type editor struct {
	text string
	doc  *scenario.Document
	// root is the path of the AdmissionRequest with a dot behind it: "request."
	// in a review, "" when the text is the request itself.
	root string
	// bare says that the text is an object and not yet a request.
	bare bool
	json bool
	err  error
}

var (
	errEmpty       = errors.New("there is no request yet: paste an object first")
	errOneDocument = errors.New("the request must be one readable document before its fields can be changed")
)

func open(text string) (*editor, error) {
	if strings.TrimSpace(text) == "" {
		return nil, errEmpty
	}
	docs, diags := scenario.ParseDocuments(diag.Request, text)
	if len(docs) != 1 || docs[0].FromList || diag.HasErrors(diags) {
		return nil, errOneDocument
	}
	e := &editor{text: text, doc: docs[0], json: json.Valid([]byte(text))}
	switch kind := docs[0].Value["kind"].(type) {
	case string:
		e.root = "request."
		e.bare = kind != "AdmissionReview"
		if _, ok := docs[0].Value["request"].(map[string]any); !ok && !e.bare {
			return nil, errors.New("this AdmissionReview has no request")
		}
	}
	return e, nil
}

// wrap puts an object into an AdmissionReview; comments move with the lines.
func (e *editor) wrap() {
	var b strings.Builder
	if e.json {
		b.WriteString("{\n  \"apiVersion\": \"admission.k8s.io/v1\",\n  \"kind\": \"AdmissionReview\",\n  \"request\": {\n    \"operation\": \"CREATE\",\n    \"object\": ")
		b.WriteString(strings.ReplaceAll(strings.TrimSpace(e.text), "\n", "\n    "))
		b.WriteString("\n  }\n}\n")
		e.replace(b.String())
		return
	}
	b.WriteString("apiVersion: admission.k8s.io/v1\nkind: AdmissionReview\nrequest:\n  operation: CREATE\n  object:\n")
	for line := range strings.Lines(e.text) {
		if trimmed := strings.TrimSpace(line); trimmed == "---" || trimmed == "..." {
			continue // the only document's own separators
		}
		b.WriteString(indent(line, "    "))
	}
	e.replace(strings.TrimRight(b.String(), "\n") + "\n")
}

// indent puts spaces before a line that is not empty.
func indent(line, by string) string {
	if strings.TrimSpace(line) == "" {
		return line
	}
	return by + line
}

func (e *editor) replace(text string) {
	docs, diags := scenario.ParseDocuments(diag.Request, text)
	if len(docs) != 1 || diag.HasErrors(diags) {
		e.err = errOneDocument
		return
	}
	e.text, e.doc, e.bare = text, docs[0], false
}

func (e *editor) splice(from, to int, text string) {
	e.replace(e.text[:from] + text + e.text[to:])
}

// set writes a value to parent.field, both below the request; parent may be "".
// An empty value removes the field.
func (e *editor) set(parent, field string, value any, empty bool) {
	if e.err != nil {
		return
	}
	path := e.root + field
	if parent != "" {
		path = e.root + parent + "." + field
	}
	switch {
	case empty:
		e.remove(path)
	case e.doc.Has(path):
		e.value(path, value)
	case parent != "" && !e.hasValue(e.root+parent):
		e.remove(e.root + parent) // null has no room for a field
		e.insert("", parent, e.nested(field, value))
	default:
		e.insert(parent, field, e.inline(value))
	}
}

// value replaces the value of a field in the form that it has: a list of lines
// stays one, and what is behind the value stays where it is.
func (e *editor) value(path string, value any) {
	key, at := e.doc.LocateKey(path), e.doc.Locate(path)
	items, isList := value.([]string)
	if isList && at.Start < len(e.text) && e.text[at.Start] == '-' && !e.json {
		start := strings.LastIndexByte(e.text[:at.Start], '\n') + 1
		var lines []string
		for _, item := range items {
			lines = append(lines, "- "+scalar(item, false))
		}
		e.splice(at.Start, at.End, strings.Join(lines, "\n"+e.text[start:at.Start]))
		return
	}
	colon := strings.IndexByte(e.text[key.End:], ':')
	if colon < 0 || at.Start < key.End {
		// A key without a value: its place is that of the key.
		e.splice(key.End, key.End+colon+1, ": "+e.inline(value))
		return
	}
	if strings.Contains(e.text[key.End:at.Start], "\n") {
		at.Start = key.End + colon + 1 // a value on lines of its own comes to its key
		e.splice(at.Start, at.End, " "+e.inline(value))
		return
	}
	e.splice(at.Start, at.End, e.inline(value))
}

// hasValue reports whether there is a value other than null at a path.
func (e *editor) hasValue(path string) bool {
	value := any(e.doc.Value)
	for _, field := range strings.Split(path, ".") {
		m, _ := value.(map[string]any)
		value = m[field]
	}
	return value != nil
}

// flow reports whether the mapping of a path is in braces.
func (e *editor) flow(path string) bool {
	at := e.place(path).Start
	return at < len(e.text) && e.text[at] == '{'
}

// place is that of a mapping; the path may be that of the whole document.
func (e *editor) place(path string) diag.Span {
	if path == "" {
		return e.doc.Span
	}
	return e.doc.Locate(path)
}

// insert puts a field at the start of a mapping below the request.
func (e *editor) insert(parent, field, value string) {
	if e.err != nil {
		return
	}
	path := strings.TrimSuffix(e.root+parent, ".")
	at := e.place(path).Start
	entry := e.key(field) + ": " + value
	if strings.HasPrefix(value, "\n") {
		entry = e.key(field) + ":" + value
	}
	if e.flow(path) {
		rest := e.text[at+1:]
		space := rest[:len(rest)-len(strings.TrimLeft(rest, " \n"))]
		switch {
		case strings.HasPrefix(rest[len(space):], "}"):
			e.splice(at+1, at+1, entry)
		case strings.Contains(space, "\n"):
			e.splice(at+1, at+1, space+entry+",")
		default:
			e.splice(at+1, at+1, entry+", ")
		}
		return
	}
	line := strings.LastIndexByte(e.text[:at], '\n') + 1
	if strings.Trim(e.text[line:at], " ") != "" {
		e.err = errOneDocument // the mapping begins on the line of its key, in an unusual form
		return
	}
	e.splice(at, at, entry+"\n"+e.text[line:at])
}

// remove takes a field out, with its line or its comma.
func (e *editor) remove(path string) {
	parent := ""
	if dot := strings.LastIndexByte(path, '.'); dot >= 0 {
		parent = path[:dot]
	}
	e.removeFrom(parent, path)
}

// removeFrom takes a field out of the mapping that it is in; the name of the field
// may have dots.
func (e *editor) removeFrom(parent, path string) {
	if e.err != nil || !e.doc.Has(path) {
		return
	}
	key, at := e.doc.LocateKey(path), e.doc.Locate(path)
	end := max(key.End, at.End)
	if at.Start < key.End { // a key without a value
		end = key.End + strings.IndexByte(e.text[key.End:], ':') + 1
	}
	if e.flow(parent) {
		start := key.Start
		after := strings.TrimLeft(e.text[end:], " \n")
		if strings.HasPrefix(after, ",") {
			after = after[1:]
			end = len(e.text) - len(strings.TrimLeft(after, " \n"))
		} else if before := strings.TrimRight(e.text[:start], " \n"); strings.HasSuffix(before, ",") {
			start = len(before) - 1
		}
		e.splice(start, end, "")
		return
	}
	start := strings.LastIndexByte(e.text[:key.Start], '\n') + 1
	if next := strings.IndexByte(e.text[end:], '\n'); next >= 0 {
		end += next + 1
	} else {
		end = len(e.text)
	}
	if strings.TrimSpace(e.text[start:key.Start]) != "" {
		e.err = errOneDocument
		return
	}
	e.splice(start, end, "")
}
