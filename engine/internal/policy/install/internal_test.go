package install

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/api/admissionregistration/v1alpha1"
	"k8s.io/api/admissionregistration/v1beta1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/cel/hints"
	"github.com/preadmit/preadmit/engine/internal/kube/configuration"
	"github.com/preadmit/preadmit/engine/internal/kube/gotype"
	"github.com/preadmit/preadmit/engine/internal/text/suggest"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestVersionsHaveTheSameFields justifies that v1beta1 and v1alpha1 documents
// are decoded into the v1 types: same fields, same names of the Go types, which
// appear in errors.
func TestVersionsHaveTheSameFields(t *testing.T) {
	for _, c := range []struct{ v1, older reflect.Type }{
		{reflect.TypeFor[v1.ValidatingAdmissionPolicy](), reflect.TypeFor[v1beta1.ValidatingAdmissionPolicy]()},
		{reflect.TypeFor[v1.ValidatingAdmissionPolicy](), reflect.TypeFor[v1alpha1.ValidatingAdmissionPolicy]()},
		{reflect.TypeFor[v1.ValidatingAdmissionPolicyBinding](), reflect.TypeFor[v1beta1.ValidatingAdmissionPolicyBinding]()},
		{reflect.TypeFor[v1.ValidatingAdmissionPolicyBinding](), reflect.TypeFor[v1alpha1.ValidatingAdmissionPolicyBinding]()},
		{reflect.TypeFor[v1.MutatingAdmissionPolicy](), reflect.TypeFor[v1beta1.MutatingAdmissionPolicy]()},
		{reflect.TypeFor[v1.MutatingAdmissionPolicy](), reflect.TypeFor[v1alpha1.MutatingAdmissionPolicy]()},
		{reflect.TypeFor[v1.MutatingAdmissionPolicyBinding](), reflect.TypeFor[v1beta1.MutatingAdmissionPolicyBinding]()},
		{reflect.TypeFor[v1.MutatingAdmissionPolicyBinding](), reflect.TypeFor[v1alpha1.MutatingAdmissionPolicyBinding]()},
	} {
		compareTypes(t, c.v1, c.older, c.older.String(), map[reflect.Type]bool{})
	}
}

func compareTypes(t *testing.T, a, b reflect.Type, path string, seen map[reflect.Type]bool) {
	if a == b || seen[a] {
		return
	}
	seen[a] = true
	if a.Kind() != b.Kind() || a.Name() != b.Name() {
		t.Errorf("%s: %v and %v differ", path, a, b)
		return
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Slice:
		compareTypes(t, a.Elem(), b.Elem(), path, seen)
	case reflect.Struct:
		fields := map[string]reflect.Type{}
		gotype.EachField(b, func(name string, ft reflect.Type) { fields[name] = ft })
		n := 0
		gotype.EachField(a, func(name string, ft reflect.Type) {
			n++
			if fields[name] == nil {
				t.Errorf("%s has no field %s", path, name)
				return
			}
			compareTypes(t, ft, fields[name], path+"."+name, seen)
		})
		if n != len(fields) {
			t.Errorf("%s has %d fields, v1 has %d", path, len(fields), n)
		}
	}
}

// laterSamples uses every word of version.Functions, each in an expression that
// compiles from the version of the name on.
var laterSamples = map[string]string{
	"ip": "ip('1.2.3.4').family() == 4", "isIP": "isIP('1.2.3.4')", "isCanonical": "ip.isCanonical('1.2.3.4')",
	"family": "ip('1.2.3.4').family() == 4", "isUnspecified": "ip('1.2.3.4').isUnspecified()", "isLoopback": "ip('1.2.3.4').isLoopback()",
	"isLinkLocalMulticast": "ip('1.2.3.4').isLinkLocalMulticast()", "isLinkLocalUnicast": "ip('1.2.3.4').isLinkLocalUnicast()",
	"isGlobalUnicast": "ip('1.2.3.4').isGlobalUnicast()", "cidr": "cidr('1.2.3.0/24').prefixLength() == 24", "isCIDR": "isCIDR('1.2.3.0/24')",
	"containsIP": "cidr('1.2.3.0/24').containsIP('1.2.3.4')", "containsCIDR": "cidr('1.2.3.0/24').containsCIDR('1.2.3.0/25')",
	"masked": "cidr('1.2.3.4/24').masked() == cidr('1.2.3.0/24')", "prefixLength": "cidr('1.2.3.0/24').prefixLength() == 24",

	"format": "format.dns1123Label().validate('a').hasValue()", "named": "format.named('dns1123Label').hasValue()",
	"validate": "format.uri().validate('a').hasValue()", "dns1123Label": "format.dns1123Label().validate('a').hasValue()",
	"dns1123Subdomain": "format.dns1123Subdomain().validate('a').hasValue()", "dns1035Label": "format.dns1035Label().validate('a').hasValue()",
	"qualifiedName": "format.qualifiedName().validate('a').hasValue()", "dns1123LabelPrefix": "format.dns1123LabelPrefix().validate('a').hasValue()",
	"dns1123SubdomainPrefix": "format.dns1123SubdomainPrefix().validate('a').hasValue()", "dns1035LabelPrefix": "format.dns1035LabelPrefix().validate('a').hasValue()",
	"labelValue": "format.labelValue().validate('a').hasValue()", "uri": "format.uri().validate('a').hasValue()",
	"uuid": "format.uuid().validate('a').hasValue()", "byte": "format.byte().validate('a').hasValue()",
	"date": "format.date().validate('a').hasValue()", "datetime": "format.datetime().validate('a').hasValue()",
	"fieldSelector": "authorizer.group('').resource('pods').fieldSelector('a=b').check('get').allowed()",
	"labelSelector": "authorizer.group('').resource('pods').labelSelector('a=b').check('get').allowed()",

	"all": "object.data.all(k, v, k != v)", "exists": "object.data.exists(k, v, k != v)", "existsOne": "object.data.existsOne(k, v, k != v)",
	"transformList": "object.data.transformList(k, v, v).size() == 1", "transformMap": "object.data.transformMap(k, v, v).size() == 1",
	"transformMapEntry": "object.data.transformMapEntry(k, v, {v: k}).size() == 1",

	"semver": "semver('1.2.3').major() == 1", "isSemver": "isSemver('1.2.3')", "major": "semver('1.2.3').major() == 1",
	"minor": "semver('1.2.3').minor() == 1", "patch": "semver('1.2.3').patch() == 1",

	"distinct": "[1, 1].distinct().size() == 1", "flatten": "[[1]].flatten().size() == 1", "lists": "lists.range(3).size() == 3",
	"range": "lists.range(3).size() == 3", "reverse": "[1, 2].reverse()[0] == 2", "slice": "[1, 2].slice(0, 1).size() == 1",
	"sort": "[1, 2].sort()[0] == 1", "sortBy": "[1, 2].sortBy(e, -e)[0] == 2",

	"includes": "[1, 2].includes(1)",
}

