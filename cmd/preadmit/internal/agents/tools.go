package agents

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/preadmit/preadmit/cmd/preadmit/internal/checks"
	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/edit/repairs"
	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/report/response"
	"github.com/preadmit/preadmit/engine/scenario"
	"github.com/preadmit/preadmit/render/linediff"
	"github.com/preadmit/preadmit/render/text"
)

// texts are a tool's inputs. Agents read their descriptions.
type texts struct {
	Policies   string `json:"policies,omitempty" jsonschema:"policies, bindings and webhook configurations as YAML or JSON, several documents separated by ---"`
	Request    string `json:"request,omitempty" jsonschema:"the object that is created, as YAML or JSON; an AdmissionReview or AdmissionRequest for an update, a deletion or another user"`
	Cluster    string `json:"cluster,omitempty" jsonschema:"objects that exist: Namespaces, params, CustomResourceDefinitions, Roles and bindings. A WebhookResponse document holds a webhook's answer"`
	Kubernetes string `json:"kubernetes,omitempty" jsonschema:"the Kubernetes release such as 1.36; the newest one by default"`
}

// scenario returns the texts as a scenario. The error lists the known releases.
func (t texts) scenario() (scenario.Scenario, error) {
	s := scenario.Scenario{Policies: t.Policies, Request: t.Request, Cluster: t.Cluster}
	if t.Kubernetes == "" {
		return s, nil
	}
	var err error
	s.Kubernetes, err = scenario.ParseVersion(t.Kubernetes)
	return s, err
}

type evaluateInput struct {
	texts
	Expression string `json:"expression,omitempty" jsonschema:"one CEL expression to evaluate for the request, beside the policies"`
	Context    string `json:"expressionContext,omitempty" jsonschema:"the place whose variables the expression sees: webhook, condition, validation, message or mutation; validation by default. Outside admission: device, claims, user or authorization"`
	Explain    bool   `json:"explain,omitempty" jsonschema:"write the value of every part of every expression"`
}

type explainInput struct {
	Message string `json:"message" jsonschema:"what kubectl, a controller or an event printed"`
	texts
}

// addTools adds the tools, all of them read-only.
func (s *Server) addTools() {
	add(s, "evaluate", "Evaluate a request", "Predicts the API server's answer to a request: verdict, HTTP code, message, matching policies, each expression's value and cost, and the changed object as a patch.", s.evaluate)
	add(s, "check", "Check policies", "Checks policies, bindings, webhook configurations and CustomResourceDefinitions as the API server does when they are created. Needs no request. Returns each problem with its place and fixes, and the highest cost of each expression.", s.check)
	add(s, "fix", "Repair policies", "Applies the repairs that have one likely answer, each tried before. Returns the repaired texts and the problems that are left.", s.fix)
	add(s, "find_request", "Find a request", "Searches for the smallest request that the policies deny or admit, or that new policies answer differently from old ones. Each answer is confirmed by evaluation; finding none proves nothing.", find)
	add(s, "explain_denial", "Explain a denial", "Reads the message of a denied request and says who denied it and which commands print the policy and the object. With policies and request it evaluates them and shows the deciding expression with its values.", s.explain)
}

// add adds a tool.
func add[In, Out any](s *Server, name, title, description string, answer func(context.Context, In) (string, Out, error)) {
	tool := &mcp.Tool{Name: name, Title: title, Description: description, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: new(false)}}
	mcp.AddTool(s.mcp, tool, func(ctx context.Context, _ *mcp.CallToolRequest, in In) (*mcp.CallToolResult, Out, error) {
		var none Out
		ctx, end, err := s.begin(ctx)
		if err != nil {
			return nil, none, err
		}
		defer end()
		said, out, err := answer(ctx, in)
		if err != nil {
			return nil, none, err
		}
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: shortened(said)}}}, out, nil
	})
}

func (s *Server) evaluate(ctx context.Context, in evaluateInput) (string, verdict, error) {
	sc, err := in.scenario()
	if err != nil {
		return "", verdict{}, err
	}
	sc.Expression, sc.ExpressionContext = in.Expression, in.Context
	if strings.TrimSpace(sc.Request) == "" && sc.Expression == "" {
		return "", verdict{}, errors.New("give a request: the object that is created, or an AdmissionReview; check needs none")
	}
	r, said, err := s.evaluated(ctx, sc, in.Explain)
	if err != nil {
		return "", verdict{}, err
	}
	return said, verdictOf(r), nil
}

// evaluated evaluates a scenario and prints the result as the command line does.
func (s *Server) evaluated(ctx context.Context, sc scenario.Scenario, explain bool) (*report.Report, string, error) {
	o := engine.Everything()
	o.Limits = s.limits
	r, err := engine.Evaluate(ctx, sc, o)
	if err != nil {
		return nil, "", err
	}
	p := printer(sc)
	p.Explain = explain
	var b strings.Builder
	err = p.Report(&b, r)
	return r, b.String(), err
}

