package expressions

import (
	"slices"
	"strings"
)

// requestKind compares the part of request.kind and request.resource that a text can
// be.
func requestKind(d *draft) string {
	for i := range d.List {
		part := d.token(i - 2)
		if d.Is(i, "name") && (part == "kind" || part == "resource") && d.Is(i-4, "request") && d.messages("undefined field 'name'") {
			return d.with(edit{d.start(i), d.end(i), part})
		}
	}
	if !d.messages("kubernetes.GroupVersion") {
		return d.text
	}
	for i := range d.List {
		kind := d.Is(i, "kind") || d.Is(i, "requestKind")
		if !kind && !d.Is(i, "resource") && !d.Is(i, "requestResource") || !d.Is(i-1, ".") || !d.Is(i-2, "request") || d.Is(i+1, ".") {
			continue
		}
		part := ".resource"
		if kind {
			part = ".kind"
		}
		return d.with(edit{d.end(i), d.end(i), part})
	}
	return d.text
}

// namespaceFields reads the Namespace where its name, or its metadata, is.
func namespaceFields(d *draft) string {
	inMetadata := []string{"labels", "annotations", "name", "uid", "finalizers"}
	for i := range d.List {
		next := ""
		if d.Is(i+1, ".") && d.IsWord(i+2) {
			next = d.List[i+2].Text
		}
		switch {
		case d.Is(i, "namespaceObject") && slices.Contains(inMetadata, next) && d.messages("undefined field '"+next+"'"):
			return d.with(edit{d.end(i), d.end(i), ".metadata"})
		case d.Is(i, "namespace") && d.Is(i-1, ".") && d.Is(i-2, "request") && !d.Is(i-3, ".") && d.messages("type 'string' does not support field selection"):
			switch {
			case next == "metadata" || next == "spec" || next == "status":
				return d.with(edit{d.start(i - 2), d.end(i), "namespaceObject"})
			case next == "name":
				return d.with(edit{d.start(i), d.end(i + 2), "namespace"})
			case slices.Contains(inMetadata, next):
				return d.with(edit{d.start(i - 2), d.end(i), "namespaceObject.metadata"})
			}
		}
	}
	return d.text
}

// predicates are the functions that say whether a text can be read by others.
var predicates = map[string]string{"ip": "isIP", "cidr": "isCIDR", "url": "isURL", "quantity": "isQuantity", "semver": "isSemver"}

// asPredicate asks whether a text can be read where a test is wanted.
func asPredicate(d *draft) string {
	if open, method, ok := d.call(0); ok && !method && d.Partner[open] == len(d.List)-1 && predicates[d.List[0].Text] != "" && d.messages("must evaluate to bool") {
		return d.with(edit{d.start(0), d.end(0), predicates[d.List[0].Text]})
	}
	for _, issue := range d.compiled.Issues {
		if !strings.HasPrefix(issue.Message, "expected type 'bool' but found") {
			continue
		}
		i := d.Starting(issue.Start)
		if i < len(d.List) && d.Is(i, "(") {
			i--
		}
		if i >= 0 && i < len(d.List) && predicates[d.List[i].Text] != "" {
			if open, method, ok := d.call(i); ok && !method && !d.Is(d.Partner[open]+1, ".") {
				return d.with(edit{d.start(i), d.end(i), predicates[d.List[i].Text]})
			}
		}
	}
	return d.text
}

// listMethods gives functions of lists the list before the point, and addresses the
// function that takes them.
func listMethods(d *draft) string {
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !d.messages("'"+d.List[i].Text+"' applied to") {
			continue
		}
		args := d.arguments(open)
		switch name := d.List[i].Text; {
		case name == "join" && method && len(args) == 1 && d.isString(i-2):
			return d.with(edit{d.start(i - 2), d.end(d.Partner[open]), d.operand(args[0]) + ".join(" + d.List[i-2].Text + ")"})
		case slices.Contains([]string{"sum", "min", "max"}, name) && !method && len(args) == 1:
			return d.with(edit{d.start(i), d.end(d.Partner[open]), d.operand(args[0]) + "." + name + "()"})
		case slices.Contains([]string{"sum", "min", "max"}, name) && !method && len(args) > 1:
			return d.with(edit{d.start(i), d.end(d.Partner[open]), "[" + d.slice(args[0][0], args[len(args)-1][1]) + "]." + name + "()"})
		case name == "contains" && method && len(args) == 1 && d.messages("'net.CIDR.("):
			if d.messages("'net.CIDR.(net.CIDR)'") || strings.Contains(d.argument(args[0]), "/") {
				return d.with(edit{d.start(i), d.end(i), "containsCIDR"})
			}
			return d.with(edit{d.start(i), d.end(i), "containsIP"})
		}
	}
	return d.text
}

// decisions asks a decision of the authorizer for its answer.
func decisions(d *draft) string {
	last := len(d.List) - 1
	if !d.messages("kubernetes.authorization.Decision") && !d.messages("'check' applied to 'kubernetes.authorization.Authorizer.(") {
		return d.text
	}
	for i := range d.List {
		open, method, ok := d.call(i)
		if !ok || !method || d.List[i].Text != "check" {
			continue
		}
		args, end := d.arguments(open), d.Partner[open]
		switch {
		case d.Is(i-2, "authorizer") && len(args) == 2:
			return d.with(edit{d.start(i), d.end(end), "group('" + d.groupOf(d.argument(args[1])) + "').resource(" + d.argument(args[1]) + ").check(" + d.argument(args[0]) + ")"})
		case d.Is(end+1, ".") && slices.Contains([]string{"allowed", "reason", "errored", "error"}, d.List[min(end+2, last)].Text) && !d.Is(end+3, "("):
			return d.with(edit{d.end(end + 2), d.end(end + 2), "()"})
		case d.Is(end+1, "."):
		case (d.Is(end+1, "==") || d.Is(end+1, "!=")) && (d.Is(end+2, "true") || d.Is(end+2, "false")):
			if d.Is(end+1, "==") == d.Is(end+2, "true") {
				return d.with(edit{d.end(end), d.end(end + 2), ".allowed()"})
			}
			from := d.chainStart(end)
			return d.with(edit{d.start(from), d.start(from), "!"}, edit{d.end(end), d.end(end + 2), ".allowed()"})
		case end <= last:
			return d.with(edit{d.end(end), d.end(end), ".allowed()"})
		}
	}
	return d.text
}

// userPart reads the part of request.userInfo that a text, or a list of texts, can be: the
// name is compared, and what something is searched in are the groups.
func userPart(d *draft) string {
	if d.messages("cannot be range of a comprehension") || d.messages("'string' cannot be") {
		for i := range d.List {
			if d.Is(i, "username") && d.Is(i-2, "userInfo") && d.Is(i+1, ".") && slices.Contains([]string{"exists", "all", "exists_one", "filter", "map"}, d.token(i+2)) {
				return d.with(edit{d.start(i), d.end(i), "groups"})
			}
		}
	}
	if !d.messages("kubernetes.UserInfo") {
		return d.text
	}
	for i := range d.List {
		if !d.Is(i, "userInfo") || !d.Is(i-1, ".") || !d.Is(i-2, "request") || d.Is(i+1, ".") && (i+2 >= len(d.List) || !slices.Contains(methods, d.List[i+2].Text)) {
			continue
		}
		part := ".username"
		if d.Is(i-3, "in") || d.Is(i+1, ".") && slices.Contains([]string{"exists", "all", "exists_one", "filter", "map"}, d.List[i+2].Text) {
			part = ".groups"
		}
		return d.with(edit{d.end(i), d.end(i), part})
	}
	return d.text
}
