// Command mutation changes the engine's own rules, one operator at a time, and counts
// the changes that the recorded answers of a real server, the differential tests, the
// tests of the changed package and of the whole engine, and the examples notice.
//
//	go run ./scripts/mutation                  300 mutants, drawn with seed 1
//	go run ./scripts/mutation -n 1000 -seed 2  another sample
//	go run ./scripts/mutation -only match      of files whose paths contain that
//	go run ./scripts/mutation -again last.log  the survivors that a run has printed
//	go run ./scripts/mutation -n 9999 -only admission/storage -steps own
//	                                           all mutants of a package, with its own tests alone
//
// All mutants are compiled into one program, where each is a call that does what was
// written unless its number is chosen; so nothing is compiled again for each. The
// differential tests run once, without a mutant: a scenario in which the engine answers
// as the server does is one more right answer. Of the answers, those are asked in which
// the mutant changes a value or a statement on the way. A mutant that none of them
// notices is tried with the tests of its package and of those that import it, with those
// of the whole engine and with the examples.
// Comparisons are moved by one (< becomes <=), which for whole numbers is the
// constant beside them changed by one.
package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
)

//go:embed parts/mutated.go.txt
var mutatedSource []byte

//go:embed parts/driver.go.txt
var driverSource []byte

// deciding are the packages that hold rules of the server, besides the order of the
// stages in engine itself.
var deciding = []string{
	"engine/internal/kube/match", "engine/internal/kube/rbac", "engine/internal/kube/diff", "engine/internal/admission/condition",
	"engine/internal/admission/run", "engine/internal/admission/mutate", "engine/internal/admission/validate", "engine/internal/admission/webhook",
	"engine/internal/admission/customresource", "engine/internal/admission/plugins", "engine/internal/admission/storage",
}

// explaining are files of these packages that decide nothing: they word what was decided.
var explaining = []string{"explain.go", "notes.go", "describe.go", "locate.go", "webhook_facts.go", "lazy.go"}

// settings are those of one run.
type settings struct {
	n          int
	seed       uint64
	generators string
	recorded   string
	only       string
	again      string
	keep       string
	left       string
	steps      string
}

func main() {
	var s settings
	flag.IntVar(&s.n, "n", 300, "how many mutants to draw")
	flag.Uint64Var(&s.seed, "seed", 1, "of the draw")
	flag.StringVar(&s.generators, "generators", "differential:1000,webhooks:1000,custom:2000,builtin:5000", "the differential tests, and how many scenarios each generates")
	flag.StringVar(&s.recorded, "recorded", "", "the file of the generated scenarios: it is used if it is there, or else written")
	flag.StringVar(&s.only, "only", "", "only files whose paths contain this")
	flag.StringVar(&s.again, "again", "", "instead of a draw: the survivors in what an earlier run has printed")
	flag.StringVar(&s.keep, "keep", "", "a folder for what is made on the way, which makes another run of the same engine shorter")
	flag.StringVar(&s.left, "left", "", "a file for the mutants that are left after each step")
	flag.StringVar(&s.steps, "steps", "answers,own,importers,engine,examples", "what the mutants are tried against")
	flag.Parse()
	if err := run(s); err != nil {
		fmt.Fprintln(os.Stderr, "mutation:", err)
		os.Exit(1)
	}
}