func (s *Server) check(ctx context.Context, in texts) (string, checked, error) {
	sc, err := in.scenario()
	if err != nil {
		return "", checked{}, err
	}
	o := checks.Everything()
	o.Limits = s.limits
	r, err := checks.Of(ctx, sc, o)
	if err != nil {
		return "", checked{}, err
	}
	out := checked{Kubernetes: r.Kubernetes, Accepted: !r.Refused(), Problems: problemsOf(r.Diagnostics), Costs: costsOf(r.Costs)}
	for _, i := range r.Install {
		if i.Code != 0 {
			out.Refused = append(out.Refused, refusal{Document: i.Kind + "/" + i.Name, Code: i.Code, Message: i.Message})
		}
	}
	var b strings.Builder
	if out.Accepted {
		b.WriteString("The server of Kubernetes " + r.Kubernetes + " accepts it.\n")
	} else {
		b.WriteString("The server of Kubernetes " + r.Kubernetes + " does not accept it.\n")
	}
	if err := printer(sc).Diagnostics(&b, r.Diagnostics); err != nil {
		return "", checked{}, err
	}
	if len(out.Costs) > 0 {
		b.WriteString("Estimated worst case, for the largest object that a request holds:\n")
	}
	for _, c := range out.Costs {
		b.WriteString("  " + c.said())
	}
	return b.String(), out, nil
}

func (s *Server) fix(ctx context.Context, in texts) (string, fixed, error) {
	sc, err := in.scenario()
	if err != nil {
		return "", fixed{}, err
	}
	r, err := repairs.All(ctx, sc)
	if err != nil {
		return "", fixed{}, err
	}
	var b strings.Builder
	out := fixed{Applied: []string{}, Problems: problemsOf(withoutRequest(sc, r.Report.Diagnostics))}
	for _, a := range r.Applied {
		out.Applied = append(out.Applied, strings.TrimSpace(a.Document+" "+a.Title))
		b.WriteString(out.Applied[len(out.Applied)-1] + "\n")
	}
	if len(r.Applied) == 0 {
		b.WriteString("No problem has a repair with one likely answer.\n")
	}
	for _, t := range []struct {
		name          string
		before, after string
		to            *string
	}{
		{"policies", sc.Policies, r.Scenario.Policies, &out.Policies}, {"request", sc.Request, r.Scenario.Request, &out.Request}, {"cluster", sc.Cluster, r.Scenario.Cluster, &out.Cluster},
	} {
		if t.before != t.after {
			*t.to = t.after
			b.WriteString(linediff.Of(t.name, t.before, t.name, t.after).String())
		}
	}
	if len(out.Problems) > 0 {
		b.WriteString("Left:\n")
		if err := printer(r.Scenario).Diagnostics(&b, withoutRequest(sc, r.Report.Diagnostics)); err != nil {
			return "", fixed{}, err
		}
	}
	return b.String(), out, nil
}

// withoutRequest drops the diagnostic for a missing request, which fix does not need.
func withoutRequest(s scenario.Scenario, list diag.Diagnostics) diag.Diagnostics {
	var out diag.Diagnostics
	for _, d := range list {
		if d.Code != codes.NoRequest || s.Request != "" {
			out = append(out, d)
		}
	}
	return out
}

func (s *Server) explain(ctx context.Context, in explainInput) (string, explained, error) {
	sc, err := in.scenario()
	if err != nil {
		return "", explained{}, err
	}
	out := explained{Answers: answersOf(in.Message)}
	if len(out.Answers) == 0 {
		return "", explained{}, errors.New("the message is not an API server's answer: give the text that kubectl, a controller or an event printed, such as: Error from server (Forbidden): ... denied the request: ...")
	}
	var b strings.Builder
	for _, a := range out.Answers {
		b.WriteString(a.Who + ".\n" + a.Next + "\n")
	}
	if strings.TrimSpace(sc.Request) == "" {
		return b.String(), out, nil
	}
	r, said, err := s.evaluated(ctx, sc, true)
	if err != nil {
		return "", explained{}, err
	}
	v := verdictOf(r)
	out.Evaluated, out.Same = &v, sameAnswer(out.Answers, r)
	switch {
	case out.Same:
		b.WriteString("\nThe given texts get the same answer:\n\n")
	case v.Allowed:
		b.WriteString("\nThe given texts are admitted. A policy, a binding, the namespace's labels, params or the user differ from the cluster's:\n\n")
	default:
		b.WriteString("\nThe given texts get another answer:\n\n")
	}
	return b.String() + said, out, nil
}

// answersOf finds API server responses in a message.
func answersOf(message string) []answer {
	var out []answer
	for _, d := range scenario.Classify([]scenario.File{{Text: message}}, scenario.Given{Into: diag.Policies}).Diagnostics {
		if d.Code == codes.ServerReply {
			out = append(out, answer{Who: strings.TrimPrefix(d.Summary, "this is a server's answer: "), Next: d.Detail})
		}
	}
	return out
}

// sameAnswer reports whether a denial matches one of the responses: the same policy or check, and
// the same message. Controllers print the server's message, kubectl its own form.
func sameAnswer(list []answer, r *report.Report) bool {
	for _, got := range append(answersOf(r.Outcome.Message), answersOf(response.Kubectl(r))...) {
		if slices.ContainsFunc(list, func(a answer) bool { return a.Who == got.Who }) {
			return true
		}
	}
	return false
}

// printer prints as the command line does, with the inputs' names as files.
func printer(s scenario.Scenario) text.Printer {
	p := text.Printer{Width: text.DefaultWidth, Sources: text.Sources{}}
	for name, content := range map[diag.Text]string{diag.Policies: s.Policies, diag.Request: s.Request, diag.Cluster: s.Cluster, diag.Expression: s.Expression} {
		source := &text.Source{}
		source.Add(string(name), content, 1)
		p.Sources[name] = source
	}
	return p
}

// decider names the step that denied; empty if none did.
func decider(r *report.Report) string {
	if by := r.Outcome.DecidedBy; by >= 0 && by < len(r.Steps) {
		return text.StepName(r.Steps[by])
	}
	return ""
}
