package scenario

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/text/pasted"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// File is a text and its file name. A pasted text has no name. If only the kind of text matters,
// the name may be a file extension (.txtar).
type File struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Given is the context for classifying texts.
type Given struct {
	// Scenario is the current scenario: its webhooks may have responses, its policies name the
	// kinds of their params, and it may have a request.
	Scenario Scenario `json:"scenario,omitzero"`
	// Unread are the names of manifests beside the files, which nobody reads (ReadFS).
	Unread []string `json:"unread,omitempty"`
	// Into is the text that something was pasted into; empty for files.
	Into diag.Text `json:"into,omitempty"`
	// Request selects one of the Candidates by number, from 1. 0 selects none.
	Request int `json:"request,omitempty"`
	// Webhook names the webhook that sent the given response, if several are possible.
	Webhook string `json:"webhook,omitempty"`
}

// Classified is the result of Classify.
type Classified struct {
	// Scenario has the texts and settings. Texts without documents are empty.
	Scenario Scenario `json:"scenario"`
	// Settings is the text that the settings of the scenario were read from.
	Settings string `json:"-"`
	// Whole says that the file names are those of a scenario, so the files replace the current
	// scenario. Otherwise they are added to it.
	Whole bool `json:"whole,omitempty"`
	// Expected is expected.yaml, or nil.
	Expected *Expectation `json:"-"`
	// Placed lists the documents, in the order of the files.
	Placed []Placed `json:"placed,omitempty"`
	// Pieces record which part of a text came from where.
	Pieces []Piece `json:"-"`
	// Candidates are the objects that could be the request, if there are several. Unless one is
	// chosen, all of them are left out.
	Candidates []Object `json:"candidates,omitempty"`
	// Chosen is the number of the candidate that is the request, from 1. 0 means none.
	Chosen int `json:"chosen,omitempty"`
	// Webhooks are the possible senders of a response, if the user must choose one.
	Webhooks []string `json:"webhooks,omitempty"`
	// Repairs lists the changes to the texts, in the order of the files.
	Repairs []Repair `json:"repairs,omitempty"`
	// Commands are the commands, one per line, that print the objects to paste instead of an API
	// server reply.
	Commands []string `json:"commands,omitempty"`
	// Diagnostics name the file and have line and column in it. Their spans count in the repaired
	// text. Problems inside a placed document are reported when the scenario is evaluated.
	Diagnostics diag.Diagnostics `json:"diagnostics,omitempty"`
	// Summary describes the result in one line. It is empty for the files of a scenario.
	Summary string `json:"summary,omitempty"`
}

// Expectation is the text of expected.yaml.
type Expectation struct {
	Text string
	// Before is the number of lines before the text in its file.
	Before int
}

// Object identifies a document and its place.
type Object struct {
	File       string `json:"file,omitempty"`
	Line       int    `json:"line"` // in the file, from 1
	APIVersion string `json:"apiVersion,omitempty"`
	Kind       string `json:"kind,omitempty"`
	Namespace  string `json:"namespace,omitempty"`
	Name       string `json:"name,omitempty"`
	// Asks describes the request in an audit event or AdmissionReview ("create pods/web"), because
	// those have no names to choose by.
	Asks string `json:"asks,omitempty"`
}

// String returns the object in kubectl's form: Pod/web.
func (o Object) String() string {
	switch {
	case o.Asks != "":
		return o.Kind + " (" + o.Asks + ")"
	case o.Name == "" && o.Kind == "":
		return "a document without a kind"
	case o.Name == "":
		return o.Kind
	}
	return o.Kind + "/" + o.Name
}

// Placed is a document with the text that it belongs to.
type Placed struct {
	Object
	// Text is empty for a document that is left out.
	Text diag.Text `json:"text,omitempty"`
	// Why is the rule that decided: a word from Classify's table.
	Why string `json:"why"`
}

