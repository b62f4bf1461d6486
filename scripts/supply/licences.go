package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licences is embedded in the command line as its help on licenses, and copied to
// the site.
const licences = "cmd/preadmit/internal/cli/help/licenses.txt"

var licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents)([.-].*)?$`)

// text is a licence or notice and the parts that it belongs to.
type text struct {
	body  string
	parts []string
}

// writeLicences writes the file, or fails if it would change.
func writeLicences(check bool) error {
	parts, err := shipped()
	if err != nil {
		return err
	}
	content, err := allLicences("preadmit help licenses: the licence of Preadmit, and those of what is in it\n\n", "are in the command line or in the page.\n", parts)
	if err != nil {
		return err
	}
	if !check {
		return os.WriteFile(licences, content, 0o644)
	}
	have, err := os.ReadFile(licences)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, content) {
		return errors.New(licences + " is not current: run go run ./scripts/supply licenses")
	}
	return nil
}

// printPluginLicences writes those of the plugin of kubectl to the standard output.
func printPluginLicences() error {
	parts, err := goModules(plugin)
	if err != nil {
		return err
	}
	content, err := allLicences("The licence of kubectl-preadmit, and those of what is in it\n\n", "are in it.\n", parts)
	if err != nil {
		return err
	}
	_, err = os.Stdout.Write(content)
	return err
}

// allLicences is the text: a title, our own licence, and those of the parts, which where
// says the place of.
func allLicences(title, where string, parts []part) ([]byte, error) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	parts = append([]part{{name: "the Go standard library", folders: []string{strings.TrimSpace(string(root))}}}, parts...)
	var texts []*text
	for _, p := range parts {
		if texts, err = p.licences(texts); err != nil {
			return nil, err
		}
	}
	var b bytes.Buffer
	b.WriteString(title)
	for _, own := range []string{"NOTICE", "LICENSE"} {
		raw, err := os.ReadFile(own)
		if err != nil {
			return nil, err
		}
		b.Write(raw)
		b.WriteByte('\n')
	}
	b.WriteString("What follows are the licences and notices of the Go modules and npm packages that\n" + where)
	for _, t := range texts {
		fmt.Fprintf(&b, "\n%s\n", strings.Repeat("=", 80))
		for _, name := range t.parts {
			fmt.Fprintln(&b, name)
		}
		fmt.Fprintf(&b, "%s\n\n%s\n", strings.Repeat("-", 80), t.body)
	}
	return b.Bytes(), nil
}

// licences adds the texts of one part. A part without any is an error: it must
// not be shipped.
func (p part) licences(texts []*text) ([]*text, error) {
	slices.Sort(p.folders)
	files, err := p.licenceFiles()
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no licence file", p.name)
	}
	for _, f := range files {
		texts = add(texts, strings.TrimSpace(strings.ReplaceAll(f.text, "\r\n", "\n")), strings.TrimSpace(p.name+" "+p.version))
	}
	return texts, nil
}

// licenceFiles are the licences and notices in the folders of a part, with their paths.
func (p part) licenceFiles() (files []struct{ path, text string }, err error) {
	for _, folder := range p.folders {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			// What ends in .docs is the licence of documents, which no program contains.
			if e.IsDir() || !licenceFile.MatchString(e.Name()) || strings.HasSuffix(e.Name(), ".go") || strings.HasSuffix(e.Name(), ".docs") {
				continue
			}
			path := filepath.Join(folder, e.Name())
			raw, err := os.ReadFile(path)
			if err != nil {
				return nil, err
			}
			files = append(files, struct{ path, text string }{path, string(raw)})
		}
	}
	return files, nil
}

// add adds a text, or its owner to the same text of others.
func add(texts []*text, body, owner string) []*text {
	same := func(t *text) bool {
		return strings.Join(strings.Fields(t.body), " ") == strings.Join(strings.Fields(body), " ")
	}
	if i := slices.IndexFunc(texts, same); i >= 0 {
		if !slices.Contains(texts[i].parts, owner) {
			texts[i].parts = append(texts[i].parts, owner)
		}
		return texts
	}
	return append(texts, &text{body: body, parts: []string{owner}})
}
