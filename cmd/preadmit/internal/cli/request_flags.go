package cli

import (
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/requesttext"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/text"
)

// requestFlags say who makes the request and what it does, with kubectl's names. They override the
// request.
type requestFlags struct {
	user, namespace, operation, subresource, old string
	groups                                       []string
	serverSide                                   bool
	apply                                        scenario.ApplySettings
}

// admission's operations
var operations = []string{"CREATE", "UPDATE", "DELETE", "CONNECT"}

// apply adds the flags of a server-side apply.
func (f flags) apply(r *requestFlags) {
	f.BoolVar(&r.serverSide, "server-side", false, "apply the object to --old, as kubectl does; without --old, create it by an apply")
	r.apply.FieldManager = defaultManager
	f.text(&r.apply.FieldManager, "field-manager", "", "`NAME`: the manager that owns the applied fields")
	f.BoolVar(&r.apply.Force, "force-conflicts", false, "take over fields that other managers own")
}

// kubectl's manager of a server-side apply is the flag's default
const defaultManager = "kubectl"

// checkApply reports flags that do not go together.
func (r *requestFlags) checkApply() error {
	switch {
	case r.serverSide && r.operation != "":
		return badInput("--operation and --server-side exclude each other: an apply updates the object of --old, or creates one")
	case !r.serverSide && r.apply.Force:
		return badInput("--force-conflicts needs --server-side")
	case !r.serverSide && r.apply.FieldManager != defaultManager:
		return badInput("--field-manager needs --server-side")
	}
	return nil
}

func (f flags) request() *requestFlags {
	r := &requestFlags{}
	f.text(&r.user, "as", "", "`USER`: the user who makes the request; the server's groups are added")
	f.list(&r.groups, "as-group", "", "`GROUP`: a group of the --as user; repeatable")
	f.text(&r.namespace, "namespace", "n", "`NAMESPACE`: the request's namespace, if the object names none")
	f.checked("operation", "", "`OPERATION`: CREATE, UPDATE, DELETE or CONNECT", func(value string) error {
		if r.operation = strings.ToUpper(value); !slices.Contains(operations, r.operation) {
			if r.operation == "PATCH" || r.operation == "APPLY" {
				return fmt.Errorf("it must be one of %s; a patch is UPDATE, and --server-side is an apply", strings.Join(operations, ", "))
			}
			return fmt.Errorf("it must be one of %s%s", strings.Join(operations, ", "), didYouMean(operations, r.operation))
		}
		return nil
	})
	f.complete("operation", operations)
	f.text(&r.subresource, "subresource", "", "`NAME`: the subresource, such as status or scale")
	f.text(&r.old, "old", "", "`FILE`: the object before the change; sets the operation to UPDATE unless you give --operation; for DELETE it is enough without -r")
	f.apply(r)
	return r
}

func (r *requestFlags) given() bool {
	return r.serverSide || r.user != "" || len(r.groups) > 0 || r.namespace != "" || r.operation != "" || r.subresource != "" || r.old != ""
}

// change applies the flags to the request.
func (a *app) change(in *input, r *requestFlags) error {
	if r == nil {
		return nil
	}
	if err := r.checkApply(); err != nil || !r.given() {
		return err
	}
	if len(r.groups) > 0 && r.user == "" {
		return badInput("--as-group needs --as, the user in the group")
	}
	if strings.TrimSpace(in.Request) == "" && r.old != "" && r.operation == "DELETE" { // it is the object that goes
		if err := a.addRequest(in, r.old); err != nil {
			return err
		}
		in.joined(&in.Request, diag.Request)
		gone := *r
		gone.old, r = "", &gone
	}
	if strings.TrimSpace(in.Request) == "" {
		return badInput("there is no request to change: give one with -r FILE")
	}
	if r.operation == "CONNECT" && r.subresource == "" && requesttext.IsObject(in.Request) {
		return &inputError{"--operation CONNECT needs --subresource: exec, attach, portforward or proxy",
			"The object is then its options, such as a PodExecOptions, and -n gives the namespace. For the Pod's name, give an AdmissionReview with request.name."}
	}
	set, old, err := a.changes(in, r)
	if err != nil {
		return err
	}
	if requesttext.IsObject(in.Request) { // its text stays as it is, and with it every place and repair
		if in.Options.Defaulting == nil {
			in.Options.Defaulting = new(true) // as for an object that is not a captured request
		}
		if in.Options.Request = set.Settings(in.Options.Request); r.old != "" {
			in.old = old
		}
		return nil
	}
	if r.serverSide {
		in.Options.Request = requesttext.Changes{Apply: &r.apply}.Settings(in.Options.Request)
	}
	changed, err := requesttext.Change(in.Request, set)
	if err != nil {
		return badInput("the request cannot be changed: %v", err)
	}
	in.sources[diag.Request] = in.relocated(changed, old)
	in.Request = changed
	return nil
}

