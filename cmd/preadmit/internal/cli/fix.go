package cli

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/checks"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/engine/edit/secrets"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/linediff"
	"github.com/preadmit/preadmit/render/text"
)

type fixFlags struct {
	settings       *settings
	write, secrets bool
}

func (a *app) fixCommand() *cobra.Command {
	var files []string
	fixes := &fixFlags{}
	c, f := a.newCommand("fix PATH...", "Apply fixes that have one likely answer", func(args []string) (int, error) { return a.fix(append(args, files...), fixes) })
	f.list(&files, "filename", "f", "the same as a `PATH`; repeatable")
	f.BoolVar(&fixes.write, "write", false, "change the files; print the result of standard input or a pipe")
	f.BoolVar(&fixes.secrets, "secrets", false, "replace secret values, and nothing else")
	fixes.settings = f.version(false)
	return c
}

// fix applies sure repairs, and prints or writes the changes.
func (a *app) fix(paths []string, fixes *fixFlags) (int, error) {
	sets, err := a.readManifests("fix", paths)
	if err != nil {
		return 0, err
	}
	code := exitOK
	done := map[string]bool{} // files that an earlier set changed or printed
	for _, set := range sets {
		fixes.settings.apply(&set.Scenario)
		one := a.fixSet
		if fixes.secrets {
			one = a.hideSecrets
		}
		c, err := one(set, done, fixes.write)
		if err != nil {
			return 0, err
		}
		code = max(code, c)
	}
	return code, nil
}

// contents are a set's unchanged files.
func (m *manifestSet) contents() map[*manifest]string {
	before := map[*manifest]string{}
	for _, file := range m.files {
		before[file] = file.Content
	}
	return before
}

// hideSecrets replaces secret values, also those of an old object in the settings.
func (a *app) hideSecrets(set *manifestSet, done map[string]bool, write bool) (int, error) {
	if set.settings != nil {
		set.files = append(set.files, set.settings)
	}
	before := set.contents()
	found := secrets.Find(set.Scenario)
	if err := set.Edit(found.Fix()); err != nil {
		return 0, fmt.Errorf("replacing secret values: %w", err)
	}
	if err := set.hideOldObject(found); err != nil {
		return 0, fmt.Errorf("replacing secret values: %w", err)
	}
	a.saySecrets(found, set.sources)
	if len(found.Found) == 0 {
		fmt.Fprintln(a.stderr, "nothing looks like a secret value")
	}
	_, err := a.sayChanges(set, before, done, write)
	return exitOK, err
}

// hideOldObject replaces the secret values of the old object in the settings.
func (m *manifestSet) hideOldObject(found secrets.Result) error {
	var fix diag.Fix
	for _, one := range found.Found {
		if one.Text == diag.Settings {
			fix.Edits = append(fix.Edits, one.Edit)
		}
	}
	if len(fix.Edits) == 0 || m.settings == nil {
		return nil
	}
	docs, _ := scenario.ParseDocuments(diag.Settings, m.settings.Content)
	if len(docs) != 1 {
		return fmt.Errorf("%s has %d documents", m.settings.display(), len(docs))
	}
	value, ok := docs[0].Scalar(oldObjectSetting)
	if !ok {
		return fmt.Errorf("%s has no text at %s", m.settings.display(), oldObjectSetting)
	}
	old := m.Options.Request.OldObject
	for i := range fix.Edits {
		span := &fix.Edits[i].Span
		*span = value.SpanOfRunes(utf8.RuneCountInString(old[:span.Start]), utf8.RuneCountInString(old[:span.End]))
	}
	var err error
	m.settings.Content, err = fix.Apply(diag.Settings, m.settings.Content)
	return err
}

// oldObjectSetting is the path of an update's old object in scenario.yaml.
const oldObjectSetting = "options.request.oldObject"

