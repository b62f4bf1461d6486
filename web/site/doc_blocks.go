package site

import (
	"html"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/preadmit/preadmit/engine/scenario"
)

// docBlocks renders the documentation's blocks that need more than goldmark's HTML: code and tables
// that scroll by keyboard, headings with links, and scenarios that open in the playground.
type docBlocks struct{}

// RegisterFuncs implements renderer.NodeRenderer.
func (docBlocks) RegisterFuncs(to renderer.NodeRendererFuncRegisterer) {
	to.Register(ast.KindFencedCodeBlock, fencedCode)
	to.Register(ast.KindHeading, heading)
	to.Register(extast.KindTable, table)
}

func heading(w util.BufWriter, _ []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	n := node.(*ast.Heading)
	tag := "h" + string(rune('0'+n.Level))
	id, _ := n.AttributeString("id")
	anchor, _ := id.([]byte)
	if entering {
		write(w, "<"+tag+` id="`+string(util.EscapeHTML(anchor))+`">`)
		return ast.WalkContinue, nil
	}
	if n.Level > 1 {
		// The heading's text names the link for screen readers.
		write(w, ` <a class="anchor" href="#`+string(util.EscapeHTML(anchor))+`" aria-label="Link to this heading">#</a>`)
	}
	write(w, "</"+tag+">\n")
	return ast.WalkContinue, nil
}

// table wraps a table in a box, so that only the table scrolls.
func table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		write(w, `<div class="table" tabindex="0"><table>`+"\n")
	} else {
		write(w, "</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// coloured are the languages that web/tools/colour.mjs supports. It colours elements with
// data-language in the finished pages.
var coloured = []string{"yaml", "cel", "txtar"}

// fencedCode writes a code block. The words after the opening fence are its language and,
// optionally, its file name. "html live" marks HTML that also runs on the page, below its code.
// "cel open" marks an expression that opens in the playground.
func fencedCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.FencedCodeBlock)
	info := infoWords(n, source)
	code := blockText(n, source)
	var tag []byte
	if v, ok := n.AttributeString(liveAttribute); ok {
		tag = v.([]byte)
	}
	write(w, string(tag)+`<div class="code-block">`)
	live := len(info) > 1 && info[0] == "html" && info[1] == "live"
	open := len(info) > 1 && info[0] == "cel" && info[1] == "open"
	if len(info) > 1 && !live && !open {
		write(w, `<p class="code-name">`+escaped(info[1])+"</p>")
	}
	language := ""
	if len(info) > 0 && slices.Contains(coloured, info[0]) {
		language = ` data-language="` + info[0] + `"`
	}
	write(w, `<pre class="yaml" tabindex="0"><code`+language+`>`+html.EscapeString(code)+"</code></pre>")
	if s, ok := opened(info, code); ok {
		if fragment, err := scenario.EncodeLink(s); err == nil { // otherwise too large for a link
			write(w, `<p class="code-open"><a href="/`+escaped(fragment)+`">Open in the playground</a></p>`)
		}
	}
	write(w, "</div>")
	if tag != nil {
		write(w, "</preadmit-example>")
	}
	write(w, "\n")
	if live {
		// The page runs the shown code, with this site in place of SITE. It loads the script
		// itself.
		shown := strings.ReplaceAll(code, "https://SITE/", "/")
		shown = strings.ReplaceAll(shown, embedScript+"\n", "")
		write(w, `<div class="live">`+shown+"</div>\n")
	}
	return ast.WalkContinue, nil
}

// embedScript loads the script for embedded examples.
const embedScript = `<script async src="/embed.js"></script>`

// opened returns the scenario that a block opens in the playground: an archive's, or the expression
// from a "cel open" block, with the context named after it.
func opened(info []string, code string) (scenario.Scenario, bool) {
	switch {
	case len(info) > 0 && info[0] == "txtar":
		return archived(code)
	case len(info) > 1 && info[0] == "cel" && info[1] == "open":
		s := scenario.Scenario{Expression: strings.TrimSuffix(code, "\n"), Request: anyRequest}
		if len(info) > 2 {
			s.ExpressionContext = info[2]
		}
		return s, true
	}
	return scenario.Scenario{}, false
}

// anyRequest accompanies a stand-alone expression.
const anyRequest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n"

func escaped(text string) string { return string(util.EscapeHTML([]byte(text))) }

// write writes markup. goldmark's buffer only fails when its writer does, which Render reports on
// flush.
func write(w util.BufWriter, markup string) { _, _ = w.WriteString(markup) }
