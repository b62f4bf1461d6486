package scenario

import (
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
)

func TestParseVersion(t *testing.T) {
	for in, want := range map[string]string{
		"1.30": "1.30", "1.37": "1.37", "v1.36": "1.36", "1.36.3": "1.36", "v1.36.3-gke.100": "1.36", " 1.31 ": "1.31",
		"1.29": "", "1.38": "", "2.30": "", "1": "", "": "", "x": "", "1.3": "", "1.-30": "", "1.30foo": "",
	} {
		got, err := ParseVersion(in)
		if got != want || (err == nil) != (want != "") {
			t.Errorf("ParseVersion(%q) = %q, %v; want %q", in, got, err, want)
		}
	}
}

// full returns a scenario with every setting.
func full() Scenario {
	off := false
	return Scenario{
		Title: "A title: with a colon", Description: "Two\nlines", Tags: []string{"yes", "b"},
		Kubernetes: "1.30", Now: "2026-01-01T00:00:00Z", ExpressionContext: "message",
		Policies: "a: 1\n", Request: "b: 2\n", Cluster: "c: 3\n", Expression: "1 < 2 && true\n",
		BeforeValidation: BeforeValidation{
			Set:    map[string]any{"/metadata/uid": "x", "/metadata/generation": int64(1), "/spec": map[string]any{"a": []any{true, 1.5, nil}}},
			Remove: []string{"/status"},
		},
		Options: Options{Defaulting: &off, Authorizer: "deny", Plugins: Exactly("Priority")},
	}
}

func TestRoundTrip(t *testing.T) {
	for name, want := range map[string]Scenario{
		"empty": {}, "full": full(), "one text": {Policies: "x: |+\n  a\n\n"},
		"an update by jane":  {Options: Options{Request: &RequestSettings{Operation: "UPDATE", User: "jane", Groups: []string{"dev"}, Namespace: "shop", SubResource: "status", DryRun: true, OldObject: "a: 1 # before\n"}}},
		"policies elsewhere": {Options: Options{PolicyFiles: []string{"../../policies", "more.yaml"}}},
		"no plugins":         {Options: Options{Plugins: Exactly()}}, "default plugins": {Options: Options{Plugins: &Plugins{}}},
		"other plugins": {Options: Options{Plugins: &Plugins{Enable: []string{"NodeRestriction"}, Disable: []string{"ServiceAccount", "PodSecurity"}}}},
	} {
		files, err := want.Files()
		if err != nil {
			t.Fatal(err)
		}
		got, diags := fromNamed(files)
		if !reflect.DeepEqual(got, want) || len(diags) > 0 {
			t.Errorf("%s: files: got %+v\nwant %+v\n%+v", name, got, want, diags)
		}
		archive, err := want.Txtar()
		if err != nil {
			t.Fatal(err)
		}
		got, diags = FromTxtar(archive)
		if !reflect.DeepEqual(got, want) || len(diags) > 0 {
			t.Errorf("%s: txtar: got %+v\nwant %+v\n%+v\n%s", name, got, want, diags, archive)
		}
	}
}

// TestJSON checks the JSON that the browser sends and receives.
func TestJSON(t *testing.T) {
	for _, want := range []Scenario{{}, full()} {
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got Scenario
		if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s became %+v, %v", data, got, err)
		}
	}
	if data, err := json.Marshal(Scenario{Kubernetes: "1.30", Policies: "a"}); string(data) != `{"kubernetes":"1.30","policies":"a"}` {
		t.Errorf("%s, %v", data, err)
	}
	if err := json.Unmarshal([]byte(`{"beforeValidation": {"set": [1]}}`), new(Scenario)); err == nil {
		t.Error("a list was taken for a mapping")
	}
}

func TestTxtar(t *testing.T) {
	s, diags := FromTxtar([]byte("What it shows.\n\n-- policies.yaml --\na: 1\n-- policy.yaml --\nb: 2\n-- policies.yaml --\nc: 3\n-- expected.yaml --\n"))
	want := Scenario{Description: "What it shows.", Policies: "a: 1\n"}
	if !reflect.DeepEqual(s, want) {
		t.Errorf("got %+v", s)
	}
	if got := codesOf(diags); got != "file-twice unread-file" {
		t.Errorf("diagnostics: %s", got)
	}
	if _, diags := FromTxtar([]byte("a: 1\n")); codesOf(diags) != "no-files" {
		t.Errorf("no files: %+v", diags)
	}
	if _, err := (Scenario{Policies: "a: 1\n-- b --\n"}).Txtar(); err == nil {
		t.Error("a text with a file marker was written")
	}
}

func codesOf(diags []diag.Diagnostic) string {
	var list []string
	for _, d := range diags {
		list = append(list, d.Code)
	}
	return strings.Join(list, " ")
}