// Piece is a contiguous part of a text that came from one place.
type Piece struct {
	Text diag.Text
	// Start is the byte offset in the text at which the piece begins.
	Start int
	File  string
	// Line is the line in the file where the piece begins, from 1. Column is the number of
	// characters removed from the beginning of each line.
	Line, Column int
}

// Repair is a change that made a text readable.
type Repair struct {
	File string `json:"file,omitempty"`
	Line int    `json:"line"` // of the first change in the file, from 1
	// Name is stable. Done describes the change: "removed a Markdown fence".
	Name string `json:"name"`
	Done string `json:"done"`
	// Same says that kubectl reads the unrepaired text the same way.
	Same bool `json:"same,omitempty"`
}

// Classify finds out what texts are that were opened, dropped or pasted, and
// which text of a scenario each of their documents belongs to. A single txtar
// archive, and files with the names of those of a scenario, are that scenario,
// word for word. Any other text is repaired first, if what copying did to it
// needs it (fences, shell commands, typographic characters and such), and then
// goes document by document, items of a List singly, by the first rule that
// fits:
//
//	a file *.cel                                       the expression
//	expected.yaml                                      the expectation
//	a reply of the API server, as kubectl, events,     refused, with the commands that print
//	  controllers and logs print it                      the policy and the object
//	output of kubectl describe, or a table             refused, with the command to use
//	a kind of admissionregistration.k8s.io             policies
//	a kind of apiserver.config.k8s.io or of            policies
//	  pod-security.admission.config.k8s.io,
//	  a kubeconfig
//	WebhookResponse, TokenClaims (preadmit.dev)        cluster
//	AdmissionReview with request, AdmissionRequest     request
//	Event of audit.k8s.io                              request, as an AdmissionReview
//	AdmissionReview with response only                 cluster, as the WebhookResponse of the
//	                                                   one webhook that can have given it, of
//	                                                   the one that the file is named after, or
//	                                                   of the one chosen
//	an HTTP answer, as curl -i prints it               the same
//	Namespace, CustomResourceDefinition, RBAC,         cluster, beside a request or another
//	  ServiceAccount, ConfigMap, Secret, classes,      object; alone, and when pasted under
//	  quotas, Node, volumes, kinds of params,          Request, the request
//	  the Service that a webhook is behind, and
//	  the workload that this selects
//	settings: no kind, but fields of scenario.yaml     settings
//	any other object, pasted under Cluster             cluster
//	any other object, beside a request                 cluster
//	any other object, the only one                     request
//	any other object, one of several                   a candidate: the request if it is chosen,
//	                                                   else left out
//	what cannot be read                                by its apiVersion and kind if there
//	                                                   are some, else where it was pasted
//
// Nothing is done to Given, and the result shares nothing with it.
func Classify(files []File, given Given) (out *Classified) {
	defer func() {
		if reason := recover(); reason != nil {
			out = &Classified{Scenario: given.Scenario, Diagnostics: []diag.Diagnostic{{Code: codes.Internal, Severity: diag.Error, Text: diag.Settings,
				Summary: fmt.Sprintf("Preadmit failed on these texts: %v", reason), Detail: guard.Of(reason).Stack}}}
		}
	}()
	c := &classifier{given: given, out: &Classified{}}
	sources := expand(files)
	var names []string
	for _, s := range sources {
		if s.Text != "" || slices.Contains(FileNames(), s.known()) {
			names = append(names, s.known())
		}
	}
	if formScenario(names, len(sources) > 0 && sources[0].archive != "") {
		c.whole(sources, files)
		return c.out
	}
	for _, s := range sources {
		c.file(s)
	}
	c.decide()
	c.assemble()
	c.summarise()
	return c.out
}

// sourceFile is a file, or one of an archive.
type sourceFile struct {
	File
	archive string // the name of the archive, if it is in one
	before  int    // lines of the archive before it
	twice   bool   // the archive has had a file of this name
}

// known returns the name without folders.
func (s sourceFile) known() string { return path.Base(s.Name) }

// named returns the name without folders and extension: a webhook's name, for a file with its
// response.
func (s sourceFile) named() string { return strings.TrimSuffix(s.known(), path.Ext(s.known())) }

