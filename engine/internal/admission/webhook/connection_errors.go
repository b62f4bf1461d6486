package webhook

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/preadmit/preadmit/engine/internal/kube/cluster"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// This file is the way to a webhook, as far as it shows in errors.

// defaultPort is that of a Service reference without a port.
const defaultPort = 443

func (t target) servicePort() int32 {
	if port := t.client.Service.Port; port != nil {
		return *port
	}
	return defaultPort
}

// url is the address as it shows in errors: the server's client cleans the path
// and adds the timeout.
func (t target) url() string {
	address := url.URL{Scheme: "https", Host: t.host(), Path: "/"}
	switch {
	case t.client.URL != nil:
		if given, err := url.Parse(*t.client.URL); err == nil { // installation refuses others
			address.Host, address.Path = given.Host, path.Join("/", given.Path)
		}
	case t.client.Service != nil && t.client.Service.Path != nil:
		address.Path = path.Join("/", *t.client.Service.Path)
	}
	address.RawQuery = fmt.Sprintf("timeout=%ds", t.timeoutSeconds)
	return address.String()
}

// host is the host and port by name.
func (t target) host() string {
	if s := t.client.Service; s != nil {
		return fmt.Sprintf("%s.%s.svc:%d", s.Name, s.Namespace, t.servicePort())
	}
	if t.client.URL == nil {
		return ""
	}
	given, err := url.Parse(*t.client.URL)
	if err != nil {
		return ""
	}
	if given.Port() == "" {
		return hostPort(given.Hostname(), strconv.Itoa(defaultPort))
	}
	return given.Host
}

// dial finds the address that the server connects to. Services are those of the
// cluster text. A missing one is taken to exist where the text is no picture of a
// cluster, without any Namespace, or where no answer of the webhook is known. In a Namespace that is
// being deleted, what the text does not have is gone.
func (t target) dial(c *cluster.Cluster, answered bool) (address string, err error) {
	ref := t.client.Service
	if ref == nil {
		return t.host(), nil
	}
	service, ok := c.Get(schema.GroupKind{Kind: "Service"}, ref.Namespace, ref.Name)
	if !ok {
		if !c.Complete() && !(answered && c.ListsNamespaces()) && !terminating(c, ref.Namespace) {
			return t.host(), nil
		}
		return "", apierrors.NewNotFound(schema.GroupResource{Resource: "service"}, ref.Name)
	}
	return t.resolve(service.Value)
}

// terminating reports whether the text has a Namespace that is being deleted.
func terminating(c *cluster.Cluster, name string) bool {
	namespace, assumed, found := c.Namespace(name)
	return found && !assumed && untyped.Sub(namespace, "metadata")["deletionTimestamp"] != nil
}

// resolve returns the address of a Service as the server does when it does not
// route to endpoints (--enable-aggregator-routing=false, the default).
func (t target) resolve(service map[string]any) (string, error) {
	spec, _ := service["spec"].(map[string]any)
	port := strconv.Itoa(int(t.servicePort()))
	clusterIP, _ := spec["clusterIP"].(string)
	kind, _ := spec["type"].(string)
	if kind == "ExternalName" {
		name, _ := spec["externalName"].(string)
		return hostPort(name, port), nil
	}
	if kind == "ClusterIP" && clusterIP == "None" {
		return "", fmt.Errorf(`cannot route to service with ClusterIP "None"`)
	}
	if !hasPort(spec, int64(t.servicePort())) {
		return "", apierrors.NewServiceUnavailable(fmt.Sprintf("no service port %s found for service %q", port, t.client.Service.Name))
	}
	if clusterIP == "" {
		return t.host(), nil // the server has given it one, which the text does not tell
	}
	return hostPort(clusterIP, port), nil
}

func hasPort(spec map[string]any, port int64) bool {
	ports, _ := spec["ports"].([]any)
	for _, p := range ports {
		if entry, ok := p.(map[string]any); ok && entry["port"] == port {
			return true
		}
	}
	return false
}

// connectionError is what keeps the server from sending the review, nil when
// nothing does.
func (r Response) connectionError(address string) error {
	switch {
	case r.ConnectionRefused:
		return refused(address)
	case r.ConnectionError != "":
		return errors.New(r.ConnectionError)
	}
	return nil
}

// refused is the error of a port that nobody listens on.
func refused(address string) error {
	return fmt.Errorf("dial tcp %s: connect: connection refused", address)
}

// hostPort joins a host and a port; the colons of an IPv6 address need brackets.
func hostPort(host, port string) string {
	if strings.Contains(host, ":") {
		host = "[" + host + "]"
	}
	return host + ":" + port
}
