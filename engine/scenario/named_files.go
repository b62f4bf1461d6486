package scenario

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// whole assigns files by their names.
func (c *classifier) whole(sources []sourceFile, files []File) {
	c.out.Whole = true
	if len(sources) > 0 && sources[0].archive != "" {
		c.out.Scenario, c.out.Diagnostics = FromTxtar([]byte(files[0].Text))
	} else {
		var others []sourceFile
		sources, others = once(sources)
		byName := map[string][]byte{}
		for _, s := range sources {
			byName[s.known()] = []byte(s.Text)
		}
		for _, name := range c.given.Unread {
			if slip(name) != "" {
				byName[name] = nil // fromNamed says which name was meant
			}
		}
		c.out.Scenario, c.out.Diagnostics = fromNamed(byName)
		unread := slices.DeleteFunc(slices.Clone(c.given.Unread), func(name string) bool {
			return slip(name) != "" || refersTo(c.out.Scenario.Options.PolicyFiles, name)
		})
		if len(others)+len(unread) > 0 {
			c.out.Diagnostics = append(c.out.Diagnostics, notRead(others, unread))
		}
	}
	for _, s := range sources {
		switch text, ok := fileTexts[s.known()]; {
		case s.twice:
		case text == diag.Settings:
			c.out.Settings = s.Text
			fallthrough
		case ok:
			c.out.Pieces = append(c.out.Pieces, Piece{Text: text, File: s.place(), Line: s.before + 1})
		case s.known() == ExpectedFile:
			c.out.Expected = &Expectation{s.Text, s.before}
		}
	}
}

// refersTo reports whether the settings' references to policies name a file of their folder. The
// command line reads it.
func refersTo(references []string, name string) bool {
	return slices.ContainsFunc(references, func(ref string) bool {
		ref = strings.TrimPrefix(path.Clean(ref), "**/")
		matches, err := path.Match(ref, name)
		return ref == "." || err == nil && matches
	})
}

// once separates the scenario's files from other manifests: those with other names and,
// where a name is used several times, those in deeper folders.
func once(sources []sourceFile) (read, others []sourceFile) {
	depth := func(s sourceFile) int { return strings.Count(s.Name, "/") }
	sources = slices.Clone(sources)
	slices.SortStableFunc(sources, func(a, b sourceFile) int { return cmp.Compare(depth(a), depth(b)) })
	seen := map[string]bool{}
	for _, s := range sources {
		name := s.known()
		_, text := fileTexts[name]
		switch part := text || name == ExpectedFile || name == CasesFile || slip(name) != ""; {
		case seen[name], !part && s.Text != "":
			others = append(others, s)
		default:
			read = append(read, s)
		}
		seen[name] = true
	}
	return read, others
}

// mostNamed limits the files named in a sentence.
const mostNamed = 3

// notRead lists files that were left out because the others form a scenario. A folder may have the unread
// ones for another purpose. The others were handed over, so they were meant.
func notRead(files []sourceFile, unread []string) diag.Diagnostic {
	severity := diag.Info
	var names []string
	for _, f := range files {
		names, severity = append(names, f.Name), diag.Warning
	}
	names = append(names, unread...)
	list := strings.Join(names[:min(len(names), mostNamed)], ", ")
	if more := len(names) - mostNamed; more > 0 {
		list += fmt.Sprintf(" and %d more", more)
	}
	verb := "are"
	if len(names) == 1 {
		verb = "is"
	}
	return diag.Diagnostic{
		Code: codes.UnreadFile, Severity: severity, Text: diag.Settings,
		Summary: fmt.Sprintf("%s %s not read: the other files are those of a scenario", list, verb),
		Detail:  "Beside policies.yaml, request.yaml and cluster.yaml, other files are not read. Move their documents into these files. Of several files with the same name, only the outermost is read.",
	}
}

// fileTexts are a scenario's texts by file name.
var fileTexts = map[string]diag.Text{
	SettingsFile: diag.Settings, PoliciesFile: diag.Policies, RequestFile: diag.Request,
	ClusterFile: diag.Cluster, ExpressionFile: diag.Expression, RulesFile: diag.Expression,
}
