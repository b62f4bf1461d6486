package scenario

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// settings is the form of scenario.yaml and, as compact JSON, of the settings in a link. Field
// order is the order in the JSON text.
type settings struct {
	Title             string            `json:"title,omitempty"`
	Description       string            `json:"description,omitempty"`
	Tags              []string          `json:"tags,omitempty"`
	Policies          []string          `json:"policies,omitempty"`
	Kubernetes        string            `json:"kubernetes,omitempty"`
	ExpressionContext string            `json:"expressionContext,omitempty"`
	Now               string            `json:"now,omitempty"`
	BeforeValidation  *BeforeValidation `json:"beforeValidation,omitempty"`
	Options           *Options          `json:"options,omitempty"`
}

// settings collects everything except the texts.
func (s Scenario) settings() settings {
	out := settings{
		Title: s.Title, Description: s.Description, Tags: s.Tags, Kubernetes: s.Kubernetes,
		ExpressionContext: s.ExpressionContext, Now: s.Now,
	}
	if b := s.BeforeValidation; len(b.Set) > 0 || len(b.Remove) > 0 {
		out.BeforeValidation = &b
	}
	if o := s.Options; o.Defaulting != nil || o.Authorizer != "" || o.Plugins != nil || len(o.RuntimeConfig) > 0 || o.FieldValidation != "" || o.CompleteCluster || o.AdmissionOnly ||
		o.Request != nil || len(o.PolicyFiles) > 0 {
		out.Options = &o
	}
	return out
}

// settingsText writes the settings as scenario.yaml; "" if all are defaults.
func (s Scenario) settingsText() ([]byte, error) {
	files := s.Options.PolicyFiles
	s.Options.PolicyFiles = nil // in a file they are a field of their own
	out := s.settings()
	out.Policies = files
	compact, err := out.json()
	if err != nil || len(compact) == 0 {
		return nil, err
	}
	return yamlOfJSON(compact)
}

// settingsJSON writes the settings as one line of JSON; "" if all are defaults.
func (s Scenario) settingsJSON() ([]byte, error) { return s.settings().json() }

func (s settings) json() ([]byte, error) {
	var b strings.Builder
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false) // as the browser's JSON.stringify
	if err := encoder.Encode(s); err != nil {
		return nil, fmt.Errorf("settings: %w", err)
	}
	text := strings.TrimSuffix(b.String(), "\n")
	if text == "{}" {
		return nil, nil
	}
	return []byte(text), nil
}

// readSettings reads scenario.yaml into s. Invalid fields keep their defaults.
func (s *Scenario) readSettings(text string) []diag.Diagnostic {
	docs, diags := ParseDocuments(diag.Settings, text)
	if len(docs) == 0 {
		return diags
	}
	if len(docs) > 1 {
		diags = append(diags, diag.Diagnostic{
			Code: codes.SeveralDocuments, Severity: diag.Error, Text: diag.Settings, Span: docs[1].Span,
			Summary: "scenario.yaml must be one document; only the first is read",
		})
	}
	f := NewFields(docs[0], &diags)
	s.Title = f.String("title")
	s.Description = f.String("description")
	s.Tags = f.Strings("tags")
	s.Kubernetes = readVersion(docs[0], f)
	s.ExpressionContext = f.OneOf("expressionContext", ContextNames()...)
	s.Now = f.String("now")
	if _, err := time.Parse(time.RFC3339, s.Now); s.Now != "" && err != nil {
		f.Report(diag.Error, codes.BadTime, "now", fmt.Sprintf("%q is not a time such as 2026-01-31T12:00:00Z", s.Now), "Times are written as in RFC 3339.")
		s.Now = ""
	}
	s.BeforeValidation = readBefore(f.Sub("beforeValidation"))
	files := f.paths(PolicyFilesField)
	s.Options = readOptions(f.Sub("options"))
	s.Options.PolicyFiles = append(files, s.Options.PolicyFiles...)
	f.Done()
	moveRelease(docs[0], diags)
	diags = Capped(diags)
	diag.Locate(diags, map[diag.Text]string{diag.Settings: text})
	return diags
}

// moveRelease repairs a release that is given under another name or among the options.
func moveRelease(d *Document, diags []diag.Diagnostic) {
	for i := range diags {
		p := &diags[i]
		name := strings.ToLower(strings.TrimPrefix(p.Path, "options."))
		release, ok := d.Scalar(p.Path)
		if p.Code != codes.UnknownField || !ok || d.Has("kubernetes") || name != "kubernetes" && name != "kubernetesversion" && name != "version" {
			continue
		}
		if _, err := ParseVersion(release.Text); err != nil {
			continue
		}
		p.Detail = "The release is the field kubernetes of scenario.yaml, not an option."
		if remove, ok := d.Remove(p.Path); ok {
			p.Fixes = []diag.Fix{{Title: fmt.Sprintf("Write kubernetes: %q", release.Text), Edits: []diag.Edit{
				{Text: diag.Settings, Span: diag.Span{Start: d.Span.Start, End: d.Span.Start}, New: fmt.Sprintf("kubernetes: %q\n", release.Text)}, remove}}}
		}
	}
}