// fixSet repairs a set's files.
func (a *app) fixSet(set *manifestSet, done map[string]bool, write bool) (int, error) {
	result, err := repairs.All(a.ctx, set.Scenario)
	if err != nil {
		return 0, fmt.Errorf("repairing: %w", err)
	}
	for _, round := range result.Rounds {
		set.addMissing(round.Edits)
	}
	before := set.contents()
	for _, round := range result.Rounds {
		if err := set.Edit(round); err != nil {
			return 0, fmt.Errorf("repairing: %w", err)
		}
	}
	applied := 0
	for _, r := range result.Applied {
		if !slices.ContainsFunc(r.Edited, set.hasFile) {
			continue // files without a scenario have no place for what the cluster lacks
		}
		applied++
		where := r.Document
		if where == "" { // it is about the text, or about something that is not a document yet
			where = string(r.Text) + ".yaml"
		}
		fmt.Fprintf(a.stderr, "%s: %s [%s]\n", text.Safe(where), text.Safe(r.Title), r.Code)
	}
	changed, err := a.sayChanges(set, before, done, write)
	if err != nil {
		return 0, err
	}
	checks.DefinitionErrors(result.Report.Diagnostics)
	left := len(result.Report.Diagnostics.Errors()) + len(set.problems.Errors())
	if changed == 0 && applied == 0 {
		fmt.Fprintln(a.stderr, "nothing to fix automatically")
	}
	a.sayOffered(result)
	if left > 0 {
		fmt.Fprintf(a.stderr, "remaining errors: %d; preadmit check shows them\n", left)
		return exitInput, nil
	}
	return exitOK, nil
}

// sayOffered lists the problems that are left and have fixes, also those of other requests than the scenario's.
func (a *app) sayOffered(result *repairs.Result) {
	problems := result.Report.Diagnostics
	if result.Scenario.Request != "" { // without a request, they are foreseen already
		if c, _ := engine.Compile(result.Scenario); c != nil {
			problems = engine.WithForeseen(problems, c.Foresee(a.ctx, engine.Options{TryRepairs: true}))
		}
	}
	n := 0
	for _, d := range problems {
		if len(d.Fixes) == 0 {
			continue
		}
		n++
		where := d.Document
		if where == "" {
			where = string(d.Text) + ".yaml"
		}
		fmt.Fprintf(a.stderr, "%s: %s [%s]\n", text.Safe(where), text.Safe(d.Summary), d.Code)
		for _, fix := range d.Fixes {
			fmt.Fprintf(a.stderr, "  fix: %s\n", text.Safe(fix.Title))
		}
	}
	if n > 0 {
		fmt.Fprintf(a.stderr, "problems with fixes to choose from: %d; preadmit check shows them, preadmit lsp and preadmit ui apply one\n", n)
	}
}

// sayChanges writes or prints the changed files and returns their number. A file in two scenarios
// is changed with the first.
func (a *app) sayChanges(set *manifestSet, before map[*manifest]string, done map[string]bool, write bool) (int, error) {
	var out strings.Builder
	changed := 0
	say := func(path, before, after string) error {
		switch {
		case before == after, done[path]:
		case write && path != "-" && !isPipe(path):
			changed++
			if err := replaceFile(path, []byte(after)); err != nil {
				return err
			}
		case write:
			out.WriteString(after)
		default:
			changed++
			out.WriteString(linediff.Of(path, before, path, after).String())
		}
		done[path] = true
		return nil
	}
	var archives []*archive
	for _, file := range set.files {
		if file.archive == nil {
			if err := say(file.Path, before[file], file.Content); err != nil {
				return 0, err
			}
			continue
		}
		if file.Content != before[file] {
			file.archive.files[file.member].Data = []byte(file.Content)
		}
		if !slices.Contains(archives, file.archive) {
			archives = append(archives, file.archive)
		}
	}
	for _, whole := range archives {
		if err := say(whole.path, whole.content, whole.format()); err != nil {
			return 0, err
		}
	}
	written := out.String()
	if !write {
		written = text.Safe(written)
	}
	return changed, a.say(written)
}

// saySecrets lists the findings on standard error, without the values.
func (a *app) saySecrets(found secrets.Result, sources text.Sources) {
	for _, one := range found.Found {
		file, line := string(one.Text), one.Line
		if one.Text == diag.Settings {
			file = scenario.SettingsFile + ", in " + oldObjectSetting
		} else if at, ok := sources.Place(one.Text, one.Edit.Span); ok {
			file, line = at.File, at.Line
		}
		fmt.Fprintf(a.stderr, "%s:%d: %s\n", file, line, text.Safe(one.What))
	}
	for _, name := range found.Unread {
		fmt.Fprintf(a.stderr, "%s: not all of it could be read; more secrets may be in it\n", name)
	}
}
