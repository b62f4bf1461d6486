// Package codes lists the codes of everything that the engine reports: problems
// of a text, notes on a step, findings and broken links. Codes are stable: a
// program may compare them with the constants of this package.
//
// A code's documentation is the file data/CODE.txtar: a head with its
// title, group, severities and repairs, its meaning and remedy, a scenario
// that shows it, and the scenario's diagnostics. The files are the source
// of docs/diagnostics.md and of the constants ("go run ./scripts/docs" writes
// both), and a test runs every example.
package codes

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"
)

// ReportAddress is the address for reporting bugs in Preadmit.
const ReportAddress = "https://github.com/preadmit/preadmit/issues/new"

// Entry explains one code.
type Entry struct {
	Code string
	// Title names the problem in a few words.
	Title string
	// Group is the name of its group.
	Group string
	// Severities are the problem's possible diag.Severity values, or Note for a code reported at a
	// step or an expression.
	Severities []string
	// Repairs reports whether diagnostics with this code have diag.Fixes.
	Repairs Repairs
	// Meaning describes the problem in one paragraph without line breaks.
	Meaning string
	// Repair says what to do about it; empty if there is nothing to do.
	Repair string
	// Example is a scenario, as a txtar archive, that shows the code. It is empty for a few codes
	// that need megabytes, binary data, or a link.
	Example string
	// Repairable is a second example, for a code whose diagnostic only sometimes has a repair, and
	// not in Example. It is empty for other codes.
	Repairable string
	// Good is the corrected example, without diagnostics of this code.
	Good string
	// Reported has the diagnostics of this code in Example's report, one per line.
	Reported string
}

// Note is the severity of a code reported at a step or an expression.
const Note = "note"

// Repairs says whether a code's diagnostics have repairs.
type Repairs string

// The values of Repairs.
const (
	Never     Repairs = "no"
	Always    Repairs = "yes"
	Sometimes Repairs = "sometimes"
)

// Group holds the codes from one part of the engine.
type Group struct {
	Name  string // as Entry.Group has it
	Title string
	// About says in a sentence where these codes occur.
	About   string
	Entries []Entry // by code
}

// The section names of an entry that are not files of its example.
const (
	reportedSection = "reported"
	// repairFolder holds the files of Repairable.
	repairFolder = "repair/"
	// goodFolder holds the files of Good.
	goodFolder = "good/"
	// archiveSection holds an example without files.
	archiveSection = "archive"
)

//go:embed data/*.txtar groups.txtar
var files embed.FS

var (
	once   sync.Once // not an init function, so that programs with only the constants do not link the texts
	groups []Group
)

// Groups lists all codes in the documentation's order. The list is shared: do not change it.
func Groups() []Group {
	once.Do(func() {
		var err error
		if groups, err = read(files); err != nil {
			panic(err) // the files are embedded and tested
		}
	})
	return groups
}

// All lists every code once.
func All() []Entry {
	var out []Entry
	for _, g := range Groups() {
		out = append(out, g.Entries...)
	}
	return out
}

// Find returns a code's entry.
func Find(code string) (Entry, bool) {
	for _, g := range Groups() {
		for _, e := range g.Entries {
			if e.Code == code {
				return e, true
			}
		}
	}
	return Entry{}, false
}

// read reads all groups and entries.
func read(from fs.FS) ([]Group, error) {
	text, err := fs.ReadFile(from, "groups.txtar")
	if err != nil {
		return nil, err
	}
	var list []Group
	index := map[string]int{}
	for i, f := range txtar.Parse(text).Files {
		title, about, _ := strings.Cut(string(f.Data), "\n")
		list = append(list, Group{Name: f.Name, Title: title, About: joined(about)})
		index[f.Name] = i
	}
	names, err := fs.Glob(from, "data/*.txtar")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := fs.ReadFile(from, name)
		if err != nil {
			return nil, err
		}
		e, err := parse(strings.TrimSuffix(path.Base(name), ".txtar"), text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		i, ok := index[e.Group]
		if !ok {
			return nil, fmt.Errorf("%s: there is no group %q", name, e.Group)
		}
		list[i].Entries = append(list[i].Entries, e)
	}
	return list, nil
}

// parse reads one code's file.
func parse(code string, text []byte) (Entry, error) {
	e := Entry{Code: code}
	archive := txtar.Parse(text)
	head, body, _ := strings.Cut(string(archive.Comment), "\n\n")
	for line := range strings.SplitSeq(head, "\n") {
		key, value, ok := strings.Cut(line, ": ")
		if !ok {
			return e, fmt.Errorf("%q is not a line of the head, such as \"title: Not YAML\"", line)
		}
		switch key {
		case "title":
			e.Title = value
		case "group":
			e.Group = value
		case "severity":
			e.Severities = strings.Split(value, ", ")
		case "repairs":
			e.Repairs = Repairs(value)
		default:
			return e, fmt.Errorf("the head has no field %q", key)
		}
	}
	meaning, repair, _ := strings.Cut(body, "\n\nRepair: ")
	e.Meaning, e.Repair = joined(meaning), joined(repair)
	e.sections(archive.Files)
	return e, nil
}

// sections separates the examples from the reported diagnostics.
func (e *Entry) sections(list []txtar.File) {
	var example, repairable, good txtar.Archive
	for _, f := range list {
		name, ofRepair := strings.CutPrefix(f.Name, repairFolder)
		right, ofGood := strings.CutPrefix(f.Name, goodFolder)
		switch {
		case f.Name == reportedSection:
			e.Reported = string(f.Data)
		case f.Name == archiveSection:
			example.Comment = f.Data
		case ofRepair:
			repairable.Files = append(repairable.Files, txtar.File{Name: name, Data: f.Data})
		case ofGood:
			good.Files = append(good.Files, txtar.File{Name: right, Data: f.Data})
		default:
			example.Files = append(example.Files, f)
		}
	}
	e.Example, e.Repairable, e.Good = string(txtar.Format(&example)), string(txtar.Format(&repairable)), string(txtar.Format(&good))
}

// joined joins a paragraph's lines into one.
func joined(text string) string { return strings.Join(strings.Fields(text), " ") }
