package pasted

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// fence matches a line that begins or ends a Markdown code block, and its language if named.
var fence = lazy.Regexp{Text: "^(\\s*)(`{3,}|~{3,})\\s*([A-Za-z0-9+-]*)[^`]*$"}

// manifests are the code block languages that may hold manifests; shell languages only with a
// here-document.
var (
	manifests = []string{"", "yaml", "yml", "json", "text", "cel"}
	shells    = []string{"sh", "shell", "bash", "zsh", "console", "shell-session"}
)

// block is the content of a code block.
type block struct {
	lines    []line
	language string
	fence    int // number of the opening line
}

// fences extracts the code blocks from Markdown and drops the prose. A fence after an object's
// start is content, such as a ConfigMap's. A single one at the very end was copied accidentally.
func fences(lines []line) ([]line, int, int) {
	var blocks []block
	var open *block
	var marker string
	for _, l := range lines {
		m := fence.FindStringSubmatch(l.text)
		switch {
		case open == nil && len(blocks) == 0 && beginsObject(l.text):
			return lastFence(lines)
		case open == nil && m != nil:
			open, marker = &block{language: strings.ToLower(m[3]), fence: l.number}, m[1]+m[2]
		case open != nil && m != nil && m[3] == "" && strings.HasPrefix(strings.TrimSpace(l.text), strings.TrimSpace(marker)):
			blocks, open = append(blocks, *open), nil
		case open != nil:
			open.lines = append(open.lines, line{dedent(l.text, len(marker)-len(strings.TrimSpace(marker))), l.number})
		}
	}
	if open != nil {
		blocks = append(blocks, *open) // the closing fence was not copied
	}
	if kept := slices.DeleteFunc(slices.Clone(blocks), func(b block) bool { return !b.mayHoldManifests() }); len(kept) > 0 {
		blocks = kept
	}
	if len(blocks) == 0 {
		return lines, 0, 0
	}
	var parts [][]line
	for _, b := range blocks {
		parts = append(parts, b.lines)
	}
	return joined(parts), len(parts), blocks[0].fence
}

func (b block) mayHoldManifests() bool {
	if slices.Contains(shells, b.language) {
		return slices.ContainsFunc(b.lines, func(l line) bool { return heredoc.MatchString(l.text) })
	}
	return slices.Contains(manifests, b.language)
}

// lastFence removes an unmatched fence at the end of a text.
func lastFence(lines []line) ([]line, int, int) {
	last := len(lines) - 1
	for last > 0 && strings.TrimSpace(lines[last].text) == "" {
		last--
	}
	if text := lines[last].text; text != "```" && text != "~~~" {
		return lines, 0, 0
	}
	if slices.ContainsFunc(lines[:last], func(l line) bool { return fence.MatchString(l.text) }) {
		return lines, 0, 0
	}
	return append(slices.Clone(lines[:last]), line{"", lines[last].number}), 1, lines[last].number
}

// dedent removes up to n leading blanks from a line.
func dedent(s string, n int) string {
	for n > 0 && strings.HasPrefix(s, " ") {
		s, n = s[1:], n-1
	}
	return s
}

// joined concatenates parts of a text as documents.
func joined(parts [][]line) []line {
	var out []line
	for _, part := range parts {
		for len(part) > 0 && strings.TrimSpace(part[0].text) == "" {
			part = part[1:]
		}
		if len(part) == 0 {
			continue
		}
		if len(out) > 0 && !strings.HasPrefix(part[0].text, "---") {
			out = append(out, line{"---", part[0].number - 1})
		}
		out = append(out, part...)
	}
	if n := len(out); n == 0 {
		return []line{{"", 1}}
	} else if out[n-1].text == "" {
		return out
	} else {
		return append(out, line{"", out[n-1].number + 1}) // the text ends with a line feed
	}
}

// heredoc matches a command with a here-document (POSIX shell, 2.7.4) and captures whether tabs are
// removed, whether the word is quoted, and the word.
var heredoc = lazy.Regexp{Text: `\b(?:cat|kubectl|oc|k|tee)\b.*<<(-?)\s*(["'\\]?)([A-Za-z_][A-Za-z0-9_]*)["']?`}

// heredocs extracts the here-documents from shell commands. After an object's start they are
// content.
func heredocs(lines []line) ([]line, int, int) {
	var parts [][]line
	first := 0
	for i := 0; i < len(lines); i++ {
		m := heredoc.FindStringSubmatch(lines[i].text)
		if m == nil && len(parts) == 0 && beginsObject(lines[i].text) {
			return lines, 0, 0
		}
		if m == nil {
			continue
		}
		if len(parts) == 0 {
			first = lines[i].number
		}
		var part []line
		for i++; i < len(lines); i++ {
			text := lines[i].text
			if m[1] == "-" {
				text = strings.TrimLeft(text, "\t")
			}
			if strings.TrimSpace(text) == m[3] {
				break
			}
			if m[2] == "" {
				text = unescaped.Replace(text)
			}
			part = append(part, line{text, lines[i].number})
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return lines, 0, 0
	}
	return joined(parts), len(parts), first
}

// unescaped applies the shell's expansion rules for a here-document with an unquoted word.
var unescaped = strings.NewReplacer(`\\`, `\`, `\$`, `$`, "\\`", "`")

// command matches a command whose output follows, with or without a prompt.
var command = lazy.Regexp{Text: `^\s*(?:\S*[$%❯>] +)?(?:kubectl|oc|helm|kustomize)\s+[a-z][^:]*$|^\s*\S*[$❯] +(?:cat|less|more|head|tail|bat|vi|vim|curl|yq|jq)\s+[^:]*$`}

// prompt matches the prompt after the output.
var prompt = lazy.Regexp{Text: `^\S*[$%❯]\s*$`}

// commands removes the commands before an output and the prompt after it.
func commands(lines []line) ([]line, int, int) {
	out := slices.Clone(lines)
	var c counter
	for i := 0; i < len(out) && !beginsObject(out[i].text); {
		if !command.MatchString(out[i].text) {
			i++
			continue
		}
		c.at(out[i].number, 1)
		out = slices.Delete(out, i, i+1)
	}
	if c.count == 0 {
		return lines, 0, 0
	}
	last := len(out) - 1
	for last > 0 && strings.TrimSpace(out[last].text) == "" {
		last--
	}
	if last >= 0 && prompt.MatchString(out[last].text) {
		out = slices.Delete(out, last, last+1)
	}
	if len(out) == 0 {
		return lines, 0, 0
	}
	return out, c.count, c.first
}

// templateLine matches a line that only has template actions: conditions, loops, definitions and
// comments, as in Helm charts.
var templateLine = lazy.Regexp{Text: `^\s*\{\{-?\s*(?:/\*.*\*/|(?:if|else|end|range|with|define|block|template)\b[^{}]*|\$?\w+\s*:?=[^{}]*)\s*-?\}\}\s*$`}

// templateLines removes such lines. The lines between them remain, as if every condition held.
func templateLines(lines []line) ([]line, int, int) {
	var out []line
	var c counter
	for _, l := range lines {
		if strings.Contains(l.text, "{{") && templateLine.MatchString(l.text) {
			c.at(l.number, 1)
			continue
		}
		out = append(out, l)
	}
	if c.count == 0 || len(out) == 0 {
		return lines, 0, 0
	}
	return out, c.count, c.first
}
