package site

import (
	"path"
	"strings"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/text"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// The documentation's examples run in place: an archive with a scenario, and each transcript
// command whose files the page shows.

// liveAttribute holds the opening tag of a code block's embedded example.
const liveAttribute = "live"

// namedBlock is a file shown on a page. The second word after the opening fence is its name.
type namedBlock struct{ name, content string }

// makeLive visits a page's blocks in order. It splits transcripts into one block per command and
// adds an example to each runnable block. It reports whether there is one.
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

// infoWords returns the words after the opening fence.
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

// archived reads an archive. It returns false if the archive is not a scenario.
func archived(archive string) (scenario.Scenario, bool) {
	s, problems := scenario.FromTxtar([]byte(archive))
	return s, !diag.HasErrors(problems)
}

// prompt precedes a command.
const prompt = "$ "

// cutAtCommands splits a transcript into one block per command.
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

// setLive adds an example for a scenario to a block, unless the scenario is too large for a link.
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

// openTag returns an embedded example's opening tag.
func openTag(attribute, value, view string) string {
	tag := "<preadmit-example " + attribute + `="` + escaped(value) + `"`
	if view != "" {
		tag += ` view="` + escaped(view) + `"`
	}
	return tag + ">"
}

// views maps command-line formats to the corresponding part of the page's result.
var views = []string{"object", "diff"}

// commandTag returns the example for a transcript's command and the files shown before it. It
// returns false for commands without a counterpart.
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

// applyFlags applies the flags to a scenario. It returns false if a flag is unknown or its file is
// not shown.
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

func fileNamed(files []namedBlock, name string) (string, bool) {
	for i := len(files) - 1; i >= 0; i-- {
		if files[i].name == name {
			return files[i].content, true
		}
	}
	return "", false
}

// shellWords splits a command at blanks. It supports single quotes, all that the documentation
// uses.
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