func run(s settings) error {
	folder := s.keep
	if folder == "" {
		var err error
		if folder, err = os.MkdirTemp("", "mutation"); err != nil {
			return err
		}
		defer os.RemoveAll(folder)
	} else if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	all, err := prepare(folder, s.only)
	if err != nil {
		return err
	}
	drawn, err := draw(all, s.n, s.seed, s.again)
	if err != nil {
		return err
	}
	fmt.Printf("%d mutants, of which %d are tried (seed %d)\n", len(all), len(drawn), s.seed)
	steps := strings.Split(s.steps, ",")
	recorded := s.recorded
	if recorded == "" {
		recorded = filepath.Join(folder, "recorded.jsonl")
	}
	if _, err := os.Stat(recorded); err != nil && slices.Contains(steps, "answers") {
		if err := record(folder, recorded, s.generators); err != nil {
			return err
		}
	}
	survivors := drawn
	for _, try := range []struct {
		step, what string
		among      func([]mutant) ([]mutant, error)
	}{
		{"answers", "the recorded answers and the generated scenarios", func(m []mutant) ([]mutant, error) { return againstAnswers(folder, recorded, m) }},
		{"own", "the tests of their packages", func(m []mutant) ([]mutant, error) { return againstTests(folder, m, own) }},
		{"importers", "the tests of packages that import them", func(m []mutant) ([]mutant, error) { return againstTests(folder, m, importers) }},
		{"engine", "the tests of the whole engine", func(m []mutant) ([]mutant, error) { return againstEngine(folder, m) }},
		{"examples", "the examples", func(m []mutant) ([]mutant, error) { return againstExamples(folder, m) }},
	} {
		if !slices.Contains(steps, try.step) {
			continue
		}
		before := len(survivors)
		if survivors, err = try.among(survivors); err != nil {
			return err
		}
		fmt.Printf("%s kill %d\n", try.what, before-len(survivors))
		if s.left == "" {
			continue
		}
		if err := os.WriteFile(s.left, []byte(rows(survivors)), 0o600); err != nil {
			return err
		}
	}
	fmt.Printf("%d of %d are killed, %.1f %%\n\n| survivor | change | line |\n|---|---|---|\n", len(drawn)-len(survivors), len(drawn), 100*float64(len(drawn)-len(survivors))/float64(len(drawn)))
	fmt.Print(rows(survivors))
	return nil
}

// rows are mutants as the rows of a table.
func rows(mutants []mutant) string {
	var out strings.Builder
	for _, m := range mutants {
		fmt.Fprintln(&out, m.row())
	}
	return out.String()
}

// draw returns the mutants to try: so many at random, or those that an earlier run has
// printed, wherever their lines are now.
func draw(all []mutant, n int, seed uint64, again string) ([]mutant, error) {
	drawn := slices.Clone(all)
	if again != "" {
		printed, err := os.ReadFile(again)
		if err != nil {
			return nil, err
		}
		places, rows := map[string]bool{}, map[string]int{}
		for line := range strings.Lines(string(printed)) {
			place, rest, _ := strings.Cut(strings.TrimSpace(line), " | ")
			file, _, _ := strings.Cut(strings.TrimPrefix(place, "| "), ":")
			places[strings.TrimSpace(line)] = true
			rows[file+" | "+rest]++
		}
		text := func(m mutant) string {
			_, row, _ := strings.Cut(m.row(), " | ")
			return m.File + " | " + row
		}
		// Those that are where they were, and of the others as many as were printed.
		for _, m := range all {
			if places[m.row()] {
				rows[text(m)]--
			}
		}
		drawn = slices.DeleteFunc(drawn, func(m mutant) bool {
			if places[m.row()] {
				return false
			}
			rows[text(m)]--
			return rows[text(m)] < 0
		})
	} else {
		rand.New(rand.NewPCG(seed, 0)).Shuffle(len(drawn), func(i, j int) { drawn[i], drawn[j] = drawn[j], drawn[i] })
	}
	drawn = drawn[:min(n, len(drawn))]
	slices.SortFunc(drawn, func(a, b mutant) int { return a.ID - b.ID })
	return drawn, nil
}

// prepare writes the mutated files, and the overlay that puts them in place of ours.
func prepare(folder, only string) ([]mutant, error) {
	m := &mutator{}
	replaced := map[string]string{}
	put := func(path string, text []byte) error {
		absolute, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		to := filepath.Join(folder, strconv.Itoa(len(replaced))+".go")
		replaced[absolute] = to
		return os.WriteFile(to, text, 0o600)
	}
	for _, dir := range deciding {
		paths, err := filepath.Glob(dir + "/*.go")
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") || slices.Contains(explaining, filepath.Base(path)) || !strings.Contains(path, only) {
				continue
			}
			text, err := m.mutate(path)
			if err != nil {
				return nil, err
			}
			if err := put(path, text); err != nil {
				return nil, err
			}
		}
	}
	recorder, err := recording("engine/engine.go")
	if err != nil {
		return nil, err
	}
	if err := put("engine/engine.go", recorder); err != nil {
		return nil, err
	}
	if err := put("engine/internal/mutated/mutated.go", mutatedSource); err != nil {
		return nil, err
	}
	if err := put("engine/mutants_test.go", driverSource); err != nil {
		return nil, err
	}
	raw, err := json.Marshal(map[string]any{"Replace": replaced})
	if err != nil {
		return nil, err
	}
	return m.mutants, os.WriteFile(filepath.Join(folder, "overlay.json"), raw, 0o600)
}

