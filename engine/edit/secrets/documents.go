package secrets

import (
	"encoding/base64"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/text/position"
	"github.com/preadmit/preadmit/engine/scenario"
)

// maxNested is how deep documents in strings of documents are read: a kubeconfig in a
// ConfigMap, what kubectl applied last in an annotation.
const maxNested = 3

// documents looks into the documents of a text. It reports whether all of it could be
// read.
func (f *finder) documents(text string, at mapper) bool { return f.nested(text, at, 0) }

func (f *finder) nested(text string, at mapper, depth int) bool {
	docs, problems := scenario.ParseDocuments(diag.Request, text)
	for _, d := range docs {
		w := walker{finder: f, doc: d, at: at, depth: depth}
		w.mapping(nil, d.Value, "")
	}
	return !diag.HasErrors(problems)
}

// walker goes through the values of one document.
type walker struct {
	*finder
	doc   *scenario.Document
	at    mapper // from the text of the document
	depth int
}

// value looks at what is at a path; name is its key, and of an item of a list the
// key of the list.
func (w *walker) value(path fieldpath.Path, name string, value any, assumed string) {
	switch v := value.(type) {
	case map[string]any:
		w.mapping(path, v, assumed)
	case []any:
		for i, item := range v {
			w.value(path.Index(i), name, item, assumed)
		}
	case string:
		switch {
		case len(v) >= 6 && secretName.MatchString(name):
			w.replace(path, removed, "the value of "+name)
		case name == "patch":
			w.encodedPatch(path, v)
		case name == "expression" || name == "messageExpression" || name == "valueExpression":
			w.inside(path, w.literals)
		case w.depth < maxNested && holdsDocument(v):
			w.inside(path, func(text string, at mapper) { w.nested(text, at, w.depth+1) })
		}
	}
}

// holdsDocument reports whether a string is worth reading as a document.
func holdsDocument(s string) bool {
	trimmed := strings.TrimSpace(s)
	return strings.HasPrefix(trimmed, "{") || strings.HasPrefix(trimmed, "[") ||
		strings.Contains(s, "kind") && (strings.Contains(s, "Secret") || strings.Contains(s, "Config"))
}

// mapping looks at an object. assumed is its kind where that is missing, if its request says so.
func (w *walker) mapping(path fieldpath.Path, m map[string]any, assumed string) {
	kind, _ := m["kind"].(string)
	if m["kind"] == nil {
		kind = assumed
	}
	version, _ := m["apiVersion"].(string)
	done := map[string]bool{}
	switch {
	case kind == "Secret" && (version == "v1" || version == ""):
		w.secret(path, m)
		done["data"], done["stringData"] = true, true
	case kind == "Config" && (m["users"] != nil || m["clusters"] != nil || m["contexts"] != nil):
		w.kubeconfig(path.Child("users"), m["users"])
	case kind == "TokenRequest":
		w.field(path.Child("status"), m["status"], "token", "the token of a ServiceAccount")
	case kind == "TokenReview":
		w.field(path.Child("spec"), m["spec"], "token", "a token")
	case m["op"] != nil && m["path"] != nil:
		w.operation(path, m)
	case m["name"] != nil && m["value"] != nil:
		w.variable(path, m)
	}
	asked := kindAsked(m)
	for _, name := range slices.Sorted(maps.Keys(m)) {
		if done[name] {
			continue
		}
		of := ""
		switch name {
		case "object", "oldObject", "requestObject", "responseObject": // of an AdmissionReview, and of an audit event
			of = asked
		}
		w.value(path.Child(name), name, m[name], of)
	}
}

// kindAsked is the kind that a request is about, as far as it matters here: by its kind, or by the
// resource that an AdmissionReview and an event of an audit log name.
func kindAsked(m map[string]any) string {
	asked, _ := m["kind"].(map[string]any)
	if kind, _ := asked["kind"].(string); kind != "" {
		return kind
	}
	for _, field := range []string{"resource", "objectRef"} {
		of, _ := m[field].(map[string]any)
		switch {
		case of["resource"] == "secrets":
			return "Secret"
		case of["resource"] == "tokenreviews":
			return "TokenReview"
		case of["resource"] == "serviceaccounts" && (m["subResource"] == "token" || of["subresource"] == "token"):
			return "TokenRequest"
		}
	}
	return ""
}

// secret replaces the data of a Secret.
func (w *walker) secret(path fieldpath.Path, m map[string]any) {
	what := "a value of a Secret"
	if meta, ok := m["metadata"].(map[string]any); ok {
		if name, ok := meta["name"].(string); ok {
			what = "a value of Secret " + name
		}
	}
	for _, field := range []string{"data", "stringData"} {
		data, _ := m[field].(map[string]any)
		for _, key := range slices.Sorted(maps.Keys(data)) {
			encoded, wantsJSON := field == "data", key == ".dockerconfigjson" || key == ".dockercfg"
			put := map[[2]bool]string{{false, false}: removed, {true, false}: removedBase64, {false, true}: emptyJSON, {true, true}: emptyBase64}
			w.replace(path.Child(field).Key(key), put[[2]bool{encoded, wantsJSON}], what)
		}
	}
}

