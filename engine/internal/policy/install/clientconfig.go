package install

import (
	v1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/preadmit/preadmit/engine/internal/kube/clientaddress"
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
	c.addAll(codes.WebhookURL, clientaddress.URL(path, text))
}

// webhookService checks a service reference. The text of a missing name is the
// server's, which mixes up the two; the place is the right one.
func (c *checker) webhookService(path *field.Path, s *v1.ServiceReference) {
	const swapped = "The API server swaps service.name and service.namespace when it reports one missing."
	name, namespace := path.Child("name").String(), path.Child("namespace").String()
	other := map[string]string{name: namespace, namespace: name}
	for _, err := range clientaddress.MissingNames(path, s.Namespace, s.Name, c.version) {
		p := c.add(codes.RequiredValue, err)
		p.at, p.hint = other[err.Field], swapped
	}
	if s.Port != nil {
		c.addAll(codes.WebhookService, clientaddress.Port(path.Child("port"), *s.Port))
	}
	if s.Path != nil {
		c.addAll(codes.WebhookService, clientaddress.Path(path.Child("path"), *s.Path))
	}
}
