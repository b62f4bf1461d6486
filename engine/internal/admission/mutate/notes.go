package mutate

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	strict "github.com/evanphx/json-patch/v5"
	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// This file explains what surprises in mutating policies (semantics §15). The
// notes change nothing.

// notRFC compares with the strict reading of RFC 6902: the server's library
// accepts more, such as replacing a key that is missing.
func notRFC(patch jsonpatch.Patch, before []byte) []report.Note {
	if plainAdds(patch) {
		return nil
	}
	text, err := json.Marshal(patch)
	if err != nil {
		return nil
	}
	operations, err := strict.DecodePatch(text)
	if err != nil {
		return nil
	}
	if _, err = operations.Apply(before); err == nil {
		return nil
	}
	return []report.Note{{Code: codes.NotRFC6902,
		Text: fmt.Sprintf("The API server applies this patch, but RFC 6902 does not allow it: %v. Other tools reject it.", err)}}
}

// plainAdds reports whether a patch that the server has applied only adds fields by names, which both
// readings do alike. They differ in places of lists, escapes and other operations.
func plainAdds(patch jsonpatch.Patch) bool {
	return !slices.ContainsFunc(patch, func(op jsonpatch.Operation) bool {
		path, err := op.Path()
		return op.Kind() != "add" || err != nil || !strings.HasPrefix(path, "/") || op["value"] == nil || strings.ContainsAny(path, "-~0123456789")
	})
}

// notes explains a step after its mutations.
func (r *policyRun) notes(p *Policy, step *report.Step) {
	failed, applied := -1, false
	for i, m := range step.Mutations {
		if m.Error != "" && failed < 0 {
			failed = i
		}
		applied = applied || failed >= 0 && m.Error == "" && m.Applied
	}
	if applied {
		step.Notes = append(step.Notes, report.Note{Code: codes.ErrorDoesNotStop,
			Text: "A mutation that fails does not stop the mutations after it."})
	}
	if r.IsReinvoke() && len(r.plugin.Policies) == 1 {
		step.Notes = append(step.Notes, report.Note{Code: codes.ReinvokedAlone,
			Text: "With reinvocationPolicy IfNeeded a policy runs a second time even if only the policy itself changed the object."})
	}
	if i := slices.IndexFunc(step.Diff, func(o report.PatchOperation) bool { return slices.Contains(identity, o.Path) }); i >= 0 {
		step.Notes = append(step.Notes, report.Note{Code: codes.IdentityChanged,
			Text: "The policy changes " + step.Diff[i].Path + ". Admission allows that; " + mayRefuse})
	}
	if p.reinvocable && !r.IsReinvoke() && len(step.Diff) == 0 && slices.ContainsFunc(step.Mutations, func(m report.Mutation) bool { return m.Applied }) {
		step.Notes = append(step.Notes, report.Note{Code: codes.NoOpReinvokes,
			Text: "A mutation without a change still counts: the mutating phase runs again."})
	}
}

// What storage does with an object whose identity was changed, before and after it is known.
const (
	mayRefuse = "storage may reject the object or set the field again."
	refuses   = "storage rejects the object for it, as the last step says."
)

// IdentityRefused is for steps after which storage has rejected the object for its identity: their
// notes say so.
func IdentityRefused(steps []*report.Step) {
	for _, s := range steps {
		for i := range s.Notes {
			if n := &s.Notes[i]; n.Code == codes.IdentityChanged {
				n.Text = strings.Replace(n.Text, mayRefuse, refuses, 1)
			}
		}
	}
}

// identity are the fields that tell an object from others; policies can write
// them.
var identity = []string{"/metadata/name", "/metadata/namespace", "/metadata/uid", "/metadata/resourceVersion", "/metadata/generateName"}
