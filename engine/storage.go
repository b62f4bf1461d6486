package engine

import (
	"fmt"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/diff"
)

// This file is what storage does to an object between the mutating and the
// validating phase (semantics §0.2).

// zeroUID stands for the random UID of a created object.
const zeroUID = "00000000-0000-0000-0000-000000000000"

// generatedSuffix stands for the five random characters of a generated name.
const generatedSuffix = "xxxxx"

// storage fills in the system fields on CREATE and then makes the changes that
// the scenario lists.
func (e *evaluation) storage() {
	a := &e.chain.Attributes
	if a.Object == nil {
		return
	}
	object := runtime.DeepCopyJSON(a.Object)
	if a.Operation == "CREATE" && a.SubResource == "" {
		e.systemFields(object)
	}
	before := e.scenario.BeforeValidation
	for pointer, value := range before.Set {
		if !setPointer(object, diff.Pointer(pointer), runtime.DeepCopyJSONValue(value)) {
			e.pointerProblem(pointer)
		}
	}
	for _, pointer := range before.Remove {
		removePointer(object, diff.Pointer(pointer))
	}
	a.Object = object
	if a.Name == "" {
		a.Name = metadataString(object, "name")
	}
}

func (e *evaluation) pointerProblem(pointer string) {
	e.diagnose([]diag.Diagnostic{{Code: "before-validation", Severity: diag.Error, Text: diag.Settings,
		Summary: fmt.Sprintf("beforeValidation.set: the object has no parent for %q", pointer)}})
}

// systemFields sets what every kind gets when it is created.
func (e *evaluation) systemFields(object map[string]any) {
	meta, ok := object["metadata"].(map[string]any)
	if !ok {
		return
	}
	meta["uid"], meta["creationTimestamp"] = zeroUID, e.now()
	if name, prefix := metadataString(object, "name"), metadataString(object, "generateName"); name == "" && prefix != "" {
		meta["name"] = prefix + generatedSuffix
	}
	if _, ok := meta["generation"]; !ok  {
		meta["generation"] = int64(1)
	}
}

func metadataString(object map[string]any, field string) string {
	meta, _ := object["metadata"].(map[string]any)
	s, _ := meta[field].(string)
	return s
}

// setPointer sets a value, making objects on the way; "-" appends to a list.
func setPointer(object any, path []string, value any) bool {
	if len(path) == 0 {
		return false
	}
	switch parent := object.(type) {
	case map[string]any:
		if len(path) == 1 {
			parent[path[0]] = value
			return true
		}
		child, ok := parent[path[0]]
		if !ok || child == nil {
			child = map[string]any{}
			parent[path[0]] = child
		}
		if l, ok := child.([]any); ok && len(path) == 2 && path[1] == "-" {
			parent[path[0]] = append(l, value)
			return true
		}
		return setPointer(child, path[1:], value)
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(parent) {
			return false
		}
		if len(path) == 1 {
			parent[i] = value
			return true
		}
		return setPointer(parent[i], path[1:], value)
	}
	return false
}

// removePointer removes a value; what is not there needs no removing. Items of
// lists are taken out.
func removePointer(object any, path []string) any {
	if len(path) == 0 {
		return object
	}
	switch parent := object.(type) {
	case map[string]any:
		if len(path) == 1 {
			delete(parent, path[0])
		} else if child, ok := parent[path[0]]; ok {
			parent[path[0]] = removePointer(child, path[1:])
		}
	case []any:
		i, err := strconv.Atoi(path[0])
		if err != nil || i < 0 || i >= len(parent) {
			return object
		}
		if len(path) == 1 {
			return append(parent[:i:i], parent[i+1:]...)
		}
		parent[i] = removePointer(parent[i], path[1:])
	}
	return object
}

