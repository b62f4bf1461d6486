package scenario

import "slices"

// backends are the Services that webhooks call, and the workloads that these select. Next to a
// webhook configuration, they are not the request.
type backends struct {
	services  [][2]string // namespace and name
	selectors []selector
}

// selector is the Service's selector, which matches the labels of its Pods.
type selector struct {
	namespace string
	labels    map[string]any
}

// backends finds the Services that webhooks name.
func (c *classifier) backends(policies []*Document) backends {
	var b backends
	for _, d := range policies {
		webhooks, _ := d.Value["webhooks"].([]any)
		for _, w := range webhooks {
			webhook, _ := w.(map[string]any)
			client, _ := webhook["clientConfig"].(map[string]any)
			service, _ := client["service"].(map[string]any)
			namespace, _ := service["namespace"].(string)
			if name, ok := service["name"].(string); ok {
				b.services = append(b.services, [2]string{namespace, name})
			}
		}
	}
	for _, it := range c.items {
		if it.doc == nil || !b.service(it.doc) {
			continue
		}
		spec, _ := it.doc.Value["spec"].(map[string]any)
		if labels, _ := spec["selector"].(map[string]any); len(labels) > 0 {
			b.selectors = append(b.selectors, selector{it.Namespace, labels})
		}
	}
	return b
}

// has reports whether a document is such a Service, or a workload behind one.
func (b backends) has(d *Document) bool { return b.service(d) || b.workload(d) }

func (b backends) service(d *Document) bool {
	return d.APIVersion == "v1" && d.Kind == "Service" && slices.Contains(b.services, [2]string{d.Namespace, d.Name})
}

func (b backends) workload(d *Document) bool {
	if d.APIVersion != "apps/v1" {
		return false
	}
	spec, _ := d.Value["spec"].(map[string]any)
	template, _ := spec["template"].(map[string]any)
	metadata, _ := template["metadata"].(map[string]any)
	labels, _ := metadata["labels"].(map[string]any)
	return slices.ContainsFunc(b.selectors, func(s selector) bool {
		for key, value := range s.labels {
			if labels[key] != value {
				return false
			}
		}
		return s.namespace == d.Namespace
	})
}
