package elsewhere

import (
	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/ext"
	utilversion "k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// The limits of what a device declares (k8s.io/api/resource/v1).
const (
	maxDomain     = 63
	maxID         = 32
	maxDriver     = 63
	maxAttributes = 32
	maxValue      = 64
)

// types are what an environment declares: a variable of a type, and the types that the
// server estimates the cost with.
type types struct {
	variable  string
	root      *apiservercel.DeclType
	attribute *apiservercel.DeclType // of a device
}

func member(name string, t *apiservercel.DeclType, required bool) *apiservercel.DeclField {
	return apiservercel.NewDeclField(name, t, required, nil, nil)
}

func declared(name string, list ...*apiservercel.DeclField) *apiservercel.DeclType {
	fields := map[string]*apiservercel.DeclField{}
	for _, f := range list {
		fields[f.Name] = f
	}
	return apiservercel.NewObjectType(name, fields)
}

// texts are fields of strings that need not be there.
func texts(names ...string) []*apiservercel.DeclField {
	var out []*apiservercel.DeclField
	for _, name := range names {
		out = append(out, member(name, apiservercel.StringType, false))
	}
	return out
}

var (
	textList = apiservercel.NewListType(apiservercel.StringType, -1)
	extra    = member("extra", apiservercel.NewMapType(apiservercel.StringType, textList, -1), false)
	groups   = member("groups", textList, false)
)

// userType is kubernetes.UserInfo as k8s.io/apiserver/pkg/authentication/cel has it.
func userType() *apiservercel.DeclType {
	return declared("kubernetes.UserInfo", append(texts("username", "uid"), groups, extra)...)
}

// reviewType is the spec of a SubjectAccessReview as
// k8s.io/apiserver/pkg/authorization/cel has it.
func reviewType() *apiservercel.DeclType {
	requirement := declared("kubernetes.SelectorRequirement", append(texts("key", "operator"), member("values", textList, false))...)
	selector := func(name string) *apiservercel.DeclType {
		return declared(name, append(texts("rawSelector"), member("requirements", apiservercel.NewListType(requirement, -1), false))...)
	}
	resource := declared("kubernetes.ResourceAttributes", append(texts("namespace", "verb", "group", "version", "resource", "subresource", "name"),
		member("fieldSelector", selector("kubernetes.FieldSelectorAttributes"), false),
		member("labelSelector", selector("kubernetes.LabelSelectorAttributes"), false))...)
	nonResource := declared("kubernetes.NonResourceAttributes", texts("path", "verb")...)
	return declared("kubernetes.SubjectAccessReviewSpec", append(texts("user", "uid"), groups, extra,
		member("resourceAttributes", resource, false), member("nonResourceAttributes", nonResource, false))...)
}

// deviceType is kubernetes.DRADevice as k8s.io/dynamic-resource-allocation/cel has it,
// where no alpha feature is on: the sizes matter to the cost.
func deviceType(v version.Version) types {
	sized := func(t *apiservercel.DeclType, size int64) *apiservercel.DeclType {
		out := *t
		out.MaxElements = size
		return &out
	}
	domain, id := sized(apiservercel.StringType, maxDomain), sized(apiservercel.StringType, maxID)
	attribute := sized(apiservercel.AnyType, maxValue)
	within := func(t *apiservercel.DeclType) *apiservercel.DeclType {
		return apiservercel.NewMapType(domain, apiservercel.NewMapType(id, t, maxAttributes), maxAttributes)
	}
	list := []*apiservercel.DeclField{
		member("driver", sized(apiservercel.StringType, maxDriver), true),
		member("attributes", within(attribute), true),
		member("capacity", within(apiservercel.QuantityDeclType), true),
	}
	if !v.Before(version.MustParse(consumable)) {
		list = append(list, member("allowMultipleAllocations", sized(apiservercel.BoolType, 1), true))
	}
	return types{variable: "device", root: declared("kubernetes.DRADevice", list...), attribute: attribute}
}

// consumable is the first release with DRAConsumableCapacity on.
const consumable = "1.36"

// firstDevices is the first release whose device selectors are checked: those
// before declare the functions for versions themselves.
const firstDevices = "1.34"

func typesOf(s scope, v version.Version) types {
	switch s {
	case claims, mapping:
		return types{variable: "claims", root: apiservercel.NewMapType(apiservercel.StringType, apiservercel.AnyType, -1)}
	case user:
		return types{variable: "user", root: userType()}
	case review:
		return types{variable: "request", root: reviewType()}
	}
	return deviceType(v)
}

// environmentOf is the server's base environment with the variable of a scope. A file of
// the server is read with what the release knows; a device selector that is written,
// with what the release before knew too.
func environmentOf(s scope, v version.Version, t types) (*cel.Env, error) {
	known := v
	options := environment.VersionedOptions{
		IntroducedVersion: utilversion.MustParse(version.Oldest().String()),
		EnvOptions:        []cel.EnvOption{cel.Variable(t.variable, t.root.CelType())},
		DeclTypes:         []*apiservercel.DeclType{t.root},
	}
	if s == device {
		known = v.Previous()
		options.EnvOptions = append(options.EnvOptions, ext.Bindings(ext.BindingsVersion(0)))
	}
	set, err := environment.MustBaseEnvSet(utilversion.MustParse(known.String())).Extend(options)
	if err != nil {
		return nil, err
	}
	return set.Env(environment.NewExpressions)
}
