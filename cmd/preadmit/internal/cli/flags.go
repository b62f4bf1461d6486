package cli

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/edit/nearest"
	"github.com/preadmit/preadmit/engine/scenario"
)

// errHelp asks for the help of a command.
var errHelp = errors.New("help")

// flags are those of one command. They may come before and after the
// arguments.
type flags struct {
	*flag.FlagSet
	// choices are the values of the flags that take one of a few.
	choices map[string][]string
}

func newFlags(name string) flags {
	f := flags{flag.NewFlagSet(name, flag.ContinueOnError), map[string][]string{}}
	f.SetOutput(io.Discard)
	f.Usage = func() {}
	return f
}

// parse returns the arguments that are not flags. After -- there are no flags.
func (f flags) parse(args []string) ([]string, error) {
	var positional []string
	for len(args) > 0 {
		if err := f.Parse(args); errors.Is(err, flag.ErrHelp) {
			return nil, errHelp
		} else if err != nil {
			return nil, &flagError{&inputError{message: f.Name() + ": " + f.wrong(err)}, f}
		}
		rest := f.Args()
		if parsed := args[:len(args)-len(rest)]; len(parsed) > 0 && parsed[len(parsed)-1] == "--" {
			return append(positional, rest...), nil
		}
		if len(rest) == 0 {
			break
		}
		positional, args = append(positional, rest[0]), rest[1:]
	}
	return positional, nil
}

// flagError is the answer to a wrong flag. It has the flags that there are, so that
// completion and manual can ask a command for them.
type flagError struct {
	*inputError
	flags flags
}

func (e *flagError) Unwrap() error { return e.inputError }

// longNames are what the letters stand for, as other programs write them.
var longNames = map[string]string{"output": "o", "policies": "p", "policy": "p", "request": "r", "cluster": "c", "file": "f", "filename": "f", "expression": "e", "version": "kubernetes"}

// wrong says what is wrong with flags: of one that there is not, the one that is nearest.
func (f flags) wrong(err error) string {
	_, got, unknown := strings.Cut(err.Error(), "not defined: -")
	if !unknown {
		return err.Error()
	}
	dashed := func(name string) string { return strings.Repeat("-", min(len(name), 2)) + name }
	var names []string
	f.VisitAll(func(fl *flag.Flag) { names = append(names, fl.Name) })
	for long, short := range longNames {
		if f.Lookup(short) != nil && f.Lookup(long) == nil {
			names = append(names, long)
		}
	}
	slices.Sort(names)
	best, ok := nearest.Of(names, got)
	if slices.Contains(names, got) {
		best, ok = got, true
	}
	if f.Lookup(best) == nil {
		best = longNames[best]
	}
	if !ok {
		return "unknown flag " + dashed(got)
	}
	return "unknown flag " + dashed(got) + "; did you mean " + dashed(best) + "?"
}

// list is a flag that may be given several times.
func (f flags) list(name string) *[]string {
	var values []string
	f.Func(name, "", func(s string) error {
		values = append(values, s)
		return nil
	})
	return &values
}

// once is a flag that may be given only once; what says what to do with several values.
func (f flags) once(name, what string) *string {
	value, given := "", false
	f.Func(name, "", func(s string) error {
		if given {
			return fmt.Errorf("-%s is there twice: %s", name, what)
		}
		value, given = s, true
		return nil
	})
	return &value
}

// oneOf is a flag with a fixed set of values, of which the first is the
// default. One that ends in =NAME stands for any name.
func (f flags) oneOf(name string, values ...string) *string {
	value := values[0]
	f.choices[name] = values
	allowed := func(s string) bool {
		form, named, isNamed := strings.Cut(s, "=")
		return slices.Contains(values, s) && named != "NAME" || isNamed && named != "" && slices.Contains(values, form+"=NAME")
	}
	f.Func(name, "", func(s string) error {
		if !allowed(s) {
			return fmt.Errorf("it must be one of %s%s", strings.Join(values, ", "), didYouMean(values, s))
		}
		value = s
		return nil
	})
	return &value
}

// What -fail-on may name: policies that had no say, and problems of severity error
// that the server accepts.
const (
	failOnUnmatched = "unmatched"
	failOnFindings  = "findings"
)

