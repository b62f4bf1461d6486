package definition

import (
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// topology checks the kinds of lists and maps (x-kubernetes-list-type and the
// like).
func (v *validator) topology(s *apiextensions.JSONSchemaProps, path *field.Path) (errs field.ErrorList) {
	add := func(err *field.Error) { errs = append(errs, err) }
	typed := func(want, by string) {
		if s.Type == "" {
			add(field.Required(path.Child("type"), "must be "+want+" if "+by+" is specified"))
		} else {
			add(field.Invalid(path.Child("type"), s.Type, "must be "+want+" if "+by+" is specified"))
		}
	}
	if p := s.XPreserveUnknownFields; p != nil && !*p {
		add(field.Invalid(path.Child("x-kubernetes-preserve-unknown-fields"), *p, "must be true or undefined"))
	}
	if m := s.XMapType; m != nil {
		if s.Type != "object" {
			typed("object", "x-kubernetes-map-type")
		}
		if *m != "atomic" && *m != "granular" {
			add(field.NotSupported(path.Child("x-kubernetes-map-type"), *m, []string{"atomic", "granular"}))
		}
	}
	listType := ""
	if s.XListType != nil {
		listType = *s.XListType
		if s.Type != "array" {
			typed("array", "x-kubernetes-list-type")
		} else if listType == "set" && s.Items != nil && s.Items.Schema != nil && (v.before == nil || !v.before.compositeSets) {
			errs = append(errs, setItems(s.Items.Schema, path.Child("items"))...)
		}
		if kinds := []string{"atomic", "set", "map"}; !slices.Contains(kinds, listType) {
			add(field.NotSupported(path.Child("x-kubernetes-list-type"), listType, kinds))
		}
	}
	if len(s.XListMapKeys) > 0 && listType != "map" {
		const detail = "must be map if x-kubernetes-list-map-keys is non-empty"
		if s.XListType == nil {
			add(field.Required(path.Child("x-kubernetes-list-type"), detail))
		} else {
			add(field.Invalid(path.Child("x-kubernetes-list-type"), listType, detail))
		}
	}
	if listType == "map" {
		errs = append(errs, mapItems(s, path)...)
	}
	if (listType == "map" || listType == "set") && s.Items != nil && s.Items.Schema != nil && (v.before == nil || !v.before.looseKeys) {
		errs = append(errs, keys(s, listType, path.Child("items"))...)
	}
	return errs
}

// setItems checks the items of a set, which are compared as a whole.
func setItems(items *apiextensions.JSONSchemaProps, path *field.Path) field.ErrorList {
	const detail = "must be atomic as item of a list with x-kubernetes-list-type=set"
	switch {
	case items.Type == "array" && items.XListType != nil && *items.XListType != "atomic":
		return field.ErrorList{field.Invalid(path.Child("x-kubernetes-list-type"), items.XListType, detail)}
	case items.Type == "object" && (items.XMapType == nil || *items.XMapType != "atomic"):
		return field.ErrorList{field.Invalid(path.Child("x-kubernetes-map-type"), items.XListType, detail)} // the server shows the list type
	}
	return nil
}

// mapItems checks the items of a list that is a map.
func mapItems(s *apiextensions.JSONSchemaProps, path *field.Path) (errs field.ErrorList) {
	add := func(err *field.Error) { errs = append(errs, err) }
	mapKeys, items := path.Child("x-kubernetes-list-map-keys"), path.Child("items")
	if len(s.XListMapKeys) == 0 {
		add(field.Required(mapKeys, "must not be empty if x-kubernetes-list-type is map"))
	}
	switch {
	case s.Items == nil:
		add(field.Required(items, "must have a schema if x-kubernetes-list-type is map"))
		return errs
	case s.Items.Schema == nil:
		add(field.Invalid(items, s.Items, "must only have a single schema if x-kubernetes-list-type is map"))
		return errs
	case s.Items.Schema.Type != "object":
		add(field.Invalid(items.Child("type"), s.Items.Schema.Type, "must be object if parent array's x-kubernetes-list-type is map"))
		return errs
	}
	seen := map[string]bool{}
	for _, key := range s.XListMapKeys {
		if property, ok := s.Items.Schema.Properties[key]; !ok {
			add(field.Invalid(mapKeys, s.XListMapKeys, "entries must all be names of item properties"))
		} else if property.Type == "array" || property.Type == "object" {
			add(field.Invalid(items.Child("properties").Key(key).Child("type"), s.Items.Schema.Type, "must be a scalar type if parent array's x-kubernetes-list-type is map"))
		}
		if seen[key] {
			add(field.Invalid(mapKeys, s.XListMapKeys, "must not contain duplicate entries"))
		}
		seen[key] = true
	}
	return errs
}

// keys checks that items have all that identifies them.
func keys(s *apiextensions.JSONSchemaProps, listType string, path *field.Path) (errs field.ErrorList) {
	items := s.Items.Schema
	if items.Nullable {
		errs = append(errs, field.Forbidden(path.Child("nullable"), "cannot be nullable when x-kubernetes-list-type is "+listType))
	}
	if listType != "map" {
		return errs
	}
	for _, key := range s.XListMapKeys {
		property, ok := items.Properties[key]
		if !ok {
			continue
		}
		at := path.Child("properties").Key(key)
		if !slices.Contains(items.Required, key) && property.Default == nil {
			errs = append(errs, field.Required(at.Child("default"), "this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property"))
		}
		if property.Nullable {
			errs = append(errs, field.Forbidden(at.Child("nullable"), "this property is in x-kubernetes-list-map-keys, so it cannot be nullable"))
		}
	}
	return errs
}
