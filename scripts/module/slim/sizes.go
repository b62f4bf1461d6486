package main

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/scripts/module/wasmfile"
)

// module is a WebAssembly module with the names of its functions.
type module struct {
	total    int            // bytes without the names
	stripped []byte         // the module without the names
	packages map[string]int // bytes of code by package
}

// readModule reads a module. The names of functions are those of packages with
// everything but letters, digits and dots replaced, so the packages have to be known.
func readModule(data []byte, packages map[string]*listed) (m module, err error) {
	defer wasmfile.Catch(&err)
	file, err := wasmfile.Read(data)
	if err != nil {
		return module{}, err
	}
	names, imported, code := file.Names(), file.Imports(), file.Body(wasmfile.Code)
	if code == nil || len(names) == 0 {
		return module{}, wasmfile.ErrModule
	}
	file.Sections = slices.DeleteFunc(file.Sections, wasmfile.Section.IsNames)
	stripped := file.Bytes()
	m = module{total: len(stripped), stripped: stripped, packages: map[string]int{}}
	known := mangled(packages)
	for i, body := range wasmfile.Functions(code) {
		length := len(wasmfile.AppendUnsigned(nil, len(body)))
		m.packages[packageOf(names[i+imported], known)] += length + len(body)
	}
	return m, nil
}

var mangling = regexp.MustCompile(`[^\w.]`)

func mangled(packages map[string]*listed) map[string]string {
	known := map[string]string{}
	for path := range packages {
		known[mangling.ReplaceAllString(path, "_")] = path
	}
	return known
}

// packageOf is the package of a function, or "other" for what the compiler makes.
func packageOf(name string, known map[string]string) string {
	name = mangling.ReplaceAllString(name, "_")
	for end := len(name); end > 0; {
		end = strings.LastIndexByte(name[:end], '.')
		if end < 0 {
			break
		}
		if path, ok := known[name[:end]]; ok {
			return path
		}
	}
	return "other"
}

// allowed is the table that a build is compared with, built that of the last build.
func (t target) allowed() string { return t.added + "/packages.txt" }
func (t target) built() string   { return t.build + "-packages.txt" }

const (
	// listedFrom is the size from which a package has a line of its own, in bytes.
	listedFrom = 10_000
	// growth is what a module may grow by unasked, in percent.
	growth = 1
)

// table is the text of packages.txt.
func (m module) table() string {
	var out strings.Builder
	out.WriteString("# A module for the browser: its bytes before compression, then bytes of code of the\n" +
		"# packages that have 10,000 or more. scripts/test compares; after growth that is\n" +
		"# meant: go run ./scripts/module/slim -of MODULE -update\n")
	fmt.Fprintf(&out, "%d total\n", m.total)
	names := sortedKeys(m.packages)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(m.packages[b], m.packages[a]) })
	for _, name := range names {
		if m.packages[name] >= listedFrom {
			fmt.Fprintf(&out, "%d %s\n", m.packages[name], name)
		}
	}
	return out.String()
}

// parseTable reads a table: bytes by package, and the total.
func parseTable(table string) (map[string]int, error) {
	sizes := map[string]int{}
	for line := range strings.Lines(table) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		var size int
		var name string
		if _, err := fmt.Sscan(line, &size, &name); err != nil {
			return nil, fmt.Errorf("a line of the sizes of packages, %q: %w", line, err)
		}
		sizes[name] = size
	}
	return sizes, nil
}

// compare returns why a module may not be as it is now: it grew, or has a package
// that is not allowed.
func compare(was, now map[string]int) error {
	var problems []string
	for _, name := range sortedKeys(now) {
		// A package on the threshold may come and go.
		if _, ok := was[name]; !ok && now[name] >= listedFrom*11/10 {
			problems = append(problems, fmt.Sprintf("%s is new, with %d bytes", name, now[name]))
		}
	}
	if now["total"]*100 > was["total"]*(100+growth) {
		problems = append(problems, fmt.Sprintf("the module grew from %d to %d bytes, by more than %d %%: %s", was["total"], now["total"], growth, grown(was, now)))
	}
	if problems == nil {
		return nil
	}
	return fmt.Errorf("%s\nif that is meant: go run ./scripts/module/slim -of MODULE -update", strings.Join(problems, "\n"))
}

// grown names the packages that grew most.
func grown(was, now map[string]int) string {
	names := sortedKeys(now)
	by := func(name string) int { return now[name] - was[name] }
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(by(b), by(a)) })
	var out []string
	for _, name := range names {
		if name != "total" && by(name) > 0 && len(out) < 5 {
			out = append(out, fmt.Sprintf("%s by %d", name, by(name)))
		}
	}
	return strings.Join(out, ", ")
}

// strip writes the module without names, and the table of what it consists of.
func (t target) strip(from, to string) error {
	m, err := t.readFile(from)
	if err != nil {
		return err
	}
	if err := writeFile(to, m.stripped); err != nil {
		return err
	}
	return writeFile(t.built(), []byte(m.table()))
}

// compareBuild compares the table of the last build with the one that is allowed.
func (t target) compareBuild() error {
	now, err := os.ReadFile(t.built())
	if err != nil {
		return err
	}
	was, err := os.ReadFile(t.allowed())
	if err != nil {
		return err
	}
	sizes, err := parseTable(string(now))
	if err != nil {
		return err
	}
	before, err := parseTable(string(was))
	if err != nil {
		return err
	}
	return compare(before, sizes)
}

func (t target) readFile(name string) (module, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return module{}, err
	}
	packages, err := t.list()
	if err != nil {
		return module{}, err
	}
	return readModule(data, packages)
}
