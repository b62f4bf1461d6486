package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/cli"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// This file tests the documentation: the README and docs/*.md.
//
//   - A console block is run, and its output compared. Lines that begin with
//     "$ " are commands: preadmit, and "echo $?" (the previous exit code). A line
//     of three dots matches any lines; three dots at the end of a line match any
//     rest of it. go test ./cmd/preadmit -run TestDocs -update writes the output.
//   - A block with a file name ("yaml limits/policies.yaml") is a file for
//     these commands.
//   - A txtar block is a scenario without errors, unless "errors" follows the
//     file name. A yaml block is YAML.
//   - Links to other documents and to headings must work.

const docsRoot = "../.."

// documents lists the files, by path from the top folder.
func documents(t *testing.T) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(docsRoot, "docs", "*.md"))
	if err != nil || len(found) < 5 {
		t.Fatalf("found only %d documents: %v", len(found), err)
	}
	names := []string{"README.md"}
	for _, f := range found {
		names = append(names, "docs/"+filepath.Base(f))
	}
	return names
}

// fence is a fenced block of a document.
type fence struct {
	language string
	file     string // second word of its first line
	errors   bool   // third word is "errors": the scenario has some
	line     int    // number of its first line, from 0
	lines    []string
}

func (f fence) text() string { return strings.Join(f.lines, "\n") + "\n" }

func fences(lines []string) []fence {
	var out []fence
	for i := 0; i < len(lines); i++ {
		mark, ok := strings.CutPrefix(lines[i], "```")
		if !ok {
			continue
		}
		end := i + 1
		for end < len(lines) && lines[end] != "```" {
			end++
		}
		words := append(strings.Fields(mark), "", "", "")
		out = append(out, fence{words[0], words[1], words[2] == "errors", i, lines[i+1 : min(end, len(lines))]})
		i = end
	}
	return out
}