// place returns the file's name on disk.
func (s sourceFile) place() string {
	if s.archive != "" {
		return s.archive
	}
	return s.Name
}

// expand extracts the files of a single archive.
func expand(files []File) []sourceFile {
	if len(files) == 1 {
		if archive := txtar.Parse([]byte(files[0].Text)); isArchive(files[0].Name, archive) {
			return archived(files[0].Name, archive)
		}
	}
	var out []sourceFile
	for _, f := range files {
		out = append(out, sourceFile{File: f})
	}
	return out
}

// isArchive looks at the file name's extension and at the content.
func isArchive(name string, archive *txtar.Archive) bool {
	if path.Ext(name) == ".txtar" {
		return true
	}
	return slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return slices.Contains(FileNames(), f.Name) })
}

func archived(name string, archive *txtar.Archive) []sourceFile {
	var out []sourceFile
	seen := map[string]bool{}
	before := strings.Count(string(archive.Comment), "\n")
	for _, f := range archive.Files {
		before++ // the marker
		out = append(out, sourceFile{File: File{f.Name, string(f.Data)}, archive: name, before: before, twice: seen[f.Name]})
		seen[f.Name] = true
		before += strings.Count(string(f.Data), "\n")
	}
	return out
}

// classifier is one run of Classify.
type classifier struct {
	given Given
	reads []*read
	items []*item
	out   *Classified
}

// read is one text after its repairs.
type read struct {
	sourceFile
	src    string
	lines  []int // of the original, by the line of src
	chunks []chunk
	places *diag.Lines // offsets in src, computed on first use
}

// lineColumn is a place in the file.
func (r *read) lineColumn(offset int) (line, column int) {
	if r.places == nil {
		r.places = diag.NewLines(r.src)
	}
	line, column = r.places.At(offset)
	return r.lines[min(line, len(r.lines))-1] + r.before, column
}

// file repairs a text and reads its documents.
func (c *classifier) file(s sourceFile) {
	switch {
	case s.known() == ExpectedFile:
		c.out.Expected = &Expectation{s.Text, s.before}
		return
	case path.Ext(s.Name) == ".cel":
		c.out.Scenario.Expression = s.Text
		c.out.Pieces = append(c.out.Pieces, Piece{Text: diag.Expression, File: s.place(), Line: s.before + 1})
		return
	}
	if answer, ok := readHTTPAnswer(s.Text); ok {
		c.http(s, answer)
		return
	}
	if !pasted.Logged(s.Text) && c.replied(s) {
		return
	}
	clean := pasted.Clean(s.Text)
	if answer, ok := readHTTPAnswer(clean.Text); ok { // it was in a block of Markdown
		s.Text = clean.Text
		c.http(s, answer)
		return
	}
	r := &read{sourceFile: s, src: clean.Text, lines: clean.Lines}
	p := &parser{text: diag.Request, src: r.src}
	r.chunks = p.split()
	docs, _ := ParseDocuments(diag.Request, r.src) // problems are reported in the text that the document goes to
	if !hasObject(docs) {
		if said, instead := foreign(r.src); said != "" {
			c.diagnose(r, diag.Error, codes.ForeignOutput, diag.Span{}, said, instead)
			if command, ok := strings.CutPrefix(instead, outputOf); ok {
				c.out.Commands = append(c.out.Commands, command)
			}
			return
		}
	}
	for _, done := range clean.Repairs {
		repair := Repair{s.place(), done.Line + s.before, done.Name, done.Done, done.Same}
		c.out.Repairs = append(c.out.Repairs, repair)
		if !done.Same {
			c.out.Diagnostics = append(c.out.Diagnostics, diag.Diagnostic{
				Code: codes.RepairedText, Severity: diag.Info, Text: diag.Request, File: s.place(), Line: repair.Line, Column: 1,
				Summary: done.Done, Detail: "kubectl would read the original text. Preadmit uses the fixed text.",
			})
		}
	}
	c.reads = append(c.reads, r)
	c.read(r, docs)
}