// recording returns the text of the file with the function Evaluate, which records what
// it is called with.
func recording(path string) ([]byte, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	const evaluate = "\treturn standard().Evaluate(ctx, s, o)\n"
	if bytes.Count(text, []byte(evaluate)) != 1 {
		return nil, fmt.Errorf("%s has no function Evaluate as it is expected", path)
	}
	text = bytes.Replace(text, []byte(evaluate), []byte("\tmutated.Record(s, o.AdmissionOnly)\n"+evaluate), 1)
	return bytes.Replace(text, []byte("package engine\n"), []byte("package engine\n\nimport \"github.com/preadmit/preadmit/engine/internal/mutated\"\n"), 1), nil
}

// record runs the differential tests, without a mutant, and keeps their scenarios.
func record(folder, to, generators string) error {
	for _, test := range strings.Split(generators, ",") {
		name, times, _ := strings.Cut(test, ":")
		n, err := strconv.Atoi(times)
		if err != nil {
			return fmt.Errorf("%q is no test with a number of scenarios", test)
		}
		c := exec.Command("go", "test", "-vet=off", "-count=1", "-timeout=60m", "-overlay", filepath.Join(folder, "overlay.json"), "./"+name, "-args", "-scenarios", strconv.Itoa(n))
		c.Dir = "conformance"
		c.Env = append(os.Environ(), "RECORD="+to)
		if out, err := c.CombinedOutput(); err != nil {
			return fmt.Errorf("the differential test %s: %w\n%s", name, err, out[max(0, len(out)-3000):])
		}
	}
	return nil
}

func command(args ...string) error {
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("go %s: %w\n%s", strings.Join(args[:2], " "), err, out)
	}
	return nil
}

// againstAnswers returns the mutants that no recorded answer notices.
func againstAnswers(folder, recorded string, mutants []mutant) ([]mutant, error) {
	binary, baseline := filepath.Join(folder, "engine.test"), filepath.Join(folder, "baseline.json")
	if err := command("test", "-c", "-vet=off", "-overlay", filepath.Join(folder, "overlay.json"), "-o", binary, "./engine"); err != nil {
		return nil, err
	}
	left := slices.Clone(mutants)
	var survivors []mutant
	for len(left) > 0 {
		ids := []int{}
		for _, m := range left {
			ids = append(ids, m.ID)
		}
		raw, err := json.Marshal(ids)
		if err != nil {
			return nil, err
		}
		list := filepath.Join(folder, "mutants.json")
		if err := os.WriteFile(list, raw, 0o600); err != nil {
			return nil, err
		}
		c := limited(0, binary, "-test.run", "^TestMutants$", "-test.timeout", "0")
		c.Dir = "engine"
		c.Env = append(os.Environ(), "MUTANTS="+list, "RECORDED="+recorded, "BASELINE="+baseline)
		out, runErr := c.CombinedOutput()
		done := 0
		for line := range strings.Lines(string(out)) {
			parts := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
			if len(parts) != 4 || parts[0] != "mutant" {
				continue
			}
			if parts[3] == "" {
				survivors = append(survivors, left[done])
			}
			done++
		}
		// A mutant that does not end, or ends the program, is the last one of its run.
		if done == 0 || runErr == nil && done < len(left) {
			return nil, fmt.Errorf("%d of %d mutants were tried: %v\n%s", done, len(left), runErr, out[max(0, len(out)-3000):])
		}
		if runErr != nil && done < len(left) && !bytes.Contains(out, []byte("it does not end")) {
			done++ // it ended the program
		}
		left = left[done:]
	}
	return survivors, nil
}

// own is the folder alone.
func own(dir string) ([]string, error) { return []string{dir}, nil }

