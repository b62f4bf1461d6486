package lint

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// duplicateBindings finds bindings that do what another one does already.
func duplicateBindings(p *policy) {
	for i, b := range p.bindings {
		j := slices.IndexFunc(p.bindings[:i], func(o binding) bool {
			return reflect.DeepEqual(o.match, b.match) && reflect.DeepEqual(o.params, b.params) && reflect.DeepEqual(o.actions, b.actions)
		})
		if j >= 0 {
			p.report(b.document, codes.DuplicateBinding, diag.Warning, "metadata.name", fmt.Sprintf("this binding does the same as binding %s", p.bindings[j].name),
				"The policy is evaluated once for each of them. Remove one.")
		}
	}
}
