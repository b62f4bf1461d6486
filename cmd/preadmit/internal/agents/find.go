package agents

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/analysis/ask"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

type findInput struct {
	texts
	Answer string `json:"answer" jsonschema:"denied, admitted, newly-denied, newly-admitted or different; the last three compare with oldPolicies"`
	Policy string `json:"policy,omitempty" jsonschema:"the name of the policy that denies or admits; any policy without it"`
	Old    string `json:"oldPolicies,omitempty" jsonschema:"the policies before the change, in place of policies"`
}

// found is the output of find_request.
type found struct {
	Found   bool     `json:"found" jsonschema:"false proves nothing: there may be such a request"`
	Tried   int      `json:"tried" jsonschema:"the requests that were evaluated"`
	Request string   `json:"request,omitempty" jsonschema:"the smallest one that was found, for the input request of evaluate"`
	Cluster string   `json:"cluster,omitempty" jsonschema:"a Namespace that the cluster needs too, with the labels that a selector wants"`
	Verdict *verdict `json:"verdict,omitempty" jsonschema:"the answer to it"`
	Before  *verdict `json:"before,omitempty" jsonschema:"the answer of oldPolicies"`
}

// differences are the queries that compare two sets of policies.
var differences = map[string]ask.Difference{"newly-denied": ask.NowDenied, "newly-admitted": ask.NowAdmitted, "different": ask.Any}

func find(ctx context.Context, in findInput) (string, found, error) {
	how, two := differences[in.Answer]
	if !two && in.Answer != "denied" && in.Answer != "admitted" {
		return "", found{}, fmt.Errorf("answer is %q; it can be denied, admitted, newly-denied, newly-admitted or different", in.Answer)
	}
	if two != (in.Old != "") {
		return "", found{}, errors.New("only newly-denied, newly-admitted and different use oldPolicies, and they need it")
	}
	after, err := compiled(in.texts)
	if err != nil {
		return "", found{}, err
	}
	var answer ask.Answer
	switch {
	case two:
		old := in.texts
		old.Policies = in.Old
		before, err := compiled(old)
		if err != nil {
			return "", found{}, fmt.Errorf("oldPolicies: %w", err)
		}
		if answer, err = ask.Differs(ctx, before, after, how, 0); err != nil {
			return "", found{}, err
		}
	case in.Answer == "denied":
		answer, err = ask.Denied(ctx, after, in.Policy, 0)
	default:
		answer, err = ask.Admitted(ctx, after, in.Policy, 0)
	}
	if err != nil {
		return "", found{}, err
	}
	out := found{Found: answer.Found, Tried: answer.Tried, Request: answer.Request, Cluster: answer.Cluster}
	if !answer.Found {
		return fmt.Sprintf("Found no such request, of %d tried. This does not prove that none exists.\n", answer.Tried), out, nil
	}
	out.Verdict = new(verdictOf(answer.Report))
	if answer.Before != nil {
		out.Before = new(verdictOf(answer.Before))
	}
	if answer.Cluster != "" {
		return "# The cluster needs this Namespace:\n" + answer.Cluster + "---\n" + answer.Request, out, nil
	}
	return answer.Request, out, nil
}

// compiled returns policies that the server would accept. Otherwise the error has their problems.
func compiled(t texts) (*engine.Configuration, error) {
	sc, err := t.scenario()
	if err != nil {
		return nil, err
	}
	if strings.TrimSpace(sc.Policies) == "" {
		return nil, errors.New("give policies")
	}
	c, problems := engine.Compile(scenario.Scenario{Kubernetes: sc.Kubernetes, Policies: sc.Policies, Cluster: sc.Cluster})
	if i := slices.IndexFunc(problems, func(d diag.Diagnostic) bool { return d.Severity == diag.Error }); c == nil || i >= 0 {
		if i < 0 {
			return nil, errors.New("the policies cannot be compiled; call check")
		}
		return nil, fmt.Errorf("%s; call check", problems[i].Summary)
	}
	return c, nil
}