// readVersion uses the version's source text, because YAML reads 1.30 without quotes as the number
// 1.3.
func readVersion(d *Document, f *Fields) string {
	text := ""
	switch v := f.Any("kubernetes").(type) {
	case nil:
		return ""
	case string:
		text = v
	case int64, float64:
		if m, ok := d.Scalar("kubernetes"); ok {
			text = m.Text
		}
	default:
		f.wrong(f.Path("kubernetes"), "a version", v)
		return ""
	}
	version, err := ParseVersion(text)
	if err != nil {
		f.Report(diag.Error, codes.UnknownVersion, "kubernetes", err.Error(), fmt.Sprintf("Kubernetes %s is used instead.", DefaultVersion))
	}
	return version
}

func readBefore(f *Fields) BeforeValidation {
	b := BeforeValidation{Set: f.Map("set"), Remove: f.Strings("remove")}
	for _, pointer := range slices.Sorted(maps.Keys(b.Set)) {
		f.checkPointer(f.path().Child("set").Key(pointer), pointer)
	}
	for i, pointer := range b.Remove {
		f.checkPointer(f.path().Child("remove").Index(i), pointer)
	}
	f.Done()
	return b
}

func (f *Fields) checkPointer(path fieldpath.Path, pointer string) {
	if !strings.HasPrefix(pointer, "/") {
		f.ReportAt(diag.Error, codes.BadPointer, path.String(), fmt.Sprintf("%q is not a JSON pointer such as /metadata/uid", pointer), "Pointers are written as in RFC 6901.")
	}
}

func readOptions(f *Fields) Options {
	o := Options{
		Defaulting: f.Bool("defaulting"),
		Authorizer: f.OneOf("authorizer", "rbac", "allow", "deny"),
		Plugins:    f.readPlugins("plugins"),

		RuntimeConfig:   f.readRuntimeConfig("runtimeConfig"),
		FieldValidation: f.OneOf("fieldValidation", "Strict", "Warn", "Ignore"),
		PolicyFiles:     f.paths("policyFiles"),
		CompleteCluster: f.Truth("completeCluster"),
		AdmissionOnly:   f.Truth("admissionOnly"),
	}
	if f.Has("request") {
		o.Request = readRequestSettings(f.Sub("request"))
	}
	f.Done()
	return o
}

// readRequestSettings returns nil if nothing is set.
func readRequestSettings(f *Fields) *RequestSettings {
	r := RequestSettings{
		Operation: f.OneOf("operation", Operations...), User: f.String("user"), Groups: f.Strings("groups"),
		Namespace: f.String("namespace"), SubResource: f.String("subResource"), OldObject: f.String("oldObject"),
		DryRun: f.Truth("dryRun"),
	}
	if f.Has("apply") {
		r.Apply = readApply(f.Sub("apply"))
		if r.Operation != "" {
			f.Report(diag.Warning, codes.UnknownValue, "operation", "an apply has no operation of its own: it is ignored", "It is an UPDATE of the old object, or a CREATE without one.")
		}
	}
	f.Done()
	return r.OrNil()
}

func readApply(f *Fields) *ApplySettings {
	a := &ApplySettings{FieldManager: f.String("fieldManager"), Force: f.Truth("force")}
	f.Done()
	return a
}

// OrNil returns nil if nothing is set, so that such settings are omitted.
func (r RequestSettings) OrNil() *RequestSettings {
	if r.Operation == "" && r.User == "" && len(r.Groups) == 0 && r.Namespace == "" && r.SubResource == "" && !r.DryRun && r.OldObject == "" && r.Apply == nil {
		return nil
	}
	return &r
}

// PolicyFilesField is the field of scenario.yaml that names policy files.
const PolicyFilesField = "policies"

// paths reads a path, or a list of paths. A value of the wrong type becomes an empty path, because
// the file that it should have named is missing too.
func (f *Fields) paths(name string) []string {
	given := f.get(name)
	list, several := given.([]any)
	switch {
	case given == nil:
		return nil
	case !several:
		list = []any{given}
	}
	var out []string
	for i, item := range list {
		path, ok := item.(string)
		if !ok {
			at := f.path().Child(name)
			if several {
				at = at.Index(i)
			}
			f.wrong(at.String(), "a path, or a list of paths", item)
		}
		out = append(out, path)
	}
	return out
}

// readRuntimeConfig drops "=true", which changes nothing.
func (f *Fields) readRuntimeConfig(name string) []string {
	var words []string
	for _, api := range RuntimeConfigs {
		words = append(words, api, api+"=true")
	}
	var out []string
	for _, value := range f.someOf(name, words...) {
		out = append(out, strings.TrimSuffix(value, "=true"))
	}
	return out
}
