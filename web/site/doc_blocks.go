package site

import (
	"html"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"
	extast "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// docBlocks writes the blocks of the documentation that need more than
// goldmark's HTML: code and tables that can be scrolled by keyboard, headings
// that link to themselves, and scenarios that open in the playground.
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
		// The heading itself is the link's name for a screen reader.
		write(w, ` <a class="anchor" href="#`+string(util.EscapeHTML(anchor))+`" aria-label="Link to this heading">#</a>`)
	}
	write(w, "</"+tag+">\n")
	return ast.WalkContinue, nil
}

// table is in a box, so that a wide one scrolls and the page does not.
func table(w util.BufWriter, _ []byte, _ ast.Node, entering bool) (ast.WalkStatus, error) {
	if entering {
		write(w, `<div class="table" tabindex="0"><table>`+"\n")
	} else {
		write(w, "</table></div>\n")
	}
	return ast.WalkContinue, nil
}

// coloured are the languages that web/tools/colour.mjs knows. It colours the
// elements that name theirs in data-language, once the pages are written.
var coloured = []string{"yaml", "cel", "txtar"}

// fencedCode writes a block of code. The words behind the opening fence are its
// language and, if there is one, the name of the file that it shows. The words
// "html live" mean HTML that also runs on the page, below its code.
func fencedCode(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
	if !entering {
		return ast.WalkContinue, nil
	}
	n := node.(*ast.FencedCodeBlock)
	var info []string
	if n.Info != nil {
		info = strings.Fields(string(n.Info.Segment.Value(source)))
	}
	var code strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		code.Write(line.Value(source))
	}
	write(w, `<div class="code-block">`)
	live := len(info) > 1 && info[0] == "html" && info[1] == "live"
	if len(info) > 1 && !live {
		write(w, `<p class="code-name">`+string(util.EscapeHTML([]byte(info[1])))+"</p>")
	}
	language := ""
	if len(info) > 0 && slices.Contains(coloured, info[0]) {
		language = ` data-language="` + info[0] + `"`
	}
	write(w, `<pre class="yaml" tabindex="0"><code`+language+`>`+html.EscapeString(code.String())+"</code></pre>")
	if len(info) > 0 && info[0] == "txtar" {
		if link, ok := playgroundLink(code.String()); ok {
			write(w, `<p class="code-open"><a href="`+string(util.EscapeHTML([]byte(link)))+`">Open in the playground</a></p>`)
		}
	}
	write(w, "</div>\n")
	if live {
		// What is shown is what runs, on this site in the place of SITE.
		write(w, `<div class="live">`+strings.ReplaceAll(code.String(), "https://SITE/", "/")+"</div>\n")
	}
	return ast.WalkContinue, nil
}

// playgroundLink is the address that opens a scenario; false for an archive that
// is not one, which the documentation also shows.
func playgroundLink(archive string) (string, bool) {
	s, problems := scenario.FromTxtar([]byte(archive))
	if diag.HasErrors(problems) {
		return "", false
	}
	fragment, err := scenario.EncodeLink(s)
	if err != nil {
		return "", false
	}
	return "/" + fragment, true
}

// write writes markup. A write to goldmark's buffer fails only when the one
// below does, which Render reports when it flushes.
func write(w util.BufWriter, markup string) { _, _ = w.WriteString(markup) }
