// Command words checks the words that people read, by the rules of CONTRIBUTING.md,
// "How we write". It takes the texts out of the sources and gives them to Vale, whose
// rules are in scripts/words/styles:
//
//	go run ./scripts/words                     every file that git knows
//	go run ./scripts/words docs/cli.md engine  only these files and folders
//	go run ./scripts/words -list engine        prints the texts, to be read by a person
//
// Vale has a module file of its own (vale.mod), so it is no dependency of the program.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

func main() {
	list := flag.Bool("list", false, "print the texts instead")
	flag.Parse()
	if *list {
		if err := printTexts(flag.Args()); err != nil {
			fmt.Fprintln(os.Stderr, "words:", err)
			os.Exit(2)
		}
		return
	}
	found, err := run(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "words:", err)
		os.Exit(2)
	}
	for _, line := range found {
		fmt.Println(line)
	}
	if len(found) > 0 {
		os.Exit(1)
	}
}

// run returns Vale's findings about the files below paths, as file:line:column:rule:message.
func run(paths []string) ([]string, error) {
	files, err := sources(paths)
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "words")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	for _, file := range files {
		if err := copyTexts(file, folder); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
	}
	return vale(folder)
}

// printTexts prints the texts of all files but the documents, with their places.
func printTexts(paths []string) error {
	files, err := sources(paths)
	if err != nil {
		return err
	}
	for _, file := range files {
		if filepath.Ext(file) == ".md" {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		texts, err := reader(file)(data)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		for _, t := range texts {
			fmt.Printf("%s:%d: %s\n", file, t.line, t.value)
		}
	}
	return nil
}

// sources returns the files below paths, or all, that have texts for people.
func sources(paths []string) ([]string, error) {
	output, err := exec.Command("git", append([]string{"ls-files", "--cached", "--others", "--exclude-standard", "--"}, paths...)...).Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var files []string
	for file := range strings.Lines(string(output)) {
		if file = strings.TrimSpace(file); reader(file) != nil {
			files = append(files, file)
		}
	}
	return files, nil
}

// A text is one string for people, and the line where it begins.
type text struct {
	line  int
	value string
}

var (
	document = regexp.MustCompile(`^(README|CONTRIBUTING|SECURITY)\.md$|^(docs|tour/[^/]+)/[^/]+\.md$`)
	program  = regexp.MustCompile(`^(engine|render|serve|storage|cmd|web/(site|bridge|tour|cmd)|cluster|deploy)/.*\.go$`)
	// The texts of these are the server's, patterns, or generated from a checked source.
	foreign = regexp.MustCompile(`_test\.go$|_templ\.go$|/testdata/|^engine/report/codes/constants\.go$|^engine/internal/(kube/catalog/data|policy/definition|admission/builtin/warnings|text/pasted/banner)`)
)

// reader returns the function that takes the texts out of a file, or nil.
func reader(file string) func([]byte) ([]text, error) {
	switch {
	case foreign.MatchString(file):
		return nil
	case program.MatchString(file):
		return goTexts
	case strings.HasSuffix(file, ".templ"):
		return templTexts
	case strings.HasPrefix(file, "web/app/") && strings.HasSuffix(file, ".ts") && !strings.Contains(file, "/test/"):
		return scriptTexts
	case strings.HasPrefix(file, "examples/") && strings.HasSuffix(file, "/scenario.yaml"), strings.HasPrefix(file, "tour/") && strings.HasSuffix(file, ".yaml"):
		return yamlTexts
	case document.MatchString(file):
		return whole
	}
	return nil
}

// whole returns a document for Vale to read by itself.
func whole(data []byte) ([]text, error) { return []text{{1, string(data)}}, nil }

// copyTexts writes the texts of a file into folder, where Vale reads them.
func copyTexts(file, folder string) error {
	data, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) { // deleted, but git knows it still
		return nil
	}
	if err != nil {
		return err
	}
	texts, err := reader(file)(data)
	if err != nil || len(texts) == 0 {
		return err
	}
	target := filepath.Join(folder, file)
	if err := os.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return err
	}
	if filepath.Ext(file) == ".md" {
		return os.WriteFile(target, data, 0o644)
	}
	// Text and an empty line in turns: line n of the source is line 2n-1 of the copy.
	lines := make([]string, 2*(1+bytes.Count(data, []byte("\n"))))
	for _, t := range texts {
		at := 2 * (t.line - 1)
		lines[at] = strings.TrimSpace(lines[at] + " " + t.value)
	}
	return os.WriteFile(target+".txt", []byte(strings.Join(lines, "\n")), 0o644)
}

// vale runs Vale on the copies, and returns what it found with the places of the sources.
func vale(folder string) ([]string, error) {
	modules, err := filepath.Abs("scripts/words/vale.mod")
	if err != nil {
		return nil, err
	}
	command := exec.Command("go", "tool", "-modfile="+modules, "vale", "--config", "scripts/words/vale.ini", "--output=line", "--no-exit", folder)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("vale: %w\n%s%s", err, output, &stderr)
	}
	var found []string
	lines := bufio.NewScanner(bytes.NewReader(output))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line, ok := strings.CutPrefix(lines.Text(), folder+string(filepath.Separator))
		if !ok {
			return nil, fmt.Errorf("vale printed %q", lines.Text())
		}
		found = append(found, place(line))
	}
	return found, lines.Err()
}

// place turns the place in a copy into that in its source.
func place(line string) string {
	file, rest, _ := strings.Cut(line, ":")
	source, isCopy := strings.CutSuffix(file, ".txt")
	number, rest, _ := strings.Cut(rest, ":")
	n, err := strconv.Atoi(number)
	if !isCopy || err != nil {
		return line
	}
	_, rest, _ = strings.Cut(rest, ":") // the column is that of the copy
	return fmt.Sprintf("%s:%d:%s", source, (n+1)/2, rest)
}