// importers returns the folders of the packages below engine/internal that import that of
// a folder.
func importers(dir string) ([]string, error) {
	const module = "github.com/preadmit/preadmit/"
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{range .Imports}}{{.}} {{end}}`, "./engine/internal/...").Output()
	if err != nil {
		return nil, err
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		if words := strings.Fields(line); slices.Contains(words[1:], module+dir) {
			found = append(found, strings.TrimPrefix(words[0], module))
		}
	}
	return found, nil
}

// againstTests returns the mutants that the tests of some packages do not notice.
func againstTests(folder string, mutants []mutant, of func(dir string) ([]string, error)) ([]mutant, error) {
	binaries, asked := map[string]string{}, map[string][]string{}
	for _, m := range mutants {
		dir := filepath.Dir(m.File)
		if asked[dir] == nil {
			dirs, err := of(dir)
			if err != nil {
				return nil, err
			}
			for _, d := range dirs {
				if tests, err := filepath.Glob(d + "/*_test.go"); err != nil || len(tests) == 0 {
					continue
				}
				if binaries[d] == "" {
					binaries[d] = filepath.Join(folder, strings.ReplaceAll(d, "/", "-")+".test")
					if err := command("test", "-c", "-vet=off", "-overlay", filepath.Join(folder, "overlay.json"), "-o", binaries[d], "./"+d); err != nil {
						return nil, err
					}
					if inTests(mutant{}, d, binaries[d]) {
						return nil, fmt.Errorf("the tests of %s fail without a mutant", d)
					}
				}
				asked[dir] = append(asked[dir], d)
			}
		}
	}
	return surviving(mutants, func(m mutant) bool {
		return slices.ContainsFunc(asked[filepath.Dir(m.File)], func(d string) bool {
			return inTests(m, d, binaries[d])
		})
	}), nil
}

// inTests reports whether the tests of a folder notice a mutant.
func inTests(m mutant, dir, program string) bool {
	return notices(m, 60, dir, program, "-test.short", "-test.failfast", "-test.timeout", "10m")
}

// againstEngine returns the mutants that the tests of the package engine do not notice:
// those that evaluate whole scenarios, without those that say nothing about rules, that
// ask what the answers have asked already, or that take minutes.
func againstEngine(folder string, mutants []mutant) ([]mutant, error) {
	const others = "^(Fuzz|Test(Vectors|ServerAnswers|Mistakes|Repair|Hostile|Growth|Memory|Edits|Only|Verdict|Deadline|Expression|Explanations|Shared|Same|Limits|Mutants))"
	binary := filepath.Join(folder, "engine.test") // made for the answers
	return surviving(mutants, func(m mutant) bool {
		return notices(m, 300, "engine", binary, "-test.short", "-test.failfast", "-test.skip", others, "-test.timeout", "30m")
	}), nil
}

// againstExamples returns the mutants that the expectations of the examples do not
// notice.
func againstExamples(folder string, mutants []mutant) ([]mutant, error) {
	binary := filepath.Join(folder, "preadmit")
	if err := command("build", "-overlay", filepath.Join(folder, "overlay.json"), "-o", binary, "./cmd/preadmit"); err != nil {
		return nil, err
	}
	return surviving(mutants, func(m mutant) bool { return notices(m, 120, ".", binary, "test", "examples") }), nil
}

// surviving returns the mutants that a function does not notice; some are tried at the
// same time, each in a process of its own.
func surviving(mutants []mutant, notices func(mutant) bool) []mutant {
	noticed := make([]bool, len(mutants))
	free := make(chan struct{}, runtime.NumCPU())
	var all sync.WaitGroup
	for i, m := range mutants {
		free <- struct{}{}
		all.Go(func() {
			noticed[i] = notices(m)
			<-free
		})
	}
	all.Wait()
	var out []mutant
	for i, m := range mutants {
		if !noticed[i] {
			out = append(out, m)
		}
	}
	return out
}

// mostMemory is what a program with a mutant may take, in KiB: one that asks for ever more
// is noticed, and the machine goes on.
const mostMemory = 6 << 20

// limited is a program that ends when it takes more, or more seconds of processors; 0 is no
// limit of these.
func limited(seconds int, program string, args ...string) *exec.Cmd {
	script := fmt.Sprintf(`ulimit -v %d && exec "$0" "$@"`, mostMemory)
	if seconds > 0 {
		script = fmt.Sprintf("ulimit -t %d && ", seconds) + script
	}
	return exec.Command("sh", append([]string{"-c", script, program}, args...)...)
}

// notices reports whether a program fails with a mutant, or does not end.
func notices(m mutant, seconds int, dir, program string, args ...string) bool {
	c := limited(seconds, program, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "MUTANT="+strconv.Itoa(m.ID))
	return c.Run() != nil
}