// kubeconfig replaces the credentials of the users of a kubeconfig.
func (w *walker) kubeconfig(path fieldpath.Path, users any) {
	const what = "a credential of a kubeconfig"
	list, _ := users.([]any)
	for i, one := range list {
		entry, _ := one.(map[string]any)
		user, _ := entry["user"].(map[string]any)
		at := path.Index(i).Child("user")
		w.field(at, user, "token", what)
		w.field(at, user, "password", what)
		if user["client-key-data"] != nil {
			w.replace(at.Child("client-key-data"), removedBase64, what)
		}
		provider, _ := user["auth-provider"].(map[string]any)
		for _, name := range []string{"id-token", "access-token", "refresh-token", "client-secret"} {
			w.field(at.Child("auth-provider", "config"), provider["config"], name, what)
		}
	}
}

// field replaces a field of an object, if it is there.
func (w *walker) field(path fieldpath.Path, of any, name, what string) {
	if m, ok := of.(map[string]any); ok && m[name] != nil {
		w.replace(path.Child(name), removed, what)
	}
}

// operation replaces what an operation of a JSON Patch writes into the data of a
// Secret.
func (w *walker) operation(path fieldpath.Path, m map[string]any) {
	target, _ := m["path"].(string)
	steps := strings.Split(target, "/")
	if len(steps) < 2 || !w.aboutSecrets || steps[1] != "data" && steps[1] != "stringData" {
		return
	}
	const what = "a value that a patch writes into a Secret"
	put := map[bool]string{true: removedBase64, false: removed}[steps[1] == "data"]
	if values, ok := m["value"].(map[string]any); ok {
		for _, key := range slices.Sorted(maps.Keys(values)) {
			w.replace(path.Child("value").Key(key), put, what)
		}
	} else if m["value"] != nil {
		w.replace(path.Child("value"), put, what)
	}
}

// variable replaces the value of an environment variable with the name of a secret.
func (w *walker) variable(path fieldpath.Path, m map[string]any) {
	name, _ := m["name"].(string)
	value, isString := m["value"].(string)
	if isString && len(value) >= 6 && secretVariable.MatchString(name) {
		w.replace(path.Child("value"), removed, "the value of "+name)
	}
}

// encodedPatch replaces secrets in a JSON Patch in base64, the form in which webhooks
// give one.
func (w *walker) encodedPatch(path fieldpath.Path, encoded string) {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil || !utf8.Valid(raw) || w.depth >= maxNested {
		return
	}
	// A list is not a document; as the items of one it is.
	const head, foot = `{"patch":`, `}`
	inner := finder{aboutSecrets: w.aboutSecrets}
	text := head + string(raw) + foot
	if inner.nested(text, whole, w.depth+1); len(inner.hits) == 0 {
		return
	}
	fix := diag.Fix{}
	for _, found := range inner.places(diag.Request, text) {
		fix.Edits = append(fix.Edits, found.Edit)
	}
	changed, err := fix.Apply(diag.Request, text)
	if err != nil {
		return // its places do not fit: the text is stranger than we understand
	}
	changed = strings.TrimSuffix(strings.TrimPrefix(changed, head), foot)
	w.replace(path, base64.StdEncoding.EncodeToString([]byte(changed)), "a value that a patch writes into a Secret")
}

// replace puts a placeholder in the place of a scalar, within its quotes or below the
// header of its block.
func (w *walker) replace(path fieldpath.Path, put, what string) {
	scalar, ok := w.doc.Scalar(path.String())
	if !ok || isPlaceholder(scalar.Text) {
		return
	}
	if plain := !strings.ContainsRune(`"'|>`, rune(w.doc.Source()[scalar.Span.Start])); plain && w.doc.IsJSON() {
		put = noNumber
	} else if plain && put == emptyJSON {
		put = strconv.Quote(put) // a plain scalar may not begin with a brace
	}
	value := strings.TrimRight(scalar.Text, "\r\n")
	w.mapped(scalar)(0, len(value), func(start, end int) { w.add(w.at, start, end, put, what) })
}

// inside looks for more in the text of a scalar.
func (w *walker) inside(path fieldpath.Path, look func(text string, at mapper)) {
	scalar, ok := w.doc.Scalar(path.String())
	if !ok {
		return
	}
	within := w.mapped(scalar)
	look(scalar.Text, func(start, end int) (span diag.Span, ok bool) {
		within(start, end, func(s, e int) { span, ok = w.at(s, e) })
		return span, ok
	})
}

// mapped returns the range of bytes of the document's text in which a range of bytes of
// a scalar is written.
func (w *walker) mapped(scalar *scenario.ScalarMap) func(start, end int, use func(start, end int)) {
	index := position.NewIndex(scalar.Text)
	return func(start, end int, use func(start, end int)) {
		span := scalar.SpanOfRunes(index.Runes(start), index.Runes(end))
		use(span.Start, span.End)
	}
}

// sameForm is the placeholder of the same form as a value.
func sameForm(value string) string {
	if _, err := base64.StdEncoding.DecodeString(value); err == nil {
		return removedBase64
	}
	return removed
}
