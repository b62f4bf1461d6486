package cli

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/scenario"
)

// settings are the flags for what is simulated. They override the scenario's settings.
type settings struct {
	// kubernetes is a minor version, or "all".
	kubernetes string
	defaulting *bool
	authorizer string
	plugins    []string
	apis       []string // enabled in the cluster
	fields     string   // fieldValidation of requests that do not set it
	complete   bool     // the cluster has no other objects
	// admissionOnly skips what a server does besides admission.
	admissionOnly bool
}

// settings adds the flags for what is simulated besides a request.
func (f flags) settings(all bool) *settings {
	s := f.version(all)
	f.checked("defaulting", "", "`BOOL`: apply the server's defaults; by default true for an object, false for a captured request", func(value string) error {
		on, err := strconv.ParseBool(value)
		s.defaulting = &on
		return err
	}).NoOptDefVal = "true"
	f.oneOf(&s.authorizer, "authorizer", "", "`MODE`: rbac (the default) decides by the RBAC objects given; or allow, or deny", "rbac", "allow", "deny")
	f.repeated("plugin", "", "`NAME`: simulate only the named built-in admission plugins; repeatable", func(value string) error {
		if names := slices.Concat(scenario.PluginNames, scenario.UnsimulatedPlugins); !slices.Contains(names, value) {
			return fmt.Errorf("there is no such admission plugin%s", cmp.Or(didYouMean(names, value), "; Preadmit simulates "+strings.Join(scenario.PluginNames, ", ")))
		}
		s.plugins = append(s.plugins, value)
		return nil
	})
	f.complete("plugin", scenario.PluginNames)
	f.repeated("runtime-config", "", "serve an `API` version that is off by default, such as admissionregistration.k8s.io/v1alpha1; repeatable", func(value string) error {
		for api := range strings.SplitSeq(value, ",") {
			if api = strings.TrimSuffix(api, "=true"); !slices.Contains(scenario.RuntimeConfigs, api) {
				return errors.New("it must be one of " + strings.Join(scenario.RuntimeConfigs, ", "))
			}
			s.apis = append(s.apis, api)
		}
		return nil
	})
	f.complete("runtime-config", scenario.RuntimeConfigs)
	f.oneOf(&s.fields, "field-validation", "", "`MODE`: field validation for requests that do not choose it: Strict, Warn (the default), Ignore", "Strict", "Warn", "Ignore")
	f.BoolVar(&s.complete, "complete-cluster", false, "the cluster has no objects except the given ones")
	f.BoolVar(&s.admissionOnly, "admission-only", false, "skip authorization and API validation, as for an incomplete object")
	return s
}

// version adds the flag for the release, for commands without a request.
func (f flags) version(all bool) *settings {
	s := &settings{}
	known := scenario.Versions()
	usage := fmt.Sprintf("`VERSION`: the Kubernetes version, %s to %s", known[0], known[len(known)-1])
	if all {
		usage += ", or all: run every version and print where they differ"
		known = append(slices.Clone(known), "all")
	}
	f.checked("kubernetes", "", usage, func(value string) (err error) {
		if s.kubernetes = value; all && value == "all" {
			return nil
		}
		s.kubernetes, err = scenario.ParseVersion(value)
		return err
	})
	f.complete("kubernetes", known)
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
