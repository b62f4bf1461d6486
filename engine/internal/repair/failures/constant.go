package failures

import (
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/cel/rewrite"
	"github.com/preadmit/preadmit/engine/report"
)

// A guard is for what some objects have and others do not. What is read of the params, or
// of a Namespace that match conditions never have, is the same for all requests: around a
// whole expression, a guard would let it deny everything, or nothing.

// ofImage reports whether a part is the tag of an image: image.split(':')[1]. An image
// without one is that with the tag latest.
func ofImage(s *rewrite.Source, n *node) bool {
	if n.Kind != "index" || len(n.children) != 2 {
		return false
	}
	text := strings.Join(strings.Fields(string(s.Runes[n.children[0].Start:n.children[0].End])), "")
	return strings.HasSuffix(text, "image.split(':')") || strings.HasSuffix(text, `image.split(":")`)
}

// rootOf is the variable that a part is read of, with the steps from there to the part; nil
// where it is read of something else.
func rootOf(n *node) (root *node, steps []*node) {
	for n.Kind == "select" || n.Kind == "index" {
		if len(n.children) == 0 {
			return nil, nil
		}
		steps = append([]*node{n}, steps...)
		n = n.children[0]
	}
	if n.Kind != "variable" {
		return nil, nil
	}
	return n, steps
}

// noNamespace reports whether a part is read of the Namespace in a match condition, where
// there never is one.
func noNamespace(e *report.Evaluation, n *node) bool {
	root, _ := rootOf(n)
	return root != nil && root.Name == "namespaceObject" && e.List == report.ConditionsList && ofNull(n)
}

// namespaceName reads the name of the Namespace from the request where the Namespace itself
// is not to be had.
func namespaceName(s *rewrite.Source, e *report.Evaluation, n *node) (diag.Fix, bool) {
	whole := outermost(n)
	if !noNamespace(e, n) || strings.Join(strings.Fields(string(s.Runes[whole.Start:whole.End])), "") != "namespaceObject.metadata.name" {
		return diag.Fix{}, false
	}
	return s.Fix("Write request.namespace", rewrite.Replace(whole.Start, whole.End, "request.namespace")), true
}

// ofNamespace reads the namespace of the request where the object is a Namespace: the metadata
// of one names none, and its requests carry its own name.
func ofNamespace(s *rewrite.Source, n *node) (diag.Fix, bool) {
	if n != outermost(n) || !clusterScoped(n) {
		return diag.Fix{}, false
	}
	return s.Fix("Write request.namespace", rewrite.Replace(n.Start, n.End, "request.namespace")), true
}

// clusterScoped reports whether a part is the metadata.namespace of a Namespace.
func clusterScoped(n *node) bool {
	root, steps := rootOf(n)
	if root == nil || len(steps) != 2 || steps[0].Name != "metadata" || steps[1].Name != "namespace" || root.Name != "object" && root.Name != "oldObject" {
		return false
	}
	object, ok := root.Value.(map[string]any)
	return ok && object["kind"] == "Namespace" && object["apiVersion"] == "v1"
}

// sameForAll reports whether a guard would decide the whole expression in the same way for
// all requests, and what may be done instead: the name of a key of the params that is near.
func sameForAll(s *rewrite.Source, e *report.Evaluation, n *node) (bool, []diag.Fix) {
	if noNamespace(e, n) {
		return true, nil
	}
	root, steps := rootOf(n)
	if root == nil || root.Name != "params" {
		return false, nil
	}
	condition, ok := conditionOf(e, n)
	if !ok || condition.parent != nil || ofNull(n) {
		return false, nil
	}
	// The fields of the param itself, such as data, are those of its kind.
	if key := onlyLike(n.Has, n.Missing); len(steps) > 1 && key != "" && n.Nearest == "" && n.Kind == "select" && identifier.MatchString(key) {
		return true, []diag.Fix{s.Fix("Write "+key, rewrite.Replace(n.End-len([]rune(n.Name)), n.End, key))}
	}
	return true, nil
}

// onlyLike is the one key that has another name in it, or is in it, whatever the case:
// maxReplicas for max; empty if there is none or more than one.
func onlyLike(keys []string, name string) string {
	found := ""
	for _, key := range keys {
		a, b := strings.ToLower(key), strings.ToLower(name)
		if a == "" || b == "" || !strings.Contains(a, b) && !strings.Contains(b, a) {
			continue
		}
		if found != "" {
			return ""
		}
		found = key
	}
	return found
}
