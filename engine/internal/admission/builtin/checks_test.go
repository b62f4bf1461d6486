package builtin

import (
	"reflect"
	"slices"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
)

// checks are one of each name.
func checks() []catalog.Check {
	path := func(steps ...catalog.CheckStep) []catalog.CheckStep { return steps }
	items := catalog.CheckStep{Field: "items", Lists: 1}
	return []catalog.Check{
		{Path: path(catalog.CheckStep{Field: "spec"}, catalog.CheckStep{Field: "name"}), Name: catalog.Required, Update: true, Message: "Required value"},
		{Path: path(items, catalog.CheckStep{Field: "mode"}), Name: catalog.Enum, Values: []string{"A", "B"}, Message: `Unsupported value: %s: supported values: "A", "B"`},
		{Path: path(items, catalog.CheckStep{Field: "port"}), Name: catalog.Min, Bound: 1, Zero: true, Message: "Invalid value: %s: too small"},
		{Path: path(items, catalog.CheckStep{Field: "port"}), Name: catalog.Max, Bound: 9, Message: "Invalid value: %s: too large"},
		{Path: path(catalog.CheckStep{Field: "items"}), Name: catalog.Unique, Detail: "name", Message: "Duplicate value: %s"},
		{Path: path(catalog.CheckStep{Field: "tags"}), Name: catalog.Unique, Message: "Duplicate value: %s"},
		{Path: path(items, catalog.CheckStep{Field: "name"}), Name: catalog.Format, Detail: "dns1123label", Message: "Invalid value: %s: no label"},
		{Path: path(catalog.CheckStep{Field: "class"}), Name: catalog.Fixed, Update: true, Message: "Invalid value: %s: field is immutable"},
		{Path: path(catalog.CheckStep{Field: "owner"}, catalog.CheckStep{Field: "name"}), Name: catalog.Fixed, Update: true, Zero: true, Message: "Invalid value: %s: field is immutable"},
		{Path: path(catalog.CheckStep{Field: "owner"}, catalog.CheckStep{Field: "name"}), Name: catalog.Required, Update: true, Message: "Required value"},
		{Path: path(catalog.CheckStep{Field: "max"}), Name: catalog.NotLess, Detail: "min", Update: true, Zero: true, Message: "Invalid value: %s: less than `min`"},
		{Path: path(catalog.CheckStep{Field: "few"}), Name: catalog.MaxItems, Bound: 2, Message: "Too many: %s: must have at most 2 items"},
		{Path: path(catalog.CheckStep{Field: "short"}), Name: catalog.MaxLength, Bound: 3, Message: "Too long: may not be more than 3 bytes"},
		{Path: path(catalog.CheckStep{Field: "ref"}), Name: catalog.Fixed, Update: true, Message: `Invalid value: {"Kind":%{kind},"In":{"Name":%{in.name}},"More":null}: cannot change ref`},
	}
}