func TestSettings(t *testing.T) {
	yes := true
	tests := []struct {
		name, src string
		want      Scenario
		diags     []string // code, text of the place, summary
	}{
		{"JSON", `{"kubernetes": "1.36", "beforeValidation": {"set": {}, "remove": []}}`, Scenario{Kubernetes: "1.36", BeforeValidation: BeforeValidation{Set: map[string]any{}}}, nil},
		{"version as a number", "kubernetes: 1.30\n", Scenario{Kubernetes: "1.30"}, nil},
		{"version with a patch number", "kubernetes: v1.36.3\n", Scenario{Kubernetes: "1.36"}, nil},
		{"unknown version", "kubernetes: '1.50'\n", Scenario{}, []string{`unknown-version|'1.50'|Kubernetes 1.50 is not known; known are 1.30 to 1.37`}},
		{"version of another Kubernetes", "kubernetes: 2.36\n", Scenario{}, []string{`unknown-version|2.36|Kubernetes 2.36 is not known; known are 1.30 to 1.37`}},
		{"no version at all", "kubernetes: abc\n", Scenario{}, []string{`unknown-version|abc|"abc" is not a Kubernetes version such as "1.37"; known are 1.30 to 1.37`}},
		{"version of a wrong type", "kubernetes: [1]\n", Scenario{}, []string{`wrong-type|[1]|kubernetes must be a version, not a list`}},
		{"options", "options: {defaulting: yes, authorizer: rbac}\n", Scenario{Options: Options{Defaulting: &yes, Authorizer: "rbac"}}, nil},
		{"slip", "tittle: x\noptions:\n  authoriser: allow\n", Scenario{}, []string{
			`unknown-field|authoriser|unknown field "options.authoriser"`, `unknown-field|tittle|unknown field "tittle"`}},
		{"wrong types", "title: 1\ntags: [a, 2]\noptions: []\n", Scenario{Tags: []string{"a"}}, []string{
			"wrong-type|1|title must be a string, not the number 1", "wrong-type|2|tags[1] must be a string, not the number 2",
			"wrong-type|[]|options must be an object, not a list"}},
		{"unknown word", "expressionContext: messages\n", Scenario{}, []string{`unknown-value|messages|"messages" is not "webhook", "condition", "validation", "message", "mutation", "rule", "device", "claims", "user" or "authorization"`}},
		{"time", "now: 2026-01-01\n", Scenario{}, []string{`bad-time|2026-01-01|"2026-01-01" is not a time such as 2026-01-31T12:00:00Z`}},
		{"pointers", "beforeValidation: {set: {metadata: 1}, remove: [/a, b]}\n",
			Scenario{BeforeValidation: BeforeValidation{Set: map[string]any{"metadata": int64(1)}, Remove: []string{"/a", "b"}}},
			[]string{`bad-pointer|1|"metadata" is not a JSON pointer such as /metadata/uid`, `bad-pointer|b|"b" is not a JSON pointer such as /metadata/uid`}},
		{"two documents", "title: a\n---\ntitle: b\n", Scenario{Title: "a"}, []string{"several-documents|title: b|scenario.yaml must be one document; only the first is read"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, diags := fromNamed(map[string][]byte{SettingsFile: []byte(tt.src)})
			if !reflect.DeepEqual(got, tt.want) {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			var list []string
			for _, d := range diags {
				if d.Line == 0 {
					t.Errorf("no line: %+v", d)
				}
				list = append(list, d.Code+"|"+cut(tt.src, d.Span)+"|"+d.Summary)
			}
			if !reflect.DeepEqual(list, tt.diags) {
				t.Errorf("diagnostics\ngot  %q\nwant %q", list, tt.diags)
			}
		})
	}
}

// TestQuoteFix applies the fix for words that YAML reads as a boolean or number.
func TestQuoteFix(t *testing.T) {
	src := "title: 'x'\ntags: [on, 1.30]\n"
	_, diags := fromNamed(map[string][]byte{SettingsFile: []byte(src)})
	if codesOf(diags) != "wrong-type wrong-type" {
		t.Fatalf("%+v", diags)
	}
	for i := len(diags) - 1; i >= 0; i-- {
		edit := diags[i].Fixes[0].Edits[0]
		src = src[:edit.Span.Start] + edit.New + src[edit.Span.End:]
	}
	if want := "title: 'x'\ntags: [\"on\", \"1.30\"]\n"; src != want {
		t.Errorf("got %q, want %q", src, want)
	}
	if want := "YAML reads 1.30 without quotes as the number 1.3."; diags[1].Detail != want {
		t.Errorf("detail %q, want %q", diags[1].Detail, want)
	}
}

// TestRuntimeConfig: API versions are read with and without "=true" and written without it. Others
// are reported.
func TestRuntimeConfig(t *testing.T) {
	s, problems := FromTxtar([]byte("-- scenario.yaml --\noptions: {runtimeConfig: [api/beta=true, apps/v1]}\n-- request.yaml --\na: b\n"))
	if len(problems) != 1 || problems[0].Path != "options.runtimeConfig[1]" {
		t.Errorf("problems: %v", problems)
	}
	text, err := s.Txtar()
	if err != nil {
		t.Fatal(err)
	}
	again, problems := FromTxtar(text)
	if want := []string{"api/beta"}; !slices.Equal(again.Options.RuntimeConfig, want) || len(problems) > 0 {
		t.Errorf("got %q, want %q: %v", again.Options.RuntimeConfig, want, problems)
	}
}

// TestMovedRelease: a release among the options, or under another name, is repaired.
func TestMovedRelease(t *testing.T) {
	for text, want := range map[string]string{
		"options:\n  kubernetesVersion: \"1.31\"\n":                         "1.31",
		"options:\n  kubernetes: 1.30\n  completeCluster: true\ntitle: a\n": "1.30",
		"title: a\nkubernetesVersion: v1.33\n":                              "1.33",
		"options: {version: '1.32'}\n":                                      "1.32",
		"options: {version: abc}\n":                                         "",
		"kubernetes: '1.35'\noptions: {version: '1.32'}\n":                  "",
	} {
		var s Scenario
		for _, d := range s.readSettings(text) {
			if len(d.Fixes) == 0 {
				continue
			}
			after, err := d.Fixes[0].Apply(diag.Settings, text)
			if err != nil {
				t.Fatal(err)
			}
			var moved Scenario
			if diags := moved.readSettings(after); len(diags) > 0 || moved.Kubernetes != want {
				t.Errorf("%q becomes %q: %q, %+v", text, after, moved.Kubernetes, diags)
			}
			want = ""
		}
		if want != "" {
			t.Errorf("%q has no repair", text)
		}
	}
}
