package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// maxReferenced limits the files that a scenario's references name, to the number of documents in
// one text.
const maxReferenced = 1000

// referencedFiles returns the policy files that the settings name. sources is the settings' file. A
// missing file is an error with its place.
func referencedFiles(refs []string, settings string, sources text.Sources) ([]string, error) {
	places := referencePlaces(settings)
	var out []string
	for i, ref := range refs {
		at := text.Place{File: scenario.SettingsFile, Line: 1, Column: 1}
		if i < len(places) {
			if known, ok := sources.Place(diag.Settings, places[i]); ok {
				at = known
			}
		}
		files, err := referenced(ref, at)
		if err != nil {
			return nil, err
		}
		for _, file := range files {
			if !slices.Contains(out, file) {
				out = append(out, file)
			}
		}
		if len(out) > maxReferenced {
			return nil, badInput("%s: %s: the scenario names more than %d files with policies", at, ref, maxReferenced)
		}
	}
	return out, nil
}

// referenced are the files for one reference.
func referenced(ref string, at text.Place) ([]string, error) {
	switch {
	case strings.TrimSpace(ref) == "":
		return nil, badInput("%s: %s must be a path, or a list of paths", at, scenario.PolicyFilesField)
	case filepath.IsAbs(ref), strings.Contains(ref, "://"):
		return nil, &inputError{fmt.Sprintf("%s: %s is not a relative path", at, ref),
			"Write the path from the folder of the scenario to the policies. Then the scenario works on every machine."}
	}
	files, err := policyFiles(filepath.Join(filepath.Dir(at.File), filepath.FromSlash(ref)))
	if err != nil {
		return nil, badInput("%s: cannot read the policies in %s: %v", at, ref, err)
	}
	return files, nil
}

// referencePlaces returns the references' places in the settings, in order.
func referencePlaces(settings string) []diag.Span {
	docs, _ := scenario.ParseDocuments(diag.Settings, settings)
	if len(docs) == 0 {
		return nil
	}
	var out []diag.Span
	add := func(path string, value any) {
		list, several := value.([]any)
		for i := range list {
			out = append(out, docs[0].Locate(fmt.Sprintf("%s[%d]", path, i)))
		}
		if value != nil && !several {
			out = append(out, docs[0].Locate(path))
		}
	}
	add(scenario.PolicyFilesField, docs[0].Value[scenario.PolicyFilesField])
	if options, ok := docs[0].Value["options"].(map[string]any); ok {
		add("options.policyFiles", options["policyFiles"])
	}
	return out
}

// readReferenced adds the referenced policies to the scenario's own. It adds nothing twice: a
// reference may name the scenario's own folder.
func (in *input) readReferenced(settings string) error {
	files, err := referencedFiles(in.Options.PolicyFiles, settings, in.sources)
	if err != nil {
		return err
	}
	in.Options.PolicyFiles = nil
	for _, file := range files {
		if in.hasFile(file) {
			continue
		}
		content, err := readFile(file)
		if err != nil {
			return err
		}
		in.add(diag.Policies, file, string(content), 1)
		in.referenced = append(in.referenced, file)
	}
	in.joined(&in.Policies, diag.Policies)
	return nil
}

// hasFile reports whether the policies already include a file.
func (in *input) hasFile(name string) bool {
	source := in.sources[diag.Policies]
	return source != nil && slices.ContainsFunc(source.Pieces, func(p text.Piece) bool { return filepath.Clean(p.File) == filepath.Clean(name) })
}
