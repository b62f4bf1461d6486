package site

import (
	"html"
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

func TestHighlight(t *testing.T) {
	for text, want := range map[string]string{
		"kind: Pod":         `<span class="k">kind</span>: <span class="t">Pod</span>`,
		"- replicas: 5 # x": `- <span class="k">replicas</span>: <span class="n">5</span><span class="c"> # x</span>`,
		"replicas: 5":       `<span class="k">replicas</span>: <span class="n">5</span>`,
		"# <b>":             `<span class="c"># &lt;b&gt;</span>`,
		"---":               `---`,
		"metadata: {name: a, labels: {x/y: 'z'}}":      `<span class="k">metadata</span>: {<span class="k">name</span>: <span class="t">a</span>, <span class="k">labels</span>: {<span class="k">x/y</span>: <span class="t">&#39;z&#39;</span>}}`,
		"apiGroups: [\"\", apps]":                      `<span class="k">apiGroups</span>: [<span class="t">&#34;&#34;</span>, <span class="t">apps</span>]`,
		"- expression: \"object.x <= 5\"":              `- <span class="k">expression</span>: &#34;object.<span class="k">x</span> <span class="o">&lt;=</span> <span class="n">5</span>&#34;`,
		"expression: |\n  size(a)\nmessage: b":         "<span class=\"k\">expression</span>: |\n  <span class=\"f\">size</span>(a)\n<span class=\"k\">message</span>: <span class=\"t\">b</span>",
		"data:\n  text: |-\n    a: b\n\n    c\n  d: 1": "<span class=\"k\">data</span>:\n  <span class=\"k\">text</span>: |-\n<span class=\"t\">    a: b</span>\n\n<span class=\"t\">    c</span>\n  <span class=\"k\">d</span>: <span class=\"n\">1</span>",
	} {
		if got := highlight(text, false); got != want {
			t.Errorf("%q:\ngot  %s\nwant %s", text, got, want)
		}
	}
	if got, want := highlight("'a' in b.c && has(d)", true), `<span class="t">&#39;a&#39;</span> <span class="o">in</span> b.<span class="k">c</span> <span class="o">&amp;&amp;</span> <span class="f">has</span>(d)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestHighlightKeepsTheText: colours never change what is read or copied.
func TestHighlightKeepsTheText(t *testing.T) {
	files, _ := filepath.Glob("../../examples/*/*.yaml")
	more, _ := filepath.Glob("../../docs/*.md")
	if len(files) < 100 || len(more) < 10 {
		t.Fatalf("%d and %d files", len(files), len(more))
	}
	tags := regexp.MustCompile(`<span class="[ktnofc]">|</span>`)
	for _, file := range append(files, more...) {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, cel := range []bool{false, true} {
			if got := html.UnescapeString(tags.ReplaceAllString(highlight(string(raw), cel), "")); got != string(raw) {
				t.Errorf("%s: the text is another one", file)
			}
		}
	}
}
