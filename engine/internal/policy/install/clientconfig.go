package install

import (
	"fmt"
	"net/url"
	"strings"

	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// clientConfig checks how a webhook is reached: by URL or through a service.
// The CA bundle is not looked at when the configuration is created.
func (c *checker) clientConfig(path *field.Path, config *v1.WebhookClientConfig) {
	switch {
	case (config.URL == nil) == (config.Service == nil):
		p := c.required(path, "exactly one of url or service is required")
		p.hint = "Preadmit calls no webhook; any https URL or service will do."
	case config.URL != nil:
		c.webhookURL(path.Child("url"), *config.URL)
	default:
		c.webhookService(path.Child("service"), config.Service)
	}
}

func (c *checker) webhookURL(path *field.Path, text string) {
	const form = "; desired format: https://host[/path]"
	u, err := url.Parse(text)
	if err != nil {
		// The server calls this a missing value.
		c.add(codes.WebhookURL, field.Required(path, "url must be a valid URL: "+err.Error()+form))
		return
	}
	if u.Scheme != "https" {
		c.invalid(codes.WebhookURL, path, u.Scheme, "'https' is the only allowed URL scheme"+form)
	}
	if u.Host == "" {
		c.invalid(codes.WebhookURL, path, u.Host, "host must be specified"+form)
	}
	if u.User != nil {
		c.invalid(codes.WebhookURL, path, u.User.String(), "user information is not permitted in the URL")
	}
	if u.Fragment != "" {
		c.invalid(codes.WebhookURL, path, u.Fragment, "fragments are not permitted in the URL")
	}
	if u.RawQuery != "" {
		c.invalid(codes.WebhookURL, path, u.RawQuery, "query parameters are not permitted in the URL")
	}
}

// webhookService checks a service reference. The server mixes up the two names:
// it reports a missing name as the namespace and the other way round (semantics
// §15). The text is the server's, the place is the right one.
func (c *checker) webhookService(path *field.Path, s *v1.ServiceReference) {
	const swapped = "The API server swaps service.name and service.namespace when it reports one missing."
	name, namespace := path.Child("name"), path.Child("namespace")
	nameText, namespaceText := "", ""
	if !c.version.Has(version.ShortFieldErrors) {
		nameText, namespaceText = "service name is required", "service namespace is required"
	}
	if s.Namespace == "" {
		p := c.required(name, nameText)
		p.at, p.hint = namespace.String(), swapped
	}
	if s.Name == "" {
		p := c.required(namespace, namespaceText)
		p.at, p.hint = name.String(), swapped
	}
	if s.Port != nil {
		if errs := validation.IsValidPortNum(int(*s.Port)); errs != nil {
			c.invalid(codes.WebhookService, path.Child("port"), *s.Port, "port is not valid: "+strings.Join(errs, ", "))
		}
	}
	if s.Path != nil {
		c.servicePath(path.Child("path"), *s.Path)
	}
}

func (c *checker) servicePath(path *field.Path, p string) {
	bad := func(detail string) { c.invalid(codes.WebhookService, path, p, detail) }
	switch p {
	case "", "/":
		return
	case "//":
		bad("segment[0] may not be empty")
		return
	}
	if !strings.HasPrefix(p, "/") {
		bad("must start with a '/'")
	}
	// The server cuts the first character off whatever it is.
	for i, segment := range strings.Split(strings.TrimSuffix(p[1:], "/"), "/") {
		if segment == "" {
			bad(fmt.Sprintf("segment[%d] may not be empty", i))
			continue
		}
		for _, msg := range validation.IsDNS1123Subdomain(segment) {
			bad(fmt.Sprintf("segment[%d]: %v", i, msg))
		}
	}
}