// changes are the flags' values, and the source of the old object.
func (a *app) changes(in *input, r *requestFlags) (requesttext.Changes, *text.Source, error) {
	set, old := requesttext.Changes{}, &text.Source{}
	if r.serverSide {
		set.Apply = &r.apply
	}
	if r.user != "" {
		groups := requesttext.GroupsOf(r.user, r.groups)
		set.User, set.Groups = &r.user, &groups
	}
	if r.subresource != "" {
		set.SubResource = &r.subresource
	}
	operation := r.operation
	if r.old != "" {
		if err := a.readOld(r.old, old); err != nil {
			return set, old, err
		}
		if set.OldObject = &old.Text; operation == "" {
			operation = "UPDATE"
		}
	}
	if operation != "" {
		set.Operation = &operation
	}
	if r.namespace != "" {
		named, err := a.namesNamespace(in, r.namespace)
		if err != nil {
			return set, old, err
		}
		if named {
			set.Namespace = &r.namespace
		}
	}
	return set, old, nil
}

// readOld reads the object before the change, one document.
func (a *app) readOld(file string, old *text.Source) error {
	raw, err := a.read(file)
	if err != nil {
		return err
	}
	old.Add(displayName(file), string(raw), 1)
	docs, problems := scenario.ParseDocuments(diag.Request, old.Text)
	for _, d := range problems {
		if d.Severity == diag.Error {
			return badInput("%s: %s", old.At(d.Span.Start), d.Summary)
		}
	}
	if len(docs) != 1 {
		return badInput("%s: --old needs one object, not %d", displayName(file), len(docs))
	}
	return nil
}

// namesNamespace reports whether to set the namespace: the kind is namespaced and the request names
// none. It returns an error if the request names another.
func (a *app) namesNamespace(in *input, namespace string) (bool, error) {
	docs, _ := scenario.ParseDocuments(diag.Request, in.Request) // the report has its problems
	if len(docs) != 1 {
		return false, nil
	}
	for _, path := range [][]string{{"request", "namespace"}, {"namespace"}, {"metadata", "namespace"}, {"request", "object", "metadata", "namespace"}, {"object", "metadata", "namespace"}, {"request", "oldObject", "metadata", "namespace"}} {
		switch own := textAt(docs[0].Value, path...); {
		case own == namespace:
			return false, nil
		case own != "":
			return false, badInput("the request is in namespace %s, and --namespace is %s", own, namespace)
		}
	}
	if requesttext.IsObject(in.Request) {
		return true, nil // the setting is for namespaced kinds only
	}
	r, err := engine.Evaluate(a.ctx, in.Scenario, engine.Options{Limits: a.limits})
	if err != nil || r.Request == nil {
		return false, err
	}
	return r.Request.Namespace != "" && !strings.HasSuffix(r.Request.Resource, "Resource=namespaces"), nil
}

func textAt(value map[string]any, path ...string) string {
	for _, field := range path[:len(path)-1] {
		value, _ = value[field].(map[string]any)
	}
	out, _ := value[path[len(path)-1]].(string)
	return out
}

// relocated maps a changed request to its file, and the old object to the file of --old.
func (in *input) relocated(changed string, old *text.Source) *text.Source {
	out := &text.Source{Text: changed}
	request := in.sources[diag.Request]
	if request == nil {
		request = &text.Source{Text: in.Request}
	}
	var inner diag.Span
	if docs, _ := scenario.ParseDocuments(diag.Request, changed); old.Text != "" && len(docs) == 1 {
		for _, path := range []string{"request.oldObject", "oldObject"} {
			if docs[0].Has(path) {
				inner = docs[0].Locate(path)
			}
		}
	}
	requests, olds := &unread{of: request, end: len(request.Text)}, &unread{of: old, end: len(old.Text)}
	start := len(changed)
	for _, line := range slices.Backward(slices.Collect(strings.Lines(changed))) {
		start -= len(line)
		from := requests
		if end := start + len(line); inner.Start < end && start < inner.End {
			from = olds
		}
		out.Pieces = append(out.Pieces, from.piece(line, start))
	}
	slices.Reverse(out.Pieces)
	return out
}

// unread is the part of a text, up to end, whose lines have not been found in a changed text.
type unread struct {
	of  *text.Source
	end int
}

// piece takes the last line that is like a line of the changed text, which may be indented further.
// An inserted line gets the place of what follows it.
func (u *unread) piece(line string, start int) text.Piece {
	deeper := indentation(line)
	for end := u.end; end > 0; {
		begin := strings.LastIndexByte(u.of.Text[:end-1], '\n') + 1
		if own := u.of.Text[begin:end]; strings.TrimSpace(own) == strings.TrimSpace(line) {
			u.end, deeper = begin, deeper-indentation(own)
			break
		}
		end = begin
	}
	at := u.of.At(u.end)
	return text.Piece{File: at.File, Start: start, Line: at.Line, Column: -deeper}
}

func indentation(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }
