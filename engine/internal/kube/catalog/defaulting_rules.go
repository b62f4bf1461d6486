package catalog

import (
	_ "embed" // the rules
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// Defaulting and conversion rules are data; this file reads and applies them. The head of
// data/defaults.txt describes their format.

//go:embed data/defaults.txt
var defaultsText string

//go:embed data/conversion.txt
var conversionText string

// rule is one line: a field to set or a function to call.
type rule struct {
	path  []string
	value any      // JSON
	copy  []string // field to copy instead, if not nil
	force bool
	when  []condition
	call  valueFunction
}

// condition is a test on the rule's value.
type condition struct {
	path []string
	test string // "set", "unset", "=", "!=", "latest"
	want any
}

// ruleSet holds one version's rules by type name.
type ruleSet struct {
	rules map[string][]rule
	// none are the kinds without any rule.
	none map[string]bool
	// declared says that the Go types' defaults apply too.
	declared bool
	// needed remembers which types have a rule in them or below.
	mu     sync.Mutex
	needed map[*Type]bool
	// plans has each *Type's *plan.
	plans sync.Map
}

// plan is what the rules do to a type's values.
type plan struct {
	reaches bool // a rule applies to the type or something in it
	// own are the rules for the type and its embedded structs.
	own []rule
	// fields are those with a default, or with a rule below them.
	fields []plannedField
	elem   *Type // item type of a list or map, if a rule applies to its items
}

// plannedField is a field in a plan.
type plannedField struct {
	*Field
	defaults, reaches bool
}

func (s *ruleSet) plan(t *Type) *plan {
	if known, ok := s.plans.Load(t); ok {
		return known.(*plan)
	}
	p := &plan{reaches: s.reaches(t)}
	if p.reaches {
		p.own = s.rulesOf(t)
	}
	if t.Kind == Struct {
		for _, f := range t.Fields() {
			if planned := (plannedField{f, s.declared && f.HasDefault, s.reaches(f.Type)}); planned.defaults || planned.reaches {
				p.fields = append(p.fields, planned)
			}
		}
	} else if t.Elem != nil && s.reaches(t.Elem) {
		p.elem = t.Elem
	}
	known, _ := s.plans.LoadOrStore(t, p)
	return known.(*plan)
}

// rulesOf returns the rules for a type and its embedded structs.
func (s *ruleSet) rulesOf(t *Type) []rule {
	out := slices.Clone(s.rules[t.ID])
	if t.Kind != Struct {
		return out
	}
	previous := t.ID
	for _, f := range t.Fields() {
		if f.DeclaredIn != t.ID && f.DeclaredIn != previous {
			out = append(out, s.rules[f.DeclaredIn]...)
		}
		previous = f.DeclaredIn
	}
	return out
}

// parseRules reads one version's rules.
func parseRules(text string, v version.Version, declared bool) (*ruleSet, error) {
	set := &ruleSet{rules: map[string][]rule{}, none: map[string]bool{}, declared: declared, needed: map[*Type]bool{}}
	id := ""
	for line := range strings.Lines(text) {
		trimmed := strings.TrimSpace(line)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		if line[0] != '\t' {
			id = trimmed
			continue
		}
		body, in, err := cutRange(trimmed, v)
		if err != nil {
			return nil, err
		}
		if !in {
			continue
		}
		if body == "none" {
			set.none[id] = true
			continue
		}
		r, err := parseRule(body)
		if err != nil {
			return nil, fmt.Errorf("rule %q of %s: %w", body, id, err)
		}
		set.rules[id] = append(set.rules[id], r)
	}
	return set, nil
}

func parseRule(text string) (rule, error) {
	var r rule
	if name, ok := strings.CutPrefix(text, "call "); ok {
		if r.call = valueFunctions[name]; r.call == nil {
			return r, fmt.Errorf("no function %s", name)
		}
		return r, nil
	}
	text, r.force = strings.CutPrefix(text, "force ")
	text, conditions, _ := strings.Cut(text, " if ")
	for _, part := range strings.Split(conditions, " and ") {
		if part == "" {
			continue
		}
		c, err := parseCondition(part)
		if err != nil {
			return r, err
		}
		r.when = append(r.when, c)
	}
	path, value, _ := strings.Cut(text, " ")
	r.path = strings.Split(path, ".")
	if source, ok := strings.CutPrefix(value, "copy("); ok {
		r.copy = strings.Split(strings.TrimSuffix(source, ")"), ".")
		return r, nil
	}
	var err error
	r.value, err = parseJSON(value)
	return r, err
}

func parseCondition(text string) (condition, error) {
	split := func(s string) []string { return strings.Split(s, ".") }
	if path, ok := strings.CutPrefix(text, "latest("); ok {
		return condition{path: split(strings.TrimSuffix(path, ")")), test: "latest"}, nil
	}
	if path, ok := strings.CutPrefix(text, "!"); ok {
		return condition{path: split(path), test: "unset"}, nil
	}
	path, value, compares := strings.Cut(text, "=")
	if !compares {
		return condition{path: split(text), test: "set"}, nil
	}
	test := "="
	if strings.HasSuffix(path, "!") {
		path, test = strings.TrimSuffix(path, "!"), "!="
	}
	want, err := parseJSON(value)
	return condition{path: split(path), test: test, want: want}, err
}

// parseJSON reads a value in unstructured form: integers are int64.
func parseJSON(text string) (any, error) {
	v, err := decodeRaw(nil, []byte(text))
	if err != nil {
		return nil, fmt.Errorf("value %s: %w", text, err)
	}
	return v, nil
}

// ruleSets caches the rules per version.
type ruleSets struct {
	once                  sync.Once
	defaults, conversions *ruleSet
}

// ruleData returns the version's rules. The data is embedded, and tests parse it for all versions.
func (b *builtin) ruleData() (defaults, conversions *ruleSet) {
	b.ruleSets.once.Do(func() {
		var err error
		if b.ruleSets.defaults, err = parseRules(defaultsText, b.version, true); err != nil {
			panic("catalog: defaults.txt: " + err.Error())
		}
		if b.ruleSets.conversions, err = parseRules(conversionText, b.version, false); err != nil {
			panic("catalog: conversion.txt: " + err.Error())
		}
	})
	return b.ruleSets.defaults, b.ruleSets.conversions
}

// defaultBuiltin sets a built-in kind's defaults in obj.
func (c *Catalog) defaultBuiltin(gvk schema.GroupVersionKind, obj map[string]any) map[string]any {
	defaults, _ := c.ruleData()
	return c.applyRules(defaults, gvk, Normal{Object: obj})
}

// Roundtrip converts an object of a built-in kind to the internal version and back, as the server
// does: a Secret's stringData moves into data, serviceAccount mirrors serviceAccountName, and so
// on. The server converts when it decodes a request and after the mutating phase, but not between
// two mutations of one policy.
func (c *Catalog) Roundtrip(gvk schema.GroupVersionKind, obj map[string]any) map[string]any {
	if internal := hpaKind("v2"); gvk.GroupKind() == internal.GroupKind() && gvk != internal {
		if out, err := c.throughVersion(obj, gvk, internal); err == nil {
			return out
		}
	}
	return c.throughInternal(gvk, runtime.DeepCopyJSON(obj))
}

// throughInternal applies the conversion rules to an unshared object.
func (c *Catalog) throughInternal(gvk schema.GroupVersionKind, own map[string]any) map[string]any {
	_, conversions := c.ruleData()
	return c.applyRules(conversions, gvk, Normal{Object: own})
}

// roundtripOwn is Roundtrip for an unshared object.
func (c *Catalog) roundtripOwn(gvk schema.GroupVersionKind, obj map[string]any) map[string]any {
	if gvk.GroupKind() == hpaKind("v2").GroupKind() {
		return c.Roundtrip(gvk, obj)
	}
	return c.throughInternal(gvk, obj)
}

// Complete is Default followed by Roundtrip, for a built-in object, in place.
func (c *Catalog) Complete(gvk schema.GroupVersionKind, own Normal) map[string]any {
	defaults, conversions := c.ruleData()
	own.Object = c.applyRules(defaults, gvk, own)
	if gvk.GroupKind() == hpaKind("v2").GroupKind() {
		return c.Roundtrip(gvk, own.Object)
	}
	return c.applyRules(conversions, gvk, own)
}

// throughVersion converts an object to another version and back.
func (c *Catalog) throughVersion(obj map[string]any, gvk, other schema.GroupVersionKind) (map[string]any, error) {
	converted, err := c.Convert(obj, gvk, other)
	if err != nil {
		return nil, err
	}
	return c.Convert(converted, other, gvk)
}

func (c *Catalog) applyRules(set *ruleSet, gvk schema.GroupVersionKind, own Normal) map[string]any {
	if !c.builtinKind(gvk) {
		return own.Object
	}
	t, _ := c.TypeOf(gvk)
	if set.none[t.ID] || !set.reaches(t) {
		return own.Object
	}
	set.apply(t, own.Object, own.given)
	return own.given.settle(t, false, own.Object).(map[string]any)
}

// reaches reports whether a rule applies to a type or something in it.
func (s *ruleSet) reaches(t *Type) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reachesLocked(t)
}

func (s *ruleSet) reachesLocked(t *Type) bool {
	if known, ok := s.needed[t]; ok {
		return known
	}
	s.needed[t] = false // ends recursion; only CRD schemas recur, and they have no rules
	found := len(s.rules[t.ID]) > 0
	switch t.Kind {
	case Struct:
		for _, f := range t.Fields() {
			if s.declared && f.HasDefault || len(s.rules[f.DeclaredIn]) > 0 || s.reachesLocked(f.Type) {
				found = true
			}
		}
	case Map, List:
		found = s.reachesLocked(t.Elem) || found
	}
	s.needed[t] = found
	return found
}

// apply applies the rules to a value and everything in it. It changes values in place, except given
// lists.
func (s *ruleSet) apply(t *Type, v any, given givenLists) {
	if v == nil {
		return
	}
	p := s.plan(t)
	if !p.reaches {
		return
	}
	switch v := v.(type) {
	case map[string]any:
		for i := range p.own {
			p.own[i].apply(t, v)
		}
		if p.elem != nil {
			for _, item := range v {
				s.apply(p.elem, item, given)
			}
		}
		for i := range p.fields {
			s.applyField(&p.fields[i], v, given)
		}
	case []any:
		if p.elem == nil || given.has(v) {
			return
		}
		for i := range v {
			if v[i] == nil && t.Elem.Kind == Struct && !t.ElemPointer {
				v[i] = map[string]any{}
			}
			s.apply(t.Elem, v[i], given)
		}
	}
}

