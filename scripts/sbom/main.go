// Command sbom writes the bill of materials of the program and the page in the form
// of CycloneDX, from what "go run ./scripts/supply parts" prints. It is a module of
// its own, so that the library that writes the form is no dependency of the engine.
//
//	scripts/sbom/run                          write sbom.cdx.json
//	scripts/sbom/run -check                   fail if that file is not current
//	scripts/sbom/run -version v1.2.3 -out F   write it for a release
//	scripts/sbom/run -of BINARY               fail if a module of a Go program is missing in it
//
// It holds no time and no random number: the same parts give the same bytes.
package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// itself names the program among the components.
const itself = "pkg:golang/github.com/preadmit/preadmit"

// part is what scripts/supply prints of a Go module or npm package.
type part struct {
	Name, Version, Type string
	Licences            []string
	In, Needs           []string
	Integrity           string
}

func main() {
	file := flag.String("out", "sbom.cdx.json", "the file")
	version := flag.String("version", "", "the version of a release")
	name := flag.String("name", "preadmit", "the program that it is of")
	check := flag.Bool("check", false, "fail if the file is not current")
	of := flag.String("of", "", "a Go program whose modules must all be in the file")
	flag.Parse()
	if err := run(*file, *name, *version, *check, *of); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(file, name, version string, check bool, of string) error {
	if of != "" {
		return complete(file, of)
	}
	var parts []part
	if err := json.NewDecoder(os.Stdin).Decode(&parts); err != nil {
		return fmt.Errorf("the parts on the standard input: %w", err)
	}
	bom, err := bill(parts, name, version)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := cdx.NewBOMEncoder(&out, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return fmt.Errorf("writing CycloneDX: %w", err)
	}
	if !check {
		return os.WriteFile(file, out.Bytes(), 0o644)
	}
	have, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if !bytes.Equal(have, out.Bytes()) {
		return fmt.Errorf("%s is not current: run scripts/sbom/run", file)
	}
	fmt.Printf("%s is current: %d components\n", file, len(*bom.Components))
	return nil
}

// bill makes the bill of materials. version is that of a release, else empty: a file
// in the repository cannot name its own commit.
func bill(parts []part, name, version string) (*cdx.BOM, error) {
	bom := cdx.NewBOM()
	root := cdx.Component{
		BOMRef: itself, Type: cdx.ComponentTypeApplication, Name: name, Version: version,
		Licenses: licences([]string{"Apache-2.0"}), PackageURL: withVersion(itself, version),
	}
	bom.Metadata = &cdx.Metadata{Component: &root}

	standard := cdx.Component{
		BOMRef: "pkg:golang/std", Type: cdx.ComponentTypeLibrary, Name: "std",
		Description: "the standard library of Go", Licenses: licences([]string{"BSD-3-Clause"}),
	}
	if version != "" {
		standard.Version = strings.TrimPrefix(runtime.Version(), "go")
	}
	standard.PackageURL = withVersion(standard.BOMRef, standard.Version)
	components := []cdx.Component{standard}

	ref := map[string]string{}
	for _, p := range parts {
		ref[p.Type+" "+p.Name] = p.url()
	}
	all := []string{standard.BOMRef}
	var edges []cdx.Dependency
	for _, p := range parts {
		c, err := p.component()
		if err != nil {
			return nil, err
		}
		components = append(components, c)
		all = append(all, c.BOMRef)
		var needs []string
		for _, name := range p.Needs {
			if to := ref[p.Type+" "+name]; to != "" {
				needs = append(needs, to)
			}
		}
		edges = append(edges, cdx.Dependency{Ref: c.BOMRef, Dependencies: &needs})
	}
	bom.Components = &components
	bom.Dependencies = new(append([]cdx.Dependency{{Ref: itself, Dependencies: &all}}, edges...))
	return bom, nil
}

// url is the package URL, by which scanners know a part.
func (p part) url() string {
	return withVersion("pkg:"+p.Type+"/"+strings.ReplaceAll(p.Name, "@", "%40"), p.Version)
}

func withVersion(url, version string) string {
	if version == "" {
		return url
	}
	return url + "@" + strings.ReplaceAll(version, "+", "%2B")
}

// component describes a part. The property says in which of the programs it is.
func (p part) component() (cdx.Component, error) {
	c := cdx.Component{
		BOMRef: p.url(), Type: cdx.ComponentTypeLibrary, Name: p.Name, Version: p.Version, PackageURL: p.url(),
		Licenses:   licences(p.Licences),
		Properties: &[]cdx.Property{{Name: "preadmit:in", Value: strings.Join(p.In, ", ")}},
	}
	if len(p.Licences) == 0 {
		return c, fmt.Errorf("%s has no licence", p.Name)
	}
	if p.Integrity != "" {
		sum, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(p.Integrity, "sha512-"))
		if err != nil || len(sum) != 64 {
			return c, fmt.Errorf("%s has the checksum %q, which is no SHA-512", p.Name, p.Integrity)
		}
		c.Hashes = &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA512, Value: hex.EncodeToString(sum)}}
	}
	return c, nil
}

func licences(ids []string) *cdx.Licenses {
	var list cdx.Licenses
	for _, id := range ids {
		list = append(list, cdx.LicenseChoice{License: &cdx.License{ID: id}})
	}
	return &list
}

// complete fails when a module that a Go program was built from, as the program itself
// says, is not in the bill with that version.
func complete(file, program string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	bom := new(cdx.BOM)
	if err := cdx.NewBOMDecoder(io.Reader(f), cdx.BOMFileFormatJSON).Decode(bom); err != nil {
		return fmt.Errorf("reading %s: %w", file, err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return err
	}
	if len(info.Deps) == 0 {
		return fmt.Errorf("%s names no modules", program)
	}
	for _, m := range info.Deps {
		if "pkg:golang/"+m.Path == itself {
			continue // the plugin's module uses the one at the top, which is ours too
		}
		listed := slices.ContainsFunc(*bom.Components, func(c cdx.Component) bool { return c.Name == m.Path && c.Version == m.Version })
		if !listed {
			return fmt.Errorf("%s has %s %s, which %s does not list", program, m.Path, m.Version, file)
		}
	}
	fmt.Printf("%d modules of %s are in %s\n", len(info.Deps), program, file)
	return nil
}
