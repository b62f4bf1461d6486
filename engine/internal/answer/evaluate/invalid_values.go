package evaluate

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/request"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// numberText is what the server says of a number outside of its bounds.
var numberText = lazy.Regexp{Text: `^Invalid value: (-?\d+): must be (?:(?:greater|less) than or equal to |between (-?\d+) and )?(-?\d+)(?:, inclusive)?$`}

// number offers the nearest number that the server accepts.
func (e *Evaluation) number(d *diag.Diagnostic, cause metav1.StatusCause, texts []string) {
	nearest := texts[3]
	given, err := strconv.ParseInt(texts[1], 10, 64)
	if least, bad := strconv.ParseInt(texts[2], 10, 64); err == nil && bad == nil && given < least {
		nearest = texts[2]
	}
	value, err := strconv.ParseInt(nearest, 10, 64)
	sent, ok := e.Sent()
	path := fieldpath.Parse(cause.Field)
	if _, there := path.Get(sent.Value); err != nil || !ok || !there {
		return
	}
	d.Detail = fmt.Sprintf("The nearest number that the server accepts here is %d.", value)
	d.Fixes = set(sent, path, value)
}

// newFinalizers explains finalizers that are added to an object which is being deleted.
func (e *Evaluation) newFinalizers(d *diag.Diagnostic, _ metav1.StatusCause, _ []string) {
	d.Detail = "The stored object has a deletionTimestamp, so its finalizers can only be removed. A controller adds its finalizer before that, and leaves objects that are being deleted."
	old, _ := untyped.Sub(e.Chain.Attributes.OldObject, "metadata")["finalizers"].([]any)
	sent, _ := e.Sent()
	d.Fixes = sent.Fix("Leave out the new finalizers", func(object map[string]any) {
		metadata := untyped.Sub(object, "metadata")
		now, _ := metadata["finalizers"].([]any)
		if metadata["finalizers"] = slices.DeleteFunc(now, func(f any) bool { return !slices.Contains(old, f) }); len(old) == 0 {
			delete(metadata, "finalizers")
		}
	})
}

// secretKeys say which of the user's keys hold what the type of a Secret wants under its own name.
var secretKeys = map[string]*lazy.Regexp{
	"tls.crt":           {Text: `(?i)crt|cert|chain`},
	"tls.key":           {Text: `(?i)key`},
	"ssh-privatekey":    {Text: `(?i)key|^id_`},
	".dockerconfigjson": {Text: `(?i)config`},
}

// secretKey explains a key that the type of a Secret requires, and renames the one that holds it.
func (e *Evaluation) secretKey(d *diag.Diagnostic, cause metav1.StatusCause) {
	sent, _ := e.Sent()
	of, _ := sent.Value["type"].(string)
	d.Detail = fmt.Sprintf("A Secret of type %s must have the key %s in its data.", of, fieldpath.Parse(cause.Field).Last())
	if e.Registered == nil || e.Once || e.Chain.Attributes.Operation != request.Create {
		return
	}
	renamed := map[string]string{}
	var titles []string
	for _, c := range e.causes(sent.Value) {
		path := fieldpath.Parse(c.Field)
		words := secretKeys[path.Last()]
		if len(path) != 2 || path.Parent().String() != "data" || words == nil {
			continue
		}
		if own := matching(sent, words); len(own) == 1 {
			renamed[own[0]] = path.Last()
			titles = append(titles, own[0]+" to "+path.Last())
		}
	}
	if len(titles) > 0 {
		d.Fixes = sent.Fix("Rename "+strings.Join(titles, " and "), func(object map[string]any) {
			for _, field := range []string{"data", "stringData"} {
				list := untyped.Sub(object, field)
				for was, is := range renamed {
					if value, there := list[was]; there {
						delete(list, was)
						list[is] = value
					}
				}
			}
		})
	}
	d.Fixes = append(d.Fixes, sent.Fix("Change to type Opaque, which has any keys", func(object map[string]any) { object["type"] = "Opaque" })...)
}

// matching are the keys of a Secret that a regular expression matches and no type requires.
func matching(sent objecttext.Object, words *lazy.Regexp) (keys []string) {
	data := maps.Clone(untyped.Sub(sent.Value, "data"))
	if data == nil {
		data = map[string]any{}
	}
	maps.Copy(data, untyped.Sub(sent.Value, "stringData"))
	for _, key := range slices.Sorted(maps.Keys(data)) {
		if secretKeys[key] == nil && words.MatchString(key) {
			keys = append(keys, key)
		}
	}
	return keys
}

// ofResources is a path of what a container asks for.
var ofResources = lazy.Regexp{Text: `^spec\.(?:initContainers|containers)\[\d+\]\.resources\.`}

// resized explains that the resources of a Pod change through a subresource, and sends the update to it.
func (e *Evaluation) resized(d *diag.Diagnostic, all []change) {
	a := &e.Chain.Attributes
	other := func(c change) bool { return !ofResources.MatchString(c.path.String()) }
	if a.Kind.Kind != "Pod" || !e.Version.Has(version.ResizesCounted) || slices.ContainsFunc(all, other) {
		return
	}
	d.Detail = fmt.Sprintf("%s The subresource resize, on by default since 1.33, changes the resources of a running Pod: kubectl edit pod %s --subresource resize.", d.Detail, a.Name)
	given := e.Form.text
	if given == nil || given.Form == request.Object {
		return
	}
	review, _ := objecttext.In(given.Document(), fieldpath.Parse(given.ObjectPath).Parent().String())
	d.Fixes = append(review.Fix("Send it to pods/resize", func(r map[string]any) { r["subResource"] = "resize" }), d.Fixes...)
}
