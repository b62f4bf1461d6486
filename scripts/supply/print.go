package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// printed is a part in the JSON that scripts/sbom reads.
type printed struct {
	Name      string   `json:"name"`
	Version   string   `json:"version"`
	Type      string   `json:"type"` // golang or npm, as in package URLs
	Licences  []string `json:"licences"`
	In        []string `json:"in"`
	Needs     []string `json:"needs"`
	Integrity string   `json:"integrity,omitempty"`
}

// printParts writes parts, with what a bill of materials says of them.
func printParts(parts []part, err error) error {
	if err != nil {
		return err
	}
	var out []printed
	for _, p := range parts {
		one := printed{Name: p.name, Version: p.version, Type: "golang", In: p.in, Needs: p.needs, Integrity: p.integrity}
		if p.npm {
			one.Type, one.Licences = "npm", []string{p.licence}
		} else if one.Licences, err = p.spdx(); err != nil {
			return err
		}
		slices.Sort(one.Needs)
		out = append(out, one)
	}
	return json.NewEncoder(os.Stdout).Encode(out)
}

// phrases, written without commas, are in the text of a licence, and in no other of the list before it. The
// first that fits counts.
var phrases = []struct{ id, phrase string }{
	{"Apache-2.0", "Apache License Version 2.0"},
	{"MPL-2.0", "Mozilla Public License Version 2.0"},
	{"BSD-3-Clause", "Neither the name of"},
	{"BSD-2-Clause", "Redistributions in binary form must reproduce"},
	{"ISC", "Permission to use copy modify and/or distribute this software"},
	{"MIT", "Permission is hereby granted free of charge to any person obtaining a copy"},
}

// spdx gives the identifiers of the licences of a Go module, as their texts say. A
// licence that is not known is an error: somebody has to look at it.
func (p part) spdx() ([]string, error) {
	files, err := p.licenceFiles()
	if err != nil {
		return nil, err
	}
	var found []string
	for _, f := range files {
		if name := strings.ToLower(filepath.Base(f.path)); strings.HasPrefix(name, "notice") || strings.HasPrefix(name, "patents") {
			continue
		}
		text := strings.ToLower(strings.Join(strings.Fields(strings.ReplaceAll(f.text, ",", " ")), " "))
		i := slices.IndexFunc(phrases, func(l struct{ id, phrase string }) bool { return strings.Contains(text, strings.ToLower(l.phrase)) })
		if i < 0 {
			return nil, fmt.Errorf("%s has a licence that is not known: %s", p.name, f.path)
		}
		if !slices.Contains(found, phrases[i].id) {
			found = append(found, phrases[i].id)
		}
	}
	slices.Sort(found)
	return found, nil
}
