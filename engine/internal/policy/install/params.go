package install

import (
	"fmt"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/api/validate/content"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/report/codes"
)

// paramKind checks the kind of a policy's params. Whether the kind exists is
// not asked when a policy is created.
func (c *checker) paramKind(path *field.Path, k *v1.ParamKind) {
	at := path.Child("apiVersion")
	group, version, slash := strings.Cut(k.APIVersion, "/")
	if !slash {
		group, version = "", k.APIVersion
	}
	switch {
	case k.APIVersion == "":
		c.required(at, "")
	case strings.Contains(version, "/"):
		c.invalid(codes.InvalidParamKind, at, k.APIVersion, fmt.Sprintf("unexpected GroupVersion string: %v", k.APIVersion))
	default:
		if errs := validation.IsDNS1123Subdomain(group); group != "" && len(errs) > 0 {
			c.invalid(codes.InvalidParamKind, at, group, strings.Join(errs, ","))
		}
		if version == "" {
			c.invalid(codes.InvalidParamKind, at, k.APIVersion, "version must be specified")
		} else if errs := validation.IsDNS1035Label(version); len(errs) > 0 {
			c.invalid(codes.InvalidParamKind, at, version, strings.Join(errs, ","))
		}
	}
	if k.Kind == "" {
		c.required(path.Child("kind"), "")
	} else if errs := validation.IsDNS1035Label(strings.ToLower(k.Kind)); len(errs) > 0 {
		c.invalid(codes.InvalidParamKind, path.Child("kind"), k.Kind, "may have mixed case, but should otherwise match: "+strings.Join(errs, ","))
	}
}

// paramRef checks how a binding names its params: by name or by selector.
func (c *checker) paramRef(path *field.Path, r *v1.ParamRef) {
	if r == nil {
		return
	}
	const exclusive = "name and selector are mutually exclusive"
	both := r.Name != "" && r.Selector != nil
	if r.Name != "" {
		for _, msg := range content.IsPathSegmentName(r.Name) {
			c.invalid(codes.InvalidParamRef, path.Child("name"), r.Name, msg)
		}
	}
	if both {
		c.add(codes.InvalidParamRef, field.Forbidden(path.Child("name"), exclusive))
	}
	c.selector(path.Child("selector"), r.Selector)
	if both {
		c.add(codes.InvalidParamRef, field.Forbidden(path.Child("selector"), exclusive))
	}
	if r.Name == "" && r.Selector == nil {
		c.required(path, "one of name or selector must be specified")
	}
	at := path.Child("parameterNotFoundAction")
	if r.ParameterNotFoundAction == nil || *r.ParameterNotFoundAction == "" {
		c.required(at, "")
	} else {
		oneOf(c, at, *r.ParameterNotFoundAction, []string{"Deny", "Allow"})
	}
}