// applyField is apply for a struct field.
func (s *ruleSet) applyField(f *plannedField, v map[string]any, given givenLists) {
	if f.defaults && isUnset(f.Field, v[f.Name]) {
		v[f.Name] = runtime.DeepCopyJSONValue(inUnstructuredForm(f.Default))
	}
	if !f.reaches {
		return
	}
	if f.Type.Kind == Struct && !f.Pointer && v[f.Name] == nil {
		v[f.Name] = map[string]any{}
	}
	s.apply(f.Type, v[f.Name], given)
}

func (r *rule) apply(t *Type, v map[string]any) {
	if r.call != nil {
		r.call(v)
		return
	}
	for _, c := range r.when {
		if !c.holds(t, v) {
			return
		}
	}
	parent, f := reach(t, v, r.path, true)
	if parent == nil || !r.force && !isUnset(f, parent[f.Name]) {
		return
	}
	value := r.value
	if r.copy != nil {
		source, from := reach(t, v, r.copy, false)
		if source == nil || isUnset(from, source[from.Name]) {
			return
		}
		value = source[from.Name]
	}
	parent[f.Name] = runtime.DeepCopyJSONValue(value)
}

func (c *condition) holds(t *Type, v map[string]any) bool {
	parent, f := reach(t, v, c.path, false)
	var value any
	unset := true
	if parent != nil {
		value, unset = parent[f.Name], isUnset(f, parent[f.Name])
	}
	switch c.test {
	case "set":
		return !unset
	case "unset":
		return unset
	case "=":
		return reflect.DeepEqual(value, c.want)
	case "!=":
		return !reflect.DeepEqual(value, c.want)
	}
	image, _ := value.(string)
	return latestTag(image)
}

// reach walks to the struct that holds a path's last field. If make is set, it creates missing
// structs that are not pointers. Otherwise a missing struct ends the walk with nil.
func reach(t *Type, v map[string]any, path []string, create bool) (map[string]any, *Field) {
	for i, name := range path {
		f := t.Field(name)
		if f == nil {
			return nil, nil // the field does not exist in this version
		}
		if i == len(path)-1 {
			return v, f
		}
		next, ok := v[name].(map[string]any)
		if !ok {
			if f.Pointer || !create {
				return nil, nil
			}
			next = map[string]any{}
			v[name] = next
		}
		t, v = f.Type, next
	}
	return nil, nil
}

// isUnset reports whether a field has its zero value. Empty lists and maps are unset. A pointer is
// unset if null or missing.
func isUnset(f *Field, v any) bool {
	if v == nil || f.Pointer {
		return v == nil
	}
	switch v := v.(type) {
	case map[string]any:
		return f.Type.Kind == Map && len(v) == 0
	case []any:
		return len(v) == 0
	}
	return v == zeroScalar(f.Type)
}

// inUnstructuredForm converts decoded JSON with float numbers to unstructured form.
func inUnstructuredForm(v any) any {
	data, err := json.Marshal(v)
	if err != nil {
		return v
	}
	out, err := decodeRaw(nil, data)
	if err != nil {
		return v
	}
	return out
}