// TestLaterFunctions checks the table against the environments of the versions:
// each name is unknown in the version before its own and known from then on.
func TestLaterFunctions(t *testing.T) {
	for _, group := range version.Functions() {
		for _, name := range group.Words() {
			sample := laterSamples[name]
			if !strings.Contains(sample, name) {
				t.Errorf("no sample for %s", name)
				continue
			}
			if messages := compileIn(t, group.Since.Previous(), sample); !slices.ContainsFunc(messages, func(m string) bool { return hints.Undeclared(m) == name }) {
				t.Errorf("%s is known before %s: %q", name, group.Since, messages)
			}
			if !group.Since.Known() {
				continue // messagesIn asks what the newest can run
			}
			if messages := compileIn(t, group.Since, sample); len(messages) > 0 {
				t.Errorf("%s in %s: %q", sample, group.Since, messages)
			}
		}
	}
}

func compileIn(t *testing.T, v version.Version, expression string) (messages []string) {
	t.Helper()
	environments, err := eval.NewSet().ForVersion(v)
	if err != nil {
		t.Fatal(err)
	}
	for _, issue := range environments.NewCompiler(eval.Write, false, false).Compile(expression, eval.Condition).Issues {
		messages = append(messages, issue.Message)
	}
	return messages
}

func TestNearest(t *testing.T) {
	fields := []string{"expression", "message", "messageExpression", "reason"}
	for got, want := range map[string]string{
		"expresion":                     "expression",
		"Expression":                    "expression",
		"mesage":                        "message",
		"messageExpresssion":            "messageExpression",
		"raeson":                        "reason", // a swap is one slip
		"failurePolicy":                 "",
		"x":                             "",
		"reason":                        "", // what is right needs no suggestion
		strings.Repeat("message", 1000): "",
	} {
		if best, _ := suggest.Of(fields, got); best != want {
			t.Errorf("%.20q: got %q, want %q", got, best, want)
		}
	}
}

// TestSwitchedOn: the flag --runtime-config serves what is off by default, and the
// diagnostics offer it exactly where it would help.
func TestSwitchedOn(t *testing.T) {
	for _, c := range []struct {
		kind, apiVersion, kubernetes, config string
		want                                 configuration.Availability
	}{
		{configuration.ValidatingAdmissionPolicy, "v1beta1", "1.30", configuration.Group + "/v1beta1", configuration.Served},
		{configuration.ValidatingAdmissionPolicy, "v1beta1", "1.34", configuration.Group + "/v1beta1", configuration.NotServed}, // it is gone
		{configuration.MutatingAdmissionPolicy, "v1alpha1", "1.36", configuration.Group + "/v1alpha1", configuration.Served},
		{configuration.MutatingAdmissionPolicy, "v1alpha1", "1.36", "api/alpha=true", configuration.Served},
		{configuration.MutatingAdmissionPolicy, "v1alpha1", "1.36", "api/beta", configuration.NotServed},
		{configuration.MutatingAdmissionPolicy, "v1beta1", "1.36", "api/all", configuration.Served},
		{configuration.MutatingAdmissionPolicyBinding, "v1beta1", "1.35", configuration.Group + "/v1beta1", configuration.Served},
	} {
		if got := configuration.Available(c.kind, c.apiVersion, version.MustParse(c.kubernetes), []string{c.config}); got != c.want {
			t.Errorf("%s %s on %s with %s: got %v, want %v", c.kind, c.apiVersion, c.kubernetes, c.config, got, c.want)
		}
	}
	text := "apiVersion: admissionregistration.k8s.io/%s\nkind: MutatingAdmissionPolicyBinding\nmetadata: {name: a}\nspec: {policyName: a}\n"
	for apiVersion, offered := range map[string]bool{"v1alpha1": true, "v1beta1": true, "v2": false} {
		docs, _ := scenario.ParseDocuments(diag.Policies, fmt.Sprintf(text, apiVersion))
		result, err := Install(docs, eval.NewSet(), version.MustParse("1.36"), Server{})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range result.Diagnostics {
			for _, f := range d.Fixes {
				got = append(got, f.RuntimeConfig...)
			}
		}
		if want := []string{configuration.Group + "/" + apiVersion}; offered != slices.Equal(got, want) {
			t.Errorf("%s: the fixes switch on %q", apiVersion, got)
		}
	}
}