func TestDocs(t *testing.T) {
	root, err := filepath.Abs(docsRoot) // the commands run elsewhere
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range documents(t) {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(root, name)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			lines := strings.Split(string(data), "\n")
			checkFrontMatter(t, name, lines)
			if name == "docs/diagnostics.md" {
				return // package codes tests its examples
			}
			printed := runFences(t, fences(lines))
			for i := len(printed) - 1; i >= 0; i-- {
				p := printed[i]
				lines = slices.Replace(lines, p.from, p.to, p.lines...)
			}
			if *update && len(printed) > 0 {
				if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// checkFrontMatter requires the site's fields: title, order and summary.
func checkFrontMatter(t *testing.T, name string, lines []string) {
	if !strings.HasPrefix(name, "docs/") {
		return
	}
	end := slices.Index(lines[1:], "---")
	if lines[0] != "---" || end < 0 {
		t.Fatal("there is no front matter")
	}
	var head struct {
		Group   string `json:"group"`
		Title   string `json:"title"`
		Order   int    `json:"order"`
		Summary string `json:"summary"`
	}
	if err := yaml.UnmarshalStrict([]byte(strings.Join(lines[1:end+1], "\n")), &head); err != nil {
		t.Fatal(err)
	}
	if head.Title == "" || head.Order == 0 || head.Summary == "" {
		t.Errorf("the front matter lacks title, order or summary: %+v", head)
	}
}

// replacement is the new output between two lines of a document.
type replacement struct {
	from, to int
	lines    []string
}

// runFences checks a document's blocks and returns the outputs that differ.
func runFences(t *testing.T, list []fence) []replacement {
	dir := t.TempDir()
	examples, err := filepath.Abs(filepath.Join(docsRoot, "examples"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(examples, filepath.Join(dir, "examples")); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	var out []replacement
	for _, f := range list {
		if f.file != "" {
			if err := os.MkdirAll(filepath.Dir(f.file), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(f.file, []byte(f.text()), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		switch f.language {
		case "txtar":
			checkScenario(t, f)
		case "yaml":
			for document := range strings.SplitSeq(f.text(), "\n---\n") {
				var value any
				if err := yaml.UnmarshalStrict([]byte(document), &value); err != nil {
					t.Errorf("line %d: %v", f.line+1, err)
				}
			}
		case "console":
			out = append(out, runConsole(t, f)...)
		}
	}
	return out
}

// checkScenario evaluates a scenario, which must not have errors but may lack a request. Examples
// of errors are files that a command reads.
func checkScenario(t *testing.T, f fence) {
	s, problems := scenario.FromTxtar([]byte(f.text()))
	r, err := engine.Evaluate(context.Background(), s, engine.Everything())
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range append(problems, r.Diagnostics...) {
		if d.Severity == diag.Error && !f.errors && !(d.Code == "no-request" && s.Request == "") {
			t.Errorf("line %d: %s: %s", f.line+1, d.Code, d.Summary)
		}
	}
}

// runConsole runs a block's commands.
func runConsole(t *testing.T, f fence) []replacement {
	var out []replacement
	code := 0
	for i := 0; i < len(f.lines); {
		command, ok := strings.CutPrefix(f.lines[i], "$ ")
		if !ok {
			t.Fatalf("line %d: a block of the console begins with a command", f.line+2+i)
		}
		for i++; strings.HasSuffix(command, `\`); i++ {
			command = strings.TrimSuffix(command, `\`) + f.lines[i]
		}
		end := i
		for end < len(f.lines) && !strings.HasPrefix(f.lines[end], "$ ") {
			end++
		}
		var got string
		if got, code = runCommand(t, command, code); !same(f.lines[i:end], outputLines(got)) {
			from := f.line + 1 + i
			out = append(out, replacement{from, from + end - i, outputLines(got)})
			if !*update {
				t.Errorf("line %d: %s prints\n%s", from, command, got)
			}
		}
		i = end
	}
	return out
}

func outputLines(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(strings.TrimSuffix(s, "\n"), "\n")
}

// same compares a document's lines with the output.
func same(want, got []string) bool {
	switch {
	case len(want) == 0:
		return len(got) == 0
	case want[0] == "...":
		for i := range len(got) + 1 {
			if same(want[1:], got[i:]) {
				return true
			}
		}
		return false
	case len(got) == 0:
		return false
	}
	beginning, cut := strings.CutSuffix(want[0], "...")
	equal := want[0] == got[0] || cut && strings.HasPrefix(got[0], beginning)
	return equal && same(want[1:], got[1:])
}

// runCommand runs preadmit in this process, with both output streams combined as in a terminal, or
// prints the previous command's exit code. "< FILE" is the standard input; "> FILE" stores the
// output.
func runCommand(t *testing.T, command string, before int) (string, int) {
	words := shellWords(command)
	if command == "echo $?" {
		return fmt.Sprintln(before), 0
	}
	if words[0] != "preadmit" {
		t.Fatalf("only preadmit and echo $? are run, not %s", command)
	}
	var stdin io.Reader = strings.NewReader("")
	target := ""
	for len(words) > 2 && (words[len(words)-2] == "<" || words[len(words)-2] == ">") {
		file := words[len(words)-1]
		if words[len(words)-2] == ">" {
			target = file
		} else {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			stdin = bytes.NewReader(data)
		}
		words = words[:len(words)-2]
	}
	var out bytes.Buffer
	code := cli.Run(words[1:], stdin, &out, &out)
	if target != "" {
		if err := os.WriteFile(target, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		out.Reset()
	}
	return out.String(), code
}

// shellWords splits a command at unquoted blanks.
func shellWords(command string) []string {
	var words []string
	var word strings.Builder
	quote, started := rune(0), false
	for _, c := range command {
		switch {
		case quote != 0 && c == quote:
			quote = 0
		case quote == 0 && (c == '\'' || c == '"'):
			quote, started = c, true
		case quote == 0 && c == ' ':
			if started {
				words = append(words, word.String())
			}
			word.Reset()
			started = false
		default:
			word.WriteRune(c)
			started = true
		}
	}
	if started {
		words = append(words, word.String())
	}
	return words
}

var (
	markdownLink = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading      = regexp.MustCompile(`^#+ (.*)$`)
)

// TestDocsLinks checks the documents' links to each other and to other files here.
func TestDocsLinks(t *testing.T) {
	anchors := map[string]map[string]bool{}
	for _, name := range documents(t) {
		anchors[name] = headings(t, name)
	}
	for _, name := range documents(t) {
		for _, link := range linksIn(t, name) {
			if strings.Contains(link, "://") {
				continue
			}
			file, anchor, _ := strings.Cut(link, "#")
			target := name
			if file != "" {
				target = filepath.ToSlash(filepath.Join(filepath.Dir(name), file))
			}
			if _, err := os.Stat(filepath.Join(docsRoot, target)); err != nil {
				t.Errorf("%s: the link %s leads nowhere", name, link)
			} else if anchor != "" && !anchors[target][anchor] {
				t.Errorf("%s: %s has no heading %s", name, target, anchor)
			}
		}
	}
}

// TestPathsExist checks the paths in docs/architecture.md and CONTRIBUTING.md: those in backticks,
// and the packages of go run and go test.
func TestPathsExist(t *testing.T) {
	path := regexp.MustCompile(`^(\./)?[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+/?$`)
	for name, atLeast := range map[string]int{"docs/architecture.md": 80, "CONTRIBUTING.md": 15} {
		raw, err := os.ReadFile(filepath.Join(docsRoot, name))
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for _, span := range regexp.MustCompile("`[^`\n]+`|(?m)^(?:go|node) .*$").FindAllString(string(raw), -1) {
			for _, word := range strings.Fields(strings.Trim(span, "`")) {
				if !path.MatchString(word) {
					continue
				}
				found++
				if _, err := os.Stat(filepath.Join(docsRoot, word)); err != nil && !shortPath(word) {
					t.Errorf("%s: there is no %s", name, word)
				}
			}
		}
		if found < atLeast {
			t.Errorf("%s: found only %d paths", name, found)
		}
	}
}

// shortPath reports whether a path is a package's, without the engine's common folders:
// admission/run.
func shortPath(path string) bool {
	for _, above := range []string{"engine", "engine/internal"} {
		if info, err := os.Stat(filepath.Join(docsRoot, above, path)); err == nil && info.IsDir() {
			return true
		}
	}
	return false
}

// prose returns a document without its blocks.
func prose(t *testing.T, name string) []string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(docsRoot, name))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(data), "\n")
	list := fences(lines)
	for i := len(list) - 1; i >= 0; i-- {
		f := list[i]
		lines = slices.Delete(lines, f.line, min(f.line+len(f.lines)+2, len(lines)))
	}
	return lines
}

func linksIn(t *testing.T, name string) []string {
	var out []string
	for _, line := range prose(t, name) {
		for _, m := range markdownLink.FindAllStringSubmatch(line, -1) {
			out = append(out, m[1])
		}
	}
	return out
}

// headings returns a document's anchors, as GitHub generates them.
func headings(t *testing.T, name string) map[string]bool {
	out := map[string]bool{}
	for _, line := range prose(t, name) {
		if m := heading.FindStringSubmatch(line); m != nil {
			anchor := strings.Map(func(r rune) rune {
				if r == ' ' {
					return '-'
				}
				if r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
					return r
				}
				return -1
			}, strings.ToLower(m[1]))
			out[anchor] = true
		}
	}
	return out
}

// TestHosting checks that the other web server's configuration has every header from netlify.toml.
func TestHosting(t *testing.T) {
	read := func(name string) string {
		data, err := os.ReadFile(filepath.Join(docsRoot, filepath.FromSlash(name)))
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	caddy := read("deploy/Caddyfile")
	headers := regexp.MustCompile(`(?m)^([A-Z][A-Za-z-]+) = (".*")$`).FindAllStringSubmatch(read("netlify.toml"), -1)
	if len(headers) < 5 {
		t.Fatalf("found only %d headers", len(headers))
	}
	for _, h := range headers {
		if !strings.Contains(caddy, h[1]+" "+h[2]) {
			t.Errorf("deploy/Caddyfile lacks %s %s", h[1], h[2])
		}
	}
}