// read turns documents, and chunks that cannot be read, into items.
func (c *classifier) read(r *read, docs []*Document) {
	for i, k := range r.chunks {
		before := len(c.items)
		for _, d := range docs {
			if d.source.from == k.from {
				c.items = append(c.items, &item{read: r, chunk: i, doc: d, Object: Object{
					APIVersion: d.APIVersion, Kind: d.Kind, Namespace: d.Namespace, Name: d.Name, Asks: asks(d),
				}, at: d.Span})
			}
		}
		if part := r.src[k.from:k.to]; len(c.items) == before && !onlyComments(part) {
			it := &item{read: r, chunk: i, at: (&source{src: r.src, from: k.from, to: k.to}).trimmed()}
			it.APIVersion, it.Kind = seemingKind(part)
			c.items = append(c.items, it)
		}
		for _, it := range c.items[before:] {
			it.File = r.place()
			it.Line, _ = r.lineColumn(it.at.Start)
		}
	}
}

func onlyComments(part string) bool {
	for line := range strings.Lines(part) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}

// diagnose adds a problem with its place in the file.
func (c *classifier) diagnose(r *read, severity diag.Severity, code string, span diag.Span, summary, detail string) *diag.Diagnostic {
	d := diag.Diagnostic{Code: code, Severity: severity, Text: diag.Request, File: r.place(), Span: span, Summary: summary, Detail: detail}
	d.Line, d.Column = r.lineColumn(span.Start)
	c.out.Diagnostics = append(c.out.Diagnostics, d)
	return &c.out.Diagnostics[len(c.out.Diagnostics)-1]
}

// summarise writes the Summary.
func (c *classifier) summarise() {
	var parts []string
	for _, text := range []diag.Text{diag.Policies, diag.Cluster, diag.Settings} {
		var names []string
		for _, p := range c.out.Placed {
			if p.Text == text {
				names = append(names, p.String())
			}
		}
		if label := labels[text]; len(names) == 1 {
			parts = append(parts, names[0]+" to "+label)
		} else if len(names) > 1 {
			parts = append(parts, fmt.Sprintf("%d documents to %s", len(names), label))
		}
	}
	if c.out.Scenario.Expression != "" {
		parts = append(parts, "the expression to Expression")
	}
	for _, p := range c.out.Placed {
		if p.Text != diag.Request {
			continue
		}
		said := p.String() + " is the request"
		if n := len(c.out.Candidates); n > 1 {
			said += fmt.Sprintf(", %d of %d", c.out.Chosen, n)
		}
		parts = append(parts, said)
	}
	if n := len(c.out.Candidates); n > 1 && c.out.Chosen == 0 {
		parts = append(parts, fmt.Sprintf("%d objects could be the request: %s", n, Names(c.out.Candidates)))
	}
	sentences := []string{strings.Join(parts, ", ")}
	var done []string
	for _, r := range c.out.Repairs {
		done = append(done, r.Done)
	}
	sentences = append(sentences, strings.Join(done, "; "))
	for _, d := range c.out.Diagnostics {
		if d.Severity == diag.Error && d.Code != codes.WhichRequest || d.Code == codes.AuditEventPartly {
			detail, _, _ := strings.Cut(d.Detail, "\n  ") // the commands have a list of their own
			sentences = append(sentences, d.Summary, strings.TrimSuffix(strings.TrimSuffix(detail, "."), " To print them:"))
		}
	}
	for _, s := range sentences {
		if s == "" {
			continue
		}
		if c.out.Summary != "" {
			c.out.Summary += " "
		}
		c.out.Summary += strings.ToUpper(s[:1]) + strings.TrimSuffix(s[1:], ".") + "."
	}
}

// labels are the texts' names for people.
var labels = map[diag.Text]string{
	diag.Policies: "Policies", diag.Request: "Request", diag.Cluster: "Cluster", diag.Expression: "Expression", diag.Settings: "Settings",
}