// failOn is the flag that makes an answer a failure which is none otherwise.
func (f flags) failOn(allowed ...string) *string {
	value := ""
	f.choices["fail-on"] = allowed
	f.Func("fail-on", "", func(s string) error {
		if !slices.Contains(allowed, s) {
			return fmt.Errorf("it must be %s", strings.Join(allowed, " or "))
		}
		value = s
		return nil
	})
	return &value
}

// context is the flag for the place that a free expression is read in.
func (f flags) context() *string {
	others := slices.DeleteFunc(scenario.ContextNames(), func(name string) bool { return name == scenario.DefaultContext })
	return f.oneOf("context", append([]string{scenario.DefaultContext}, others...)...)
}

// settings are the flags that say what is simulated. They override what the
// scenario says.
type settings struct {
	// kubernetes is a minor version, or "all".
	kubernetes string
	defaulting *bool
	authorizer string
	plugins    []string
	apis       []string // that the cluster switches on
	fields     string   // what a request asks for that does not say it
	complete   bool     // the cluster has no other objects
	// admissionOnly leaves out what a server does around admission.
	admissionOnly bool
}

func (f flags) settings(all bool) *settings {
	s := f.version(all)
	f.BoolFunc("defaulting", "", func(value string) error {
		on := value == "true" || value == "1"
		if !on && value != "false" && value != "0" {
			return errors.New("it must be true or false")
		}
		s.defaulting = &on
		return nil
	})
	f.choices["authorizer"] = []string{"rbac", "allow", "deny"}
	f.Func("authorizer", "", func(value string) error {
		if !slices.Contains(f.choices["authorizer"], value) {
			return errors.New("it must be one of rbac, allow, deny")
		}
		s.authorizer = value
		return nil
	})
	f.choices["runtime-config"] = scenario.RuntimeConfigs
	f.Func("runtime-config", "", func(value string) error {
		for api := range strings.SplitSeq(value, ",") {
			if api = strings.TrimSuffix(api, "=true"); !slices.Contains(scenario.RuntimeConfigs, api) {
				return fmt.Errorf("it must be one of %s", strings.Join(scenario.RuntimeConfigs, ", "))
			}
			s.apis = append(s.apis, api)
		}
		return nil
	})
	f.choices["field-validation"] = []string{"Strict", "Warn", "Ignore"}
	f.Func("field-validation", "", func(value string) error {
		if !slices.Contains(f.choices["field-validation"], value) {
			return errors.New("it must be one of Strict, Warn, Ignore")
		}
		s.fields = value
		return nil
	})
	f.BoolVar(&s.complete, "complete-cluster", false, "")
	f.BoolVar(&s.admissionOnly, "admission-only", false, "")
	f.Func("plugin", "", func(value string) error {
		s.plugins = append(s.plugins, value)
		return nil
	})
	return s
}

// version is the flag for what is simulated where there is no request.
func (f flags) version(all bool) *settings {
	s := &settings{}
	f.choices["kubernetes"] = scenario.Versions()
	if all {
		f.choices["kubernetes"] = append(slices.Clone(scenario.Versions()), "all")
	}
	f.Func("kubernetes", "", func(value string) error {
		if all && value == "all" {
			s.kubernetes = value
			return nil
		}
		version, err := scenario.ParseVersion(value)
		s.kubernetes = version
		return err
	})
	return s
}

func (s *settings) apply(to *scenario.Scenario) {
	if s.kubernetes != "" && s.kubernetes != "all" {
		to.Kubernetes = s.kubernetes
	}
	if s.defaulting != nil {
		to.Options.Defaulting = s.defaulting
	}
	if s.authorizer != "" {
		to.Options.Authorizer = s.authorizer
	}
	if len(s.apis) > 0 {
		to.Options.RuntimeConfig = s.apis
	}
	if s.fields != "" {
		to.Options.FieldValidation = s.fields
	}
	to.Options.CompleteCluster = to.Options.CompleteCluster || s.complete
	to.Options.AdmissionOnly = to.Options.AdmissionOnly || s.admissionOnly
	if len(s.plugins) > 0 {
		to.Options.Plugins = scenario.Exactly(s.plugins...)
	}
}
