package install

import (
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/eval"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// TestManifests: the texts are those of the server's loaders, without the files.
func TestManifests(t *testing.T) {
	const (
		head    = "apiVersion: admissionregistration.k8s.io/v1\nkind: "
		policy  = head + "ValidatingAdmissionPolicy\nmetadata: {name: p.static.k8s.io}\nspec: {validations: [{expression: 'true'}], matchConstraints: {resourceRules: [{apiGroups: [''], apiVersions: [v1], operations: [CREATE], resources: [pods]}]}"
		binding = head + "ValidatingAdmissionPolicyBinding\nmetadata: {name: b.static.k8s.io}\nspec: {validationActions: [Deny], policyName: "
		hooks   = head + "MutatingWebhookConfiguration\nmetadata: {name: h.static.k8s.io}\nwebhooks: [{name: a.example.com, sideEffects: None, admissionReviewVersions: [v1], clientConfig: "
	)
	for name, c := range map[string]struct{ text, want string }{
		"fine":                {policy + "}\n---\n" + binding + "p.static.k8s.io}\n", ""},
		"params":              {policy + ", paramKind: {apiVersion: v1, kind: ConfigMap}}", `ValidatingAdmissionPolicy "p.static.k8s.io": spec.paramKind is not supported for static manifests`},
		"binding with params": {policy + "}\n---\n" + binding + "p.static.k8s.io, paramRef: {name: a, parameterNotFoundAction: Deny}}\n", `binding "b.static.k8s.io": spec.paramRef is not supported for static manifests`},
		"binding to the API":  {binding + "p}\n", `binding "b.static.k8s.io": spec.policyName "p" must end with ".static.k8s.io"`},
		"binding to nothing":  {binding + "p.static.k8s.io}\n", `binding "b.static.k8s.io" references policy "p.static.k8s.io" which does not exist in the manifest directory`},
		"twice":               {policy + "}\n---\n" + policy + "}\n", `duplicate name "p.static.k8s.io" found`},
		"unknown field":       {policy + ", more: 1}\n", `strict decoding error: unknown field "spec.more"`},
		"another version":     {strings.Replace(policy, "/v1\n", "/v1beta1\n", 1) + "}\n", `unsupported resource type *v1beta1.ValidatingAdmissionPolicy`},
		"invalid":             {strings.Replace(policy, "'true'", "''", 1) + "}\n", `ValidatingAdmissionPolicy "p.static.k8s.io": spec.validations[0].expression: Required value: expression is not specified`},
		"Service":             {hooks + "{service: {namespace: a, name: b}}}]\n", `webhook "a.example.com" in "h.static.k8s.io": clientConfig.service is not supported for static manifests; use clientConfig.url instead`},
		"URL":                 {hooks + "{url: 'https://localhost:9443/a'}}]\n", ""},
	} {
		t.Run(name, func(t *testing.T) {
			docs, _ := scenario.ParseDocuments(diag.Policies, c.text)
			r, err := Install(docs, eval.NewSet(), version.MustParse("1.37"), Server{Static: func(d *scenario.Document) bool { return strings.HasSuffix(d.Name, staticSuffix) }})
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, d := range r.Diagnostics {
				if d.Code == codes.StaticManifest {
					got = append(got, d.Summary)
				}
			}
			if strings.Join(got, "\n") != c.want {
				t.Errorf("got %q, want %q\n%v", got, c.want, r.Diagnostics)
			}
			if len(r.Answers) > 0 {
				t.Errorf("the API answers: %+v", r.Answers)
			}
			for _, p := range r.ValidatingPolicies {
				if !p.Static {
					t.Error("not marked")
				}
			}
		})
	}
}
