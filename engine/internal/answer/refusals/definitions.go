package refusals

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/answer/evaluate"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// missingVersion is what the server says of a version in which objects are stored and that the definition lacks.
var missingVersion = lazy.Regexp{Text: `Invalid value: "([^"]+)": (?:missing from|must appear in) spec\.versions`}

// keepStoredVersions explains a definition without a version in which objects may be stored, and keeps that version.
func keepStoredVersions(e *evaluate.Evaluation) {
	sent, ok := e.Sent()
	if !ok || e.Initial.Kind.Kind != "CustomResourceDefinition" {
		return
	}
	for i := range e.Report.Diagnostics {
		d := &e.Report.Diagnostics[i]
		name := missingVersion.FindStringSubmatch(d.Summary)
		if d.Code != codes.CRD || name == nil || !strings.Contains(d.Path, "storedVersions") {
			continue
		}
		d.Detail = fmt.Sprintf("The stored definition's status.storedVersions lists %s: it was the storage version once, and objects may still be stored in it. Write all objects again, take %[1]s out of status.storedVersions by the subresource status, and then out of spec.versions.", name[1])
		for _, old := range untyped.Items(untyped.Sub(e.Initial.OldObject, "spec")["versions"]) {
			if old["name"] != name[1] {
				continue
			}
			d.Fixes = append(d.Fixes, sent.Fix("Keep version "+name[1]+" with served: false", func(object map[string]any) {
				kept := untyped.Copy(old).(map[string]any)
				kept["served"], kept["storage"] = false, false
				spec := untyped.Child(object, "spec")
				list, _ := spec["versions"].([]any)
				spec["versions"] = append([]any{kept}, slices.Clone(list)...)
			})...)
		}
	}
}
