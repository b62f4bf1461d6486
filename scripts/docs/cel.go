package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/preadmit/preadmit/engine"
	"github.com/preadmit/preadmit/engine/edit/completion"
	"github.com/preadmit/preadmit/engine/expect"
	"github.com/preadmit/preadmit/engine/scenario"
)

// celRequest is the request for evaluating the reference's examples. None of them reads it.
const celRequest = "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: settings, namespace: shop}\n"

const celHead = `---
title: CEL functions
order: 75
group: Reference
summary: Every function and macro that an admission policy can use, with an example, its value and its cost, and the first version that accepts it.
---

<!-- Written by "go run ./scripts/docs" from the engine's own functions. Do not edit. -->

# CEL functions

All functions and macros that a policy of Kubernetes %s may use. The engine computed the
examples' values and costs with that release. A function is new in the first release
whose API server accepts it in a new policy. On [the page](using-the-page.md),
*Functions* under *Expression* lists the functions of the chosen release and inserts
them. The editors complete them too.

An expression's cost is the cost of its functions and of each field that it reads.
[Limits](limits.md) has the maximum. In a signature, brackets enclose optional
parts. A method is written after its value, with a dot.

`

// celReference is docs/cel.md.
func celReference() (string, error) {
	all := scenario.Versions()
	newest := all[len(all)-1]
	c, err := completion.New(newest, nil)
	if err != nil {
		return "", err
	}
	functions, err := c.Functions()
	if err != nil {
		return "", err
	}
	var areas []string
	var body strings.Builder
	for _, f := range functions {
		if len(areas) == 0 || areas[len(areas)-1] != f.Area {
			areas = append(areas, f.Area)
			fmt.Fprintf(&body, "## %s\n\n", f.Area)
		}
		entry, err := celEntry(f, newest)
		if err != nil {
			return "", err
		}
		body.WriteString(entry)
	}
	return fmt.Sprintf(celHead, newest) + links(areas) + "\n" + strings.TrimRight(body.String(), "\n") + "\n", nil
}

// celEntry is one function's section.
func celEntry(f completion.Function, newest string) (string, error) {
	s := scenario.Scenario{Kubernetes: newest, Request: celRequest, Expression: f.Example, ExpressionContext: f.Context}
	r, err := engine.Evaluate(context.Background(), s, engine.Options{})
	if err != nil {
		return "", err
	}
	if r.Expression == nil || !r.Expression.Evaluated || r.Expression.Error != "" {
		return "", fmt.Errorf("the example of %s has no value: %s", f.Name, f.Example)
	}
	since := "every version from " + scenario.Versions()[0] + " on"
	if f.Since != "" {
		since = "Kubernetes " + f.Since + " and later"
	}
	dot := ""
	if f.Method {
		dot = "."
	}
	return fmt.Sprintf("### %s\n\n`%s%s%s`. %s\n\n```cel %s\n%s\n```\n\nValue `%s`, cost %d. In general it costs %s. *Since:* %s.\n\n",
		f.Name, dot, f.Name, f.Signature, f.Doc, strings.TrimSpace("open "+f.Context), f.Example,
		expect.Shown(r.Expression.Result), r.Expression.Cost, f.Cost, since), nil
}
