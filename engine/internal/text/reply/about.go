package reply

import (
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

var (
	// named matches how the server and kubectl name the object of a denial.
	named = lazy.Regexp{Text: `(?:^|\s)(?:The )?([A-Za-z][\w.-]*) "([^"]*)" is (?:forbidden|invalid)`}
	// sent matches how kubectl names the manifest.
	sent = lazy.Regexp{Text: `error (?:when )?(creating|patching|replacing|applying patch|deleting|validating) "([^"]*)"`}
	// applied matches kubectl apply's output for an existing object.
	applied = lazy.Regexp{Text: `Resource: "[^"]*Resource=([\w-]+)", GroupVersionKind: "(?:([\w.-]+)/)?[^"/]*"\s+Name: "([^"]*)", Namespace: "([^"]*)"`}
	// reconciled matches how Flux names an object: kind, namespace and name.
	reconciled = lazy.Regexp{Text: `\b([A-Z]\w+)/(?:([a-z0-9][\w.-]*)/)?([a-z0-9][\w.-]*) dry-run failed`}
	// helm matches how Helm names an object that it changes.
	helm = lazy.Regexp{Text: `cannot patch "([^"]*)" with kind (\w+)`}
	// event matches a row of kubectl get events, up to the message.
	event = lazy.Regexp{Text: `^(?:([a-z0-9][a-z0-9-]*)\s+)?\S+(?: \([^)]*\))?\s+(?:Warning|Normal)\s+\w+\s+([a-z][a-z.]*/[a-z0-9][\w.-]*)\s`}
)

// about derives a reply's object from its line and context.
func about(text string, at int, r Reply) Object {
	var o Object
	start := lineOf(text, at)
	line := text[start:]
	if end := strings.IndexByte(line, '\n'); end >= 0 {
		line = line[:end]
	}
	if all := named.FindAllStringSubmatch(line, -1); len(all) > 0 {
		last := all[len(all)-1]
		o.Resource, o.Name = strings.ToLower(last[1]), last[2]
	}
	if m := sent.FindStringSubmatch(line); m != nil {
		o.Exists = m[1] != "creating" && m[1] != "validating"
		if !temporary(m[2]) {
			o.File = m[2]
		}
	}
	if m := helm.FindStringSubmatch(line); m != nil {
		o.Resource, o.Name, o.Exists = strings.ToLower(m[2]), m[1], true
	}
	if m := reconciled.FindStringSubmatch(line); m != nil {
		if o.Resource == "" {
			o.Resource, o.Name = strings.ToLower(m[1]), m[3]
		}
		o.Namespace = m[2]
	}
	if all := applied.FindAllStringSubmatch(text[:at], -1); len(all) > 0 && o.Exists {
		last := all[len(all)-1]
		o.Resource, o.Name, o.Namespace, o.Exists = last[1], last[3], last[4], true
		if last[2] != "" {
			o.Resource += "." + last[2]
		}
	}
	o.owner(text, line)
	return o
}

// temporary reports whether a manifest was not the reader's own file.
func temporary(file string) bool {
	return file == "STDIN" || strings.HasPrefix(file, "/dev/shm/") || strings.HasPrefix(file, "/tmp/")
}

// owner derives, from an event, the owner for which a controller creates the object. The event is
// in a table or at the end of kubectl describe's output.
func (o *Object) owner(text, line string) {
	if m := event.FindStringSubmatch(line); m != nil {
		o.Owner = m[2]
		if strings.HasPrefix(strings.TrimSpace(text), "NAMESPACE") {
			o.Namespace = m[1]
		}
		return
	}
	d, ok := ReadDescribed(text)
	if !ok || d.Kind == "" {
		return
	}
	o.Owner, o.Namespace = d.Kind+"/"+d.Name, d.Namespace
	if d.Owner != "" {
		o.Owner = d.Owner // the described object has the template
	}
}