func TestFieldProblems(t *testing.T) {
	for name, test := range map[string]struct {
		object, old string
		want        []Problem
	}{
		"all is well":            {`{spec: {name: a}, items: [{name: a, mode: A, port: 1}, {name: b, port: 9}], tags: [a, b]}`, "", nil},
		"no spec":                {`{items: []}`, "", nil},
		"no name":                {`{spec: {}}`, "", []Problem{{"spec.name", "Required value"}}},
		"an empty name":          {`{spec: {name: ""}}`, "", []Problem{{"spec.name", "Required value"}}},
		"an unknown mode":        {`{items: [{mode: C, port: 1}]}`, "", []Problem{{"items[0].mode", `Unsupported value: "C": supported values: "A", "B"`}}},
		"no port":                {`{items: [{}]}`, "", []Problem{{"items[0].port", "Invalid value: 0: too small"}}},
		"too large a port":       {`{items: [{port: 1}, {port: 10}]}`, "", []Problem{{"items[1].port", "Invalid value: 10: too large"}}},
		"a name twice":           {`{items: [{name: a, port: 1}, {name: a, port: 2}]}`, "", []Problem{{"items[1].name", `Duplicate value: "a"`}}},
		"a tag twice":            {`{tags: [a, b, a]}`, "", []Problem{{"tags[2]", `Duplicate value: "a"`}}},
		"no label":               {`{items: [{name: A, port: 1}]}`, "", []Problem{{"items[0].name", `Invalid value: "A": no label`}}},
		"a changed class":        {`{class: b}`, `{class: a}`, []Problem{{"class", `Invalid value: "b": field is immutable`}}},
		"the same class":         {`{class: a}`, `{class: a}`, nil},
		"no class now":           {`{}`, `{class: a}`, nil},
		"no owner's name now":    {`{owner: {}}`, `{owner: {name: a}}`, []Problem{{"owner.name", `Invalid value: "": field is immutable`}, {"owner.name", "Required value"}}},
		"no owner's name before": {`{owner: {}}`, `{owner: {name: ""}}`, []Problem{{"owner.name", "Required value"}}},
		"no class before":        {`{class: a}`, `{}`, nil},
		"a changed selector": {`{class: {matchExpressions: [{key: a}], matchLabels: {b: c}}}`, `{class: {matchLabels: {b: c}}}`,
			[]Problem{{"class", `Invalid value: {"matchLabels":{"b":"c"},"matchExpressions":[{"key":"a"}]}: field is immutable`}}},
		"an empty list in it": {`{class: {matchExpressions: [], matchLabels: {b: c}}}`, `{class: {matchLabels: {b: c}}}`, nil},
		"wrong before":        {`{spec: {}}`, `{spec: {}}`, nil},
		"wrong now":           {`{spec: {}}`, `{spec: {name: a}}`, []Problem{{"spec.name", "Required value"}}},
		"item by item": {`{items: [{name: A, mode: C}, {name: a, mode: D, port: 1}]}`, "", []Problem{
			{"items[0].mode", `Unsupported value: "C": supported values: "A", "B"`}, {"items[0].port", "Invalid value: 0: too small"},
			{"items[0].name", `Invalid value: "A": no label`}, {"items[1].mode", `Unsupported value: "D": supported values: "A", "B"`},
		}},
		"not asked again":                 {`{items: [{mode: C}]}`, `{items: [{mode: A}]}`, nil},
		"less than another":               {`{min: 2, max: 1}`, "", []Problem{{"max", "Invalid value: 1: less than `min`"}}},
		"absent, less than another":       {`{min: 2}`, "", []Problem{{"max", "Invalid value: 0: less than `min`"}}},
		"as large as another":             {`{min: 2, max: 2}`, "", nil},
		"without another":                 {`{max: 1}`, "", nil},
		"another that has grown":          {`{min: 2, max: 1}`, `{min: 1, max: 1}`, []Problem{{"max", "Invalid value: 1: less than `min`"}}},
		"less before":                     {`{min: 2, max: 1}`, `{min: 2, max: 1}`, nil},
		"as many as may be":               {`{few: [a, a]}`, "", nil},
		"too many":                        {`{few: [a, b, c]}`, "", []Problem{{"few", "Too many: 3: must have at most 2 items"}}},
		"bytes and not letters":           {`{short: üü}`, "", []Problem{{"short", "Too long: may not be more than 3 bytes"}}},
		"a short text":                    {`{short: abc}`, "", nil},
		"a changed reference":             {`{ref: {kind: A, in: {name: "b\"%s"}}}`, `{ref: {kind: A, in: {name: b}}}`, []Problem{{"ref", `Invalid value: {"Kind":"A","In":{"Name":"b\"%s"},"More":null}: cannot change ref`}}},
		"a reference with more in it":     {`{ref: {kind: A, in: {name: c}, more: {}, size: 1}}`, `{ref: {kind: A, in: {name: b}}}`, nil},
		"a reference with less in it":     {`{ref: {kind: A}}`, `{ref: {kind: A, in: {name: b}}}`, nil},
		"a reference that is what it was": {`{ref: {kind: A, in: {name: b}}}`, `{ref: {kind: A, in: {name: b}}}`, nil},
		"another type there":              {`{items: 5, spec: [a], tags: {a: b}}`, "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			of := versions{now: parsed(t, test.object), old: parsed(t, test.old)}
			if got, _ := fieldProblems(catalog.NewChecks(checks()), of); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestSketch(t *testing.T) {
	checks := catalog.NewChecks([]catalog.Check{
		{Path: []catalog.CheckStep{{Field: "spec"}, {Field: "containers"}}, Name: catalog.Required, Sketch: true, Message: "Required value"},
	})
	missing := []Problem{{"spec.containers", "Required value"}}
	for name, test := range map[string]struct {
		sent, now string
		want      []Problem
		lacking   []string
	}{
		"sent without":    {`{spec: {}}`, `{spec: {}}`, nil, []string{"spec.containers"}},
		"sent with none":  {`{spec: {containers: []}}`, `{spec: {}}`, nil, []string{"spec.containers"}},
		"taken away":      {`{spec: {containers: [{name: a}]}}`, `{spec: {containers: []}}`, missing, nil},
		"with containers": {`{spec: {}}`, `{spec: {containers: [{name: a}]}}`, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, lacking := fieldProblems(checks, versions{now: parsed(t, test.now), sent: parsed(t, test.sent)})
			if !reflect.DeepEqual(got, test.want) || !slices.Equal(lacking, test.lacking) {
				t.Errorf("got %v and %v, want %v and %v", got, lacking, test.want, test.lacking)
			}
		})
	}
}

// parsed is an object as it is decoded; nil for an empty text.
func parsed(t *testing.T, text string) map[string]any {
	t.Helper()
	if text == "" {
		return nil
	}
	var out map[string]any
	if err := yaml.Unmarshal([]byte(text), &out); err != nil {
		t.Fatal(err)
	}
	return whole(out).(map[string]any)
}

// whole makes whole numbers int64, as in decoded objects.
func whole(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for name, value := range v {
			v[name] = whole(value)
		}
	case []any:
		for i, value := range v {
			v[i] = whole(value)
		}
	case float64:
		return int64(v)
	}
	return v
}

// TestFormats: the checks name no format that is not here.
func TestFormats(t *testing.T) {
	for name, check := range formats {
		if len(check("Not_A-value!")) == 0 {
			t.Errorf("%s allows anything", name)
		}
	}
}
