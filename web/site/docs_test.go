package site

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

func TestReadDoc(t *testing.T) {
	source := "---\ntitle: T\norder: 3\ngroup: Reference\nsummary: S.\n---\n\n# T\n\n## Two words\n\n" +
		"<script>alert(1)</script>\n\n[a](scenario.md#settings) [b](javascript:alert(1)) `<i>`\n\n" +
		"| a | b |\n|---|---:|\n| 1 | 2 |\n\n" +
		"```yaml <x>.yaml\na: <b>\n```\n\n" +
		"```txtar\n-- expression.cel --\n1 + 1\n```\n"
	doc, err := ReadDoc("page", []byte(source))
	if err != nil {
		t.Fatal(err)
	}
	if doc.Title != "T" || doc.Order != 3 || doc.Summary != "S." || len(doc.Headings) != 1 || doc.Headings[0] != (DocHeading{"two-words", "Two words"}) {
		t.Errorf("got %+v", doc)
	}
	for _, want := range []string{
		`<h2 id="two-words">`, `href="/docs/scenario/#settings"`, `<code>&lt;i&gt;</code>`, `<td>1</td>`, `<td align="right">2</td>`,
		`&lt;x&gt;.yaml</p>`, `<code data-language="yaml">a: &lt;b&gt;`, `<code data-language="txtar">`, `href="/#1/`,
	} {
		if !strings.Contains(doc.Body, want) {
			t.Errorf("no %s in\n%s", want, doc.Body)
		}
	}
	for _, not := range []string{"<script", "javascript:", "style="} {
		if strings.Contains(doc.Body, not) {
			t.Errorf("%s in\n%s", not, doc.Body)
		}
	}
}

func TestReadDocErrors(t *testing.T) {
	for name, source := range map[string]string{
		"no front matter": "# T\n",
		"not closed":      "---\ntitle: T\n",
		"no summary":      "---\ntitle: T\n---\n",
		"unknown key":     "---\ntitle: T\ngroup: Reference\nsummary: S\nordre: 1\n---\n",
		"unknown group":   "---\ntitle: T\ngroup: Refernce\nsummary: S\n---\n",
		"unnamed column":  "---\ntitle: T\ngroup: Reference\nsummary: S\n---\n\n| | b |\n|---|---|\n| 1 | 2 |\n",
	} {
		if _, err := ReadDoc("x", []byte(source)); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

var (
	ids   = regexp.MustCompile(` id="([^"]+)"`)
	hrefs = regexp.MustCompile(` href="(?:/docs/([a-z-]+)/)?#([^"/]+)"`)
)

// TestLinksOfTheDocs checks every link between the documentation's headings.
func TestLinksOfTheDocs(t *testing.T) {
	files, err := filepath.Glob("../../docs/*.md")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	bodies, known := map[string]string{}, map[string]bool{}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		slug := strings.TrimSuffix(filepath.Base(file), ".md")
		doc, err := ReadDoc(slug, source)
		if err != nil {
			t.Fatal(err)
		}
		bodies[slug] = doc.Body
		for _, m := range ids.FindAllStringSubmatch(doc.Body, -1) {
			known[slug+"#"+m[1]] = true
		}
	}
	for slug, body := range bodies {
		for _, m := range hrefs.FindAllStringSubmatch(body, -1) {
			to := m[1]
			if to == "" {
				to = slug
			}
			if !known[to+"#"+m[2]] {
				t.Errorf("%s.md links to %s#%s, which is not there", slug, to, m[2])
			}
		}
	}
}
