package site

import (
	"fmt"
	"html/template"
	"os"
	"strings"
	"testing"
)

// hugoStrings, hugoTransform and hugoPage imitate the parts of Hugo that the shortcode uses.
// scripts/try-kits builds a site with the real one.
type hugoStrings struct{}

func (hugoStrings) TrimSuffix(suffix, s string) string { return strings.TrimSuffix(s, suffix) }
func (hugoStrings) Trim(s, cut string) string          { return strings.Trim(s, cut) }

type hugoTransform struct{}

func (hugoTransform) Highlight(code, language string) template.HTML {
	return template.HTML("<pre><code class=" + language + ">" + template.HTMLEscapeString(code) + "</code></pre>")
}

type hugoScratch map[string]any

func (s hugoScratch) Get(key string) any           { return s[key] }
func (s hugoScratch) Set(key string, v any) string { s[key] = v; return "" }

type hugoPage struct{ Scratch hugoScratch }

type hugoCall struct {
	Parameters      map[string]string
	Inner, Position string
	Page            hugoPage
}

func (c hugoCall) Get(name string) any {
	if v, ok := c.Parameters[name]; ok {
		return v
	}
	return nil
}

func hugoFunctions(failed *[]string) template.FuncMap {
	text := func(v any) string { return fmt.Sprint(v) }
	return template.FuncMap{
		"strings":   func() hugoStrings { return hugoStrings{} },
		"transform": func() hugoTransform { return hugoTransform{} },
		"site": func() map[string]any {
			return map[string]any{"Params": map[string]any{"preadmit": map[string]any{"site": "https://preadmit.example"}}}
		},
		"default": func(d, v any) any {
			if v == nil || v == "" {
				return d
			}
			return v
		},
		"errorf": func(format string, args ...any) string {
			*failed = append(*failed, fmt.Sprintf(format, args...))
			return ""
		},
		"int":   func(v any) (n int, err error) { _, err = fmt.Sscan(text(v), &n); return n, err },
		"slice": func(v ...any) []any { return v },
		"dict": func(kv ...string) map[string]string {
			m := map[string]string{}
			for i := 0; i < len(kv); i += 2 {
				m[kv[i]] = kv[i+1]
			}
			return m
		},
		"cond": func(b bool, yes, no any) any {
			if b {
				return yes
			}
			return no
		},
		"htmlEscape": func(v any) string { return template.HTMLEscapeString(text(v)) },
		"safeHTML":   func(v any) template.HTML { return template.HTML(text(v)) },
		"safeCSS":    func(v any) template.CSS { return template.CSS(text(v)) },
		"safeURL":    func(v any) template.URL { return template.URL(text(v)) },
	}
}

// TestHugoKit runs the shortcode for Hugo on calls as the Share dialog writes them.
func TestHugoKit(t *testing.T) {
	source, err := os.ReadFile("../embed-kits/hugo/layouts/shortcodes/preadmit.html")
	if err != nil {
		t.Fatal(err)
	}
	var failed []string
	shortcode, err := template.New("preadmit").Funcs(hugoFunctions(&failed)).Parse(string(source))
	if err != nil {
		t.Fatal(err)
	}
	page := hugoPage{Scratch: hugoScratch{}}
	run := func(parameters map[string]string) string {
		var out strings.Builder
		call := hugoCall{Parameters: parameters, Inner: "\na: \"<b>\"\n", Position: "admission.md:7", Page: page}
		if err := shortcode.Execute(&out, call); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	first := run(map[string]string{
		"site": "https://other.example/", "example": "first-look", "file": "policies", "lines": "3-5", "readonly": "true",
		"height": "300", "title": `A "large" one`, "outcome": "Denied", "message": "not <8>", "tone": "denied",
	})
	for _, want := range []string{
		`<script async src="https://other.example/embed.js"></script>`,
		`<preadmit-example height="300" example="first-look" file="policies" lines="3-5" title="A &#34;large&#34; one" readonly style="display:flex;flex-direction:column;height:300px;`,
		`a: &#34;&lt;b&gt;&#34;`, `>Denied</strong>: not &lt;8&gt;`, `border-left:.25em solid #b3261e`,
		`href="https://other.example/#example=first-look"`, `</preadmit-example>`,
	} {
		if !strings.Contains(first, want) {
			t.Errorf("the page lacks %s:\n%s", want, first)
		}
	}
	second := run(map[string]string{"scenario": "#1/abc-_"})
	for _, want := range []string{`scenario="#1/abc-_"`, `height="480"`, `href="https://preadmit.example/#1/abc-_"`} {
		if !strings.Contains(second, want) {
			t.Errorf("the page lacks %s:\n%s", want, second)
		}
	}
	if strings.Contains(second, "<script") {
		t.Error("the script is there twice on one page")
	}
	if len(failed) > 0 {
		t.Errorf("the shortcode complains: %v", failed)
	}
	run(map[string]string{"file": "policies"})
	if len(failed) != 1 || !strings.Contains(failed[0], "an example or a scenario is needed: admission.md:7") {
		t.Errorf("without example and scenario the shortcode says %q", failed)
	}
}
