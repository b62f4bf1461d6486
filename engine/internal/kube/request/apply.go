package request

import (
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// patched are the subresources that accept patches, as an object does.
var patched = []string{"", "status", scale, "ephemeralcontainers", "resize", "approval"}

// applied sets the operation that admission sees of a server-side apply.
func (p *parser) applied(stored bool) {
	if of := p.r.SubResource; !slices.Contains(patched, of) {
		p.problem(diag.Error, codes.UnknownValue, "", "the subresource "+of+" accepts no server-side apply", "The server accepts applies to objects and to "+strings.Join(patched[1:], ", ")+".")
	}
	if p.r.Operation = Create; stored {
		p.r.Operation = Update
		p.derived("The object is applied to the old object, so admission sees the UPDATE to the merged object.")
		return
	}
	p.derived("The object is applied, and there is no old object, so admission sees its CREATE.")
}

// applyOptions sets the options that admission sees of a server-side apply: force is not among them.
func (p *parser) applyOptions(empty map[string]any) {
	r := p.r
	r.Options = with(empty)
	if r.Apply.FieldManager != "" {
		r.Options["fieldManager"] = r.Apply.FieldManager
	}
	if r.DryRun {
		r.Options["dryRun"] = []any{"All"}
	}
}

func (r *Request) validateApplyOptions() *apierrors.StatusError {
	options := &metav1.PatchOptions{FieldManager: r.Apply.FieldManager, Force: &r.Apply.Force}
	if errs := validation.ValidatePatchOptions(options, types.ApplyYAMLPatchType); len(errs) > 0 {
		return apierrors.NewInvalid(schema.GroupKind{Group: metav1.GroupName, Kind: "PatchOptions"}, "", errs)
	}
	return nil
}

// Live returns the old object as the server stores it, with defaults, or nil.
func (r *Request) Live(c *catalog.Catalog) map[string]any {
	return r.completed(c, &Given{Value: r.OldObject})
}
