package evaluate

import (
	"encoding/json"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/apply"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// apply merges the applied configuration into the stored object, which replaces it in the request. The
// status is the server's rejection, and the diagnostics say whose fields are in the way.
func (e *Evaluation) apply(r *request.Request) (*apierrors.StatusError, []diag.Diagnostic) {
	live := e.owned(r, r.Live(e.Catalog))
	merged, status := apply.Merge(apply.Request{Catalog: e.Catalog, Kind: r.Kind, Resource: r.Resource.GroupResource(), SubResource: r.SubResource,
		Live: live, Config: r.Object, Manager: r.Apply.FieldManager, Force: r.Apply.Force, Now: e.Now})
	if status != nil {
		return status, conflicts(r, live, status)
	}
	r.Object = merged
	return nil, nil
}

// owned is the stored object. A Scale without managed fields gets those of the scaled object in the cluster
// text.
func (e *Evaluation) owned(r *request.Request, live map[string]any) map[string]any {
	if r.SubResource != "scale" || live == nil || untyped.Sub(live, "metadata")["managedFields"] != nil {
		return live
	}
	scaled, found, _ := e.existing(&r.Request)
	if !found {
		return live
	}
	path := ".spec.replicas"
	if d := e.Customs.Definitions[r.Resource.GroupResource()]; d != nil {
		if s := d.Subresources(r.Resource.Version); s != nil && s.Scale != nil {
			path = s.Scale.SpecReplicasPath
		}
	}
	owned, err := apply.OwnReplicas(live, scaled.Value, path)
	if err != nil {
		return live // a server that cannot read managed fields starts afresh, too
	}
	return owned
}

// conflicts are the fields of the configuration that other managers own.
func conflicts(r *request.Request, live map[string]any, status *apierrors.StatusError) (out []diag.Diagnostic) {
	if status.ErrStatus.Details == nil {
		return nil
	}
	for _, cause := range status.ErrStatus.Details.Causes {
		if cause.Type != metav1.CauseTypeFieldManagerConflict || len(out) == maxInvalid {
			continue
		}
		field := strings.TrimPrefix(cause.Field, ".")
		at, _ := apply.Resolve(r.Object, cause.Field)
		stored, _ := apply.Resolve(live, cause.Field)
		path := fieldpath.Join(r.ObjectPath, at.String())
		d := diag.Diagnostic{Code: codes.ApplyConflict, Severity: diag.Warning, Text: diag.Request, Span: r.Document().LocateKey(path), Path: path,
			Summary: fmt.Sprintf("another manager owns %s: %s", field, strings.TrimPrefix(cause.Message, "conflict with ")),
			Detail: fmt.Sprintf("Its value is %s, and this apply by %q sets %s. Leave the field out, and its owner keeps it. To take it over, force the apply: options.request.apply.force, or kubectl's --force-conflicts.",
				written(stored.Get(live)), r.Apply.FieldManager, written(at.Get(r.Object)))}
		if edit, ok := r.Document().Remove(path); ok {
			d.Fixes = append(d.Fixes, diag.Fix{Title: "Leave out " + field, Edits: []diag.Edit{edit}})
		}
		d.Fixes = append(d.Fixes, diag.Fix{Title: "Take over all fields by force", Edits: []diag.Edit{}, Request: &diag.RequestChange{Force: true}})
		out = append(out, d)
	}
	return out
}

// maxWritten is the length from which a value is too long for a sentence.
const maxWritten = 120

// written is a value as JSON, cut where it is long.
func written(value any, found bool) string {
	text, err := json.Marshal(value)
	switch {
	case !found:
		return "unset"
	case err != nil:
		return fmt.Sprint(value)
	case len(text) > maxWritten:
		return strings.ToValidUTF8(string(text[:maxWritten]), "") + "..."
	}
	return string(text)
}

// pathInConfig is the path in the applied configuration of a field of the merged object.
func (e *Evaluation) pathInConfig(field string) string {
	config, _ := fieldpath.Parse(e.Form.text.ObjectPath).Get(e.Form.text.Document().Value)
	return apply.InConfig(config, e.Chain.Attributes.Object, fieldpath.Parse(field)).String()
}

// explainKept says which items of the list with an invalid field the merge has kept.
func (e *Evaluation) explainKept(d *diag.Diagnostic, field string) {
	at := strings.LastIndexByte(field, '[')
	if !e.Form.Applied || at < 0 {
		return
	}
	config, _ := fieldpath.Parse(e.Form.text.ObjectPath).Get(e.Form.text.Document().Value)
	applied, _ := config.(map[string]any)
	for _, kept := range apply.KeptItems(e.Chain.Attributes.Object, applied, field[:at]) {
		d.Detail += fmt.Sprintf(" The applied object does not have %s. The merge keeps it, because %s owns it.", kept.Item, kept.Manager)
	}
}
