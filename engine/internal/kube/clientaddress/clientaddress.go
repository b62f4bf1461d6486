// Package clientaddress is the server's validation for a webhook's address, which admission and
// conversion webhooks share (pkg/util/webhook of k8s.io/apiserver).
package clientaddress

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/version"
)

// URL validates a webhook's URL.
func URL(path *field.Path, text string) field.ErrorList {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(text)
	if err != nil {
		// The server reports this as a missing value.
		return field.ErrorList{field.Required(path, "url must be a valid URL: "+err.Error()+form)}
	}
	var errs field.ErrorList
	if u.Scheme != "https" {
		errs = append(errs, field.Invalid(path, u.Scheme, "'https' is the only allowed URL scheme"+form))
	}
	if u.Host == "" {
		errs = append(errs, field.Invalid(path, u.Host, "host must be specified"+form))
	}
	if u.User != nil {
		errs = append(errs, field.Invalid(path, u.User.String(), "user information is not permitted in the URL"))
	}
	if u.Fragment != "" {
		errs = append(errs, field.Invalid(path, u.Fragment, "fragments are not permitted in the URL"))
	}
	if u.RawQuery != "" {
		errs = append(errs, field.Invalid(path, u.RawQuery, "query parameters are not permitted in the URL"))
	}
	return errs
}

// MissingNames returns the names that a Service reference lacks. The server mixes them up: it
// reports a missing name as the namespace and vice versa (semantics §15).
func MissingNames(path *field.Path, namespace, name string, v version.Version) (errs field.ErrorList) {
	nameText, namespaceText := "", ""
	if !v.Has(version.ShortFieldErrors) {
		nameText, namespaceText = "service name is required", "service namespace is required"
	}
	if namespace == "" {
		errs = append(errs, field.Required(path.Child("name"), nameText))
	}
	if name == "" {
		errs = append(errs, field.Required(path.Child("namespace"), namespaceText))
	}
	return errs
}

// Port validates a Service's port.
func Port(path *field.Path, port int32) field.ErrorList {
	if errs := validation.IsValidPortNum(int(port)); errs != nil {
		return field.ErrorList{field.Invalid(path, port, "port is not valid: "+strings.Join(errs, ", "))}
	}
	return nil
}

// Path validates the URL path at a Service.
func Path(path *field.Path, p string) (errs field.ErrorList) {
	bad := func(detail string) { errs = append(errs, field.Invalid(path, p, detail)) }
	switch p {
	case "", "/":
		return nil
	case "//":
		bad("segment[0] may not be empty")
		return errs
	}
	if !strings.HasPrefix(p, "/") {
		bad("must start with a '/'")
	}
	// The server cuts off the first character, whatever it is.
	for i, segment := range strings.Split(strings.TrimSuffix(p[1:], "/"), "/") {
		if segment == "" {
			bad(fmt.Sprintf("segment[%d] may not be empty", i))
			continue
		}
		for _, msg := range validation.IsDNS1123Subdomain(segment) {
			bad(fmt.Sprintf("segment[%d]: %v", i, msg))
		}
	}
	return errs
}

// Bundle validates the CA certificates for a webhook.
func Bundle(path *field.Path, bundle []byte) field.ErrorList {
	if err := certificates(bundle); err != nil {
		return field.ErrorList{field.Invalid(path, bundle, "unable to load root certificates: "+err.Error())}
	}
	return nil
}

// certificates returns client-go's error for a bundle without any usable certificate; nil if it has
// one.
func certificates(bundle []byte) error {
	var problem error
	for len(bundle) > 0 {
		block, rest := pem.Decode(bundle)
		if block == nil {
			if problem == nil {
				problem = errors.New("unable to parse bytes as PEM block")
			}
			return problem
		}
		bundle = rest
		if block.Type != "CERTIFICATE" || len(block.Headers) != 0 {
			continue
		}
		_, err := x509.ParseCertificate(block.Bytes)
		if err == nil {
			return nil
		}
		if problem == nil {
			problem = fmt.Errorf("failed to parse certificate: %w", err)
		}
	}
	if problem == nil {
		problem = errors.New("no valid certificate authority data seen")
	}
	return problem
}
