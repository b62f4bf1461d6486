package serverconfig

import (
	"encoding/json"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	admissionapi "k8s.io/pod-security-admission/admission/api"
	"k8s.io/pod-security-admission/admission/api/validation"
	"k8s.io/pod-security-admission/api"
	kjson "sigs.k8s.io/json"

	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/scenario"
)

const (
	podSecurityGroup = "pod-security.admission.config.k8s.io"
	podSecurityKind  = "PodSecurityConfiguration"
)

// PodSecurity is the configuration of Pod Security.
type PodSecurity struct {
	// Defaults hold where a Namespace has no labels.
	Defaults api.Policy
	// What is exempt by the user of a request, by its namespace, and by the RuntimeClass of
	// the Pod.
	Usernames, Namespaces, RuntimeClasses []string
}

// DefaultPodSecurity is what a server has that is not told otherwise.
func DefaultPodSecurity() *PodSecurity {
	all := api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()}
	return &PodSecurity{Defaults: api.Policy{Enforce: all, Audit: all, Warn: all}}
}

// Exempts reports whether a list of exemptions has a name. No name is never exempt.
func Exempts(list []string, name string) bool { return name != "" && slices.Contains(list, name) }

// podSecurityFile is the text of a configuration. All versions of it have the same fields;
// the API server's own types would take its conversions along.
type podSecurityFile struct {
	metav1.TypeMeta `json:",inline"`

	Defaults struct {
		Enforce        string `json:"enforce"`
		EnforceVersion string `json:"enforce-version"`
		Audit          string `json:"audit"`
		AuditVersion   string `json:"audit-version"`
		Warn           string `json:"warn"`
		WarnVersion    string `json:"warn-version"`
	} `json:"defaults"`
	Exemptions struct {
		Usernames      []string `json:"usernames"`
		Namespaces     []string `json:"namespaces"`
		RuntimeClasses []string `json:"runtimeClasses"`
	} `json:"exemptions"`
}

// podSecurity reads the configuration of Pod Security at a path of a document.
func (r *reader) podSecurity(d *scenario.Document, at, apiVersion string, value map[string]any) {
	if !r.served(d, at, apiVersion, podSecurityKind, podSecurityGroup+"/v1", podSecurityGroup+"/v1beta1", podSecurityGroup+"/v1alpha1") {
		return
	}
	before := len(r.Diagnostics)
	var file podSecurityFile
	if !r.decoded(d, at, value, &file) {
		return
	}
	configuration := file.completed()
	for _, problem := range validation.ValidatePodSecurityConfiguration(configuration) {
		r.refuse(d, placeOf(at, problem), problem.Error())
	}
	if len(r.Diagnostics) > before {
		return
	}
	policy, err := admissionapi.ToPolicy(configuration.Defaults)
	if err != nil {
		r.refuse(d, at, err.Error())
		return
	}
	e := configuration.Exemptions
	r.PodSecurity = &PodSecurity{Defaults: policy, Usernames: e.Usernames, Namespaces: e.Namespaces, RuntimeClasses: e.RuntimeClasses}
}

// decoded reads a value into a type, and rejects what does not fit.
func (r *reader) decoded(d *scenario.Document, at string, value map[string]any, into any) bool {
	text, err := json.Marshal(value)
	var strict []error
	if err == nil {
		strict, err = kjson.UnmarshalStrict(text, into)
	}
	if err != nil {
		r.refuse(d, at, err.Error())
	}
	for _, problem := range strict {
		place := at
		if p, ok := problem.(kjson.FieldError); ok {
			place = fieldpath.Join(at, p.FieldPath())
		}
		r.refuse(d, place, "strict decoding error: "+problem.Error())
	}
	return err == nil
}

func placeOf(at string, problem *field.Error) string { return fieldpath.Join(at, problem.Field) }

// completed is the configuration with the defaults of its type.
func (f *podSecurityFile) completed() *admissionapi.PodSecurityConfiguration {
	for _, level := range []*string{&f.Defaults.Enforce, &f.Defaults.Audit, &f.Defaults.Warn} {
		if *level == "" {
			*level = string(api.LevelPrivileged)
		}
	}
	for _, version := range []*string{&f.Defaults.EnforceVersion, &f.Defaults.AuditVersion, &f.Defaults.WarnVersion} {
		if *version == "" {
			*version = api.VersionLatest
		}
	}
	return &admissionapi.PodSecurityConfiguration{
		Defaults:   admissionapi.PodSecurityDefaults(f.Defaults),
		Exemptions: admissionapi.PodSecurityExemptions(f.Exemptions),
	}
}
