package scenario

import (
	"fmt"
	"strings"
)

// operations are the verbs of audit events that admission sees.
var operations = map[string]string{"create": "CREATE", "update": "UPDATE", "patch": "UPDATE", "delete": "DELETE"}

// IsAuditEvent reports whether the document is an event of the audit log.
func (d *Document) IsAuditEvent() bool {
	return d.Kind == "Event" && (d.APIVersion == "audit.k8s.io/v1" || d.APIVersion == "audit.k8s.io/v1beta1")
}

// AuditRequest builds an AdmissionReview from an audit event (audit.k8s.io/v1). An event holds less
// than an AdmissionReview: it has no old object, and its level decides how much of the object it
// recorded. skip says why the event is not enough. note says what is missing although a request
// could be built. The object is as the client sent it, before the server's defaults.
func AuditRequest(event map[string]any) (request map[string]any, note, skip string) {
	verb, _ := event["verb"].(string)
	operation, ok := operations[verb]
	if !ok {
		return nil, "", fmt.Sprintf("audit events with verb %q: admission does not see them, or they have no object", verb)
	}
	if stage, _ := event["stage"].(string); stage != "" && stage != "ResponseComplete" {
		return nil, "", "audit events of stage " + stage + ": the same request follows as ResponseComplete"
	}
	reference, _ := event["objectRef"].(map[string]any)
	if reference == nil {
		return nil, "", "audit events without objectRef: they concern no object"
	}
	object, note, skip := auditObject(event, verb)
	if skip != "" {
		return nil, "", skip
	}
	str := func(m map[string]any, key string) string { s, _ := m[key].(string); return s }
	group, version := str(reference, "apiGroup"), str(reference, "apiVersion")
	resource := map[string]any{"group": group, "version": version, "resource": str(reference, "resource")}
	apiVersion, kindName := str(object, "apiVersion"), str(object, "kind")
	kindGroup, kindVersion := "", apiVersion
	if g, v, ok := strings.Cut(apiVersion, "/"); ok {
		kindGroup, kindVersion = g, v
	}
	kind := map[string]any{"group": kindGroup, "version": kindVersion, "kind": kindName}
	name := str(reference, "name")
	if meta, ok := object["metadata"].(map[string]any); ok && name == "" {
		name = str(meta, "name")
	}
	request = map[string]any{
		"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
		"request": map[string]any{
			"uid": str(event, "auditID"), "operation": operation,
			"kind": kind, "requestKind": kind, "resource": resource, "requestResource": resource,
			"subResource": str(reference, "subresource"), "requestSubResource": str(reference, "subresource"),
			"name": name, "namespace": str(reference, "namespace"),
			"userInfo": auditUser(event), "object": object, "oldObject": nil,
			"dryRun": strings.Contains(str(event, "requestURI"), "dryRun=All"),
		},
	}
	return request, note, ""
}

// auditObject returns the object that admission saw, as far as the event recorded it.
func auditObject(event map[string]any, verb string) (object map[string]any, note, skip string) {
	sent, _ := event["requestObject"].(map[string]any)
	answered, _ := event["responseObject"].(map[string]any)
	level, _ := event["level"].(string)
	if verb == "delete" {
		return nil, "", "audit events of deletions: they do not have the deleted object"
	}
	if level == "Metadata" || level == "None" {
		return nil, "", "audit events of level " + level + ": they have no requestObject; record level Request, and RequestResponse for patches"
	}
	switch verb {
	case "patch":
		if answered == nil || answered["kind"] == "Status" {
			return nil, "", "audit events of patches without responseObject: requestObject is only the patch; record level RequestResponse"
		}
		return answered, "patches: the object is taken from the response, with all mutations in it, and the old object is not known", ""
	case "update":
		note = "updates: audit events do not have the old object; oldObject is null"
	}
	if sent == nil {
		return nil, "", "audit events without requestObject: the object was too large, or the audit policy omits it"
	}
	return sent, note, ""
}

// auditUser returns the user that admission saw: the impersonated one, if any.
func auditUser(event map[string]any) map[string]any {
	user, _ := event["impersonatedUser"].(map[string]any)
	if user == nil {
		user, _ = event["user"].(map[string]any)
	}
	if user == nil {
		user = map[string]any{}
	}
	return user
}

// asks describes the request in an audit event or AdmissionReview in kubectl's words. It is empty
// for other documents and for incomplete ones.
func asks(d *Document) string {
	var verb, resource, name string
	switch {
	case d.IsAuditEvent():
		of, _ := d.Value["objectRef"].(map[string]any)
		verb, _ = d.Value["verb"].(string)
		resource, _ = of["resource"].(string)
		if name, _ = of["name"].(string); name == "" {
			name = nameOf(d.Value["requestObject"]) // for a create, only the object has the name
		}
	case d.Kind == "AdmissionReview":
		of, _ := d.Value["request"].(map[string]any)
		resources, _ := of["resource"].(map[string]any)
		verb, _ = of["operation"].(string)
		resource, _ = resources["resource"].(string)
		if name, _ = of["name"].(string); name == "" {
			name = nameOf(of["object"])
		}
	}
	switch {
	case verb == "" || resource == "":
		return ""
	case name == "":
		return verb + " " + resource
	}
	return verb + " " + resource + "/" + name
}

// nameOf returns an object's name, or its generateName prefix.
func nameOf(object any) string {
	value, _ := object.(map[string]any)
	metadata, _ := value["metadata"].(map[string]any)
	if name, _ := metadata["name"].(string); name != "" {
		return name
	}
	name, _ := metadata["generateName"].(string)
	return name
}
