package site

import (
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// What the documentation shows can be run where it stands: an archive that is a
// scenario, and each command of a transcript whose files the page shows too.

// liveAttribute holds, at a block of code, the opening tag of the embedded example that
// runs it.
const liveAttribute = "live"

// namedBlock is a file that a page shows: the second word behind the opening fence is
// its name.
type namedBlock struct{ name, content string }

// makeLive looks through the blocks of a page in their order. Transcripts are cut into
// one block a command, and whatever can be run gets its example. It reports whether there
// is one.
func makeLive(tree ast.Node, source []byte) (bool, error) {
	var blocks []*ast.FencedCodeBlock
	err := ast.Walk(tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if b, ok := n.(*ast.FencedCodeBlock); ok && entering {
			blocks = append(blocks, b)
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return false, err
	}
	var files []namedBlock
	found := false
	for _, b := range blocks {
		words := infoWords(b, source)
		if len(words) == 0 {
			continue
		}
		if words[0] == "html" && len(words) > 1 && words[1] == "live" {
			found = true
			continue
		}
		if len(words) > 1 {
			files = append(files, namedBlock{words[1], blockText(b, source)})
		}
		switch words[0] {
		case "txtar":
			if s, ok := archived(blockText(b, source)); ok {
				found = setLive(b, s, "") || found
			}
		case "console":
			for _, c := range cutAtCommands(b, source) {
				line, _, _ := strings.Cut(blockText(c, source), "\n")
				if tag, ok := commandTag(strings.TrimPrefix(line, prompt), files); ok {
					c.SetAttributeString(liveAttribute, []byte(tag))
					found = true
				}
			}
		}
	}
	return found, nil
}

// infoWords are the words behind the opening fence.
func infoWords(b *ast.FencedCodeBlock, source []byte) []string {
	if b.Info == nil {
		return nil
	}
	return strings.Fields(string(b.Info.Segment.Value(source)))
}

func blockText(b *ast.FencedCodeBlock, source []byte) string {
	var code strings.Builder
	for i := range b.Lines().Len() {
		line := b.Lines().At(i)
		code.Write(line.Value(source))
	}
	return code.String()
}

// archived reads an archive; false for one that is no scenario, which the
// documentation also shows.
func archived(archive string) (scenario.Scenario, bool) {
	s, problems := scenario.FromTxtar([]byte(archive))
	return s, !diag.HasErrors(problems)
}

// prompt is in front of a command.
const prompt = "$ "

// cutAtCommands makes a block of each command of a transcript, in place of the whole.
func cutAtCommands(b *ast.FencedCodeBlock, source []byte) []*ast.FencedCodeBlock {
	var out []*ast.FencedCodeBlock
	for i := range b.Lines().Len() {
		line := b.Lines().At(i)
		if len(out) == 0 || strings.HasPrefix(string(line.Value(source)), prompt) {
			c := ast.NewFencedCodeBlock(b.Info)
			c.SetLines(text.NewSegments())
			out = append(out, c)
		}
		out[len(out)-1].Lines().Append(line)
	}
	for _, c := range out {
		b.Parent().InsertBefore(b.Parent(), b, c)
	}
	b.Parent().RemoveChild(b.Parent(), b)
	return out
}

// setLive gives a block the example that runs a scenario. A scenario that no link can
// hold has none.
func setLive(b *ast.FencedCodeBlock, s scenario.Scenario, view string) bool {
	tag, ok := liveTag(s, view)
	if ok {
		b.SetAttributeString(liveAttribute, []byte(tag))
	}
	return ok
}

func liveTag(s scenario.Scenario, view string) (string, bool) {
	fragment, err := scenario.EncodeLink(s)
	if err != nil {
		return "", false
	}
	return openTag("scenario", fragment, view), true
}

// openTag is the beginning of an embedded example.
func openTag(attribute, value, view string) string {
	tag := "<preadmit-example " + attribute + `="` + escaped(value) + `"`
	if view != "" {
		tag += ` view="` + escaped(view) + `"`
	}
	return tag + ">"
}

// views are the formats of the command line that a part of the page's result shows too.
var views = []string{"object", "diff"}

// commandTag is the example that does what a command of a transcript does, given the
// files shown before it; false for a command that does something else.
func commandTag(command string, files []namedBlock) (string, bool) {
	words := shellWords(command)
	if len(words) < 3 || words[0] != "preadmit" {
		return "", false
	}
	var s scenario.Scenario
	view := ""
	rest := words[3:]
	switch words[1] {
	case "cel":
		s.Expression = words[2]
	case "eval":
		if slug := path.Base(words[2]); words[2] == "examples/"+slug {
			return openTag("example", slug, outputView(rest)), true
		}
		content, ok := fileNamed(files, words[2])
		if !ok {
			return "", false
		}
		if s, ok = archived(content); !ok {
			return "", false
		}
		view = outputView(rest)
	default:
		return "", false
	}
	if !applyFlags(&s, rest, files) {
		return "", false
	}
	return liveTag(s, view)
}

// applyFlags makes a scenario that of the flags; false where one of them is not known or
// its file is not shown.
func applyFlags(s *scenario.Scenario, flags []string, files []namedBlock) bool {
	for i := 0; i < len(flags); i += 2 {
		if i+1 == len(flags) {
			return false
		}
		value := flags[i+1]
		switch flags[i] {
		case "-o":
			continue
		case "--context":
			s.ExpressionContext = value
			continue
		case "--kubernetes":
			s.Kubernetes = value
			continue
		}
		content, ok := fileNamed(files, value)
		if !ok {
			return false
		}
		switch flags[i] {
		case "-r":
			s.Request = content
		case "-c":
			s.Cluster = content
		case "-p":
			s.Policies = content
		default:
			return false
		}
	}
	return true
}

func outputView(flags []string) string {
	for i := range len(flags) - 1 {
		for _, v := range views {
			if flags[i] == "-o" && flags[i+1] == v {
				return v
			}
		}
	}
	return ""
}

// fileNamed is the last file of that name.
func fileNamed(files []namedBlock, name string) (string, bool) {
	for i := len(files) - 1; i >= 0; i-- {
		if files[i].name == name {
			return files[i].content, true
		}
	}
	return "", false
}

// shellWords cuts a command at its blanks. Single quotes hold a word together, which is
// all that the documentation uses.
func shellWords(command string) []string {
	var out []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}
