package evaluate

import (
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// manageFields gives the objects of a manifest metadata.managedFields where a policy or webhook
// configuration speaks of them: a server writes them before the mutating phase. There is one
// entry, with the top-level fields; no other scenario needs the list, which is as long as the
// object.
func (e *Evaluation) manageFields(r *request.Request) {
	if !strings.Contains(e.Scenario.Policies, "managedFields") || r.SubResource != "" {
		return
	}
	r.Object, r.OldObject = e.managed(r.Object), e.managed(r.OldObject)
	e.Report.NotSimulated = append(e.Report.NotSimulated, "metadata.managedFields has one entry, which lists the object's top-level fields. The server lists every field.")
}

// managed is an object with managed fields, if it has none.
func (e *Evaluation) managed(object map[string]any) map[string]any {
	metadata := untyped.Sub(object, "metadata")
	if object == nil || metadata["managedFields"] != nil {
		return object
	}
	fields := map[string]any{}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if name != "apiVersion" && name != "kind" && name != "metadata" {
			fields["f:"+name] = map[string]any{}
		}
	}
	out := maps.Clone(object)
	metadata = maps.Clone(metadata)
	if metadata == nil {
		metadata = map[string]any{}
	}
	metadata["managedFields"] = []any{map[string]any{"manager": "kubectl-client-side-apply", "operation": "Update", "apiVersion": object["apiVersion"],
		"time": e.Now, "fieldsType": "FieldsV1", "fieldsV1": fields}}
	out["metadata"] = metadata
	return out
}
