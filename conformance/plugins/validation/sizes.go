package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// manyItems are more than any list may have whose size the server bounds.
const manyItems = 1100

// items asks how many items a list may have. All are alike, and the server may name that,
// too; more than items it names nothing else.
func (b *base) items(p path, list []any) []check {
	if len(list) == 0 {
		return nil
	}
	text, ok := tooMany(b.created(p.set(b.object, repeated(list[0], manyItems))), p, manyItems)
	if !ok {
		return nil
	}
	_, rest, _ := strings.Cut(text, "must have at most ")
	limit, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSuffix(rest, " items"), " item"))
	if err != nil {
		return nil
	}
	above, isAbove := tooMany(b.created(p.set(b.object, repeated(list[0], limit+1))), p, limit+1)
	_, isBelow := tooMany(b.created(p.set(b.object, repeated(list[0], limit))), p, limit)
	if !isAbove || isBelow || above != text {
		return nil
	}
	return []check{{Path: p.pattern(), Name: "maxitems", Limit: fmt.Sprint(limit), Message: text}}
}

// tooMany is what the server says about the number of items, when it names nothing but them.
func tooMany(causes []metav1.StatusCause, p path, n int) (string, bool) {
	text, found := "", false
	for _, c := range causes {
		switch rest, ok := strings.CutPrefix(c.Message, fmt.Sprintf("Too many: %d", n)); {
		case ok && c.Field == p.String():
			text, found = "Too many: %s"+rest, true
		case !strings.HasPrefix(c.Field, p.String()+"["):
			return "", false
		}
	}
	return text, found
}

func repeated(item any, n int) []any { return slices.Repeat([]any{item}, n) }

// manyLetters are more than any text may have whose length is asked about.
const manyLetters = 12000

// length asks how long a text may be.
func (b *base) length(p path) []check {
	said := func(n int) (string, bool) {
		cause, ok := only(b.created(p.set(b.object, strings.Repeat("a", n))), p.String())
		return cause.Message, ok && strings.HasPrefix(cause.Message, "Too long: may not be more than ")
	}
	text, ok := said(manyLetters)
	if !ok {
		return nil
	}
	limit, err := strconv.Atoi(strings.Fields(strings.TrimPrefix(text, "Too long: may not be more than "))[0])
	if err != nil || !strings.HasSuffix(text, " bytes") {
		return nil // whether characters are counted is not asked
	}
	above, isAbove := said(limit + 1)
	_, isBelow := said(limit)
	if !isAbove || isBelow || above != text {
		return nil
	}
	return []check{{Path: p.pattern(), Name: "maxlength", Limit: fmt.Sprint(limit), Message: text}}
}

// notLess asks whether a number must not be smaller than another one beside it, which the
// server's text names.
func (b *base) notLess(p path) []check {
	current, ok := number(p.get(b.object))
	parent, _ := p[:len(p)-1].get(b.object).(map[string]any)
	var out []check
	for name := range parent {
		other := p[:len(p)-1].with(name)
		n, isNumber := number(parent[name])
		if !ok || !isNumber || name == p[len(p)-1] || n > current {
			continue
		}
		// The other is as large as this one, which is allowed, and then the limit of it.
		equal := other.set(b.object, current)
		if len(b.created(equal)) > 0 {
			continue
		}
		cause, ok := only(b.created(p.set(equal, current-1)), p.String())
		message, has := withValue(cause.Message, fmt.Sprint(current-1))
		if !ok || !has || !strings.Contains(message, "`"+name+"`") {
			continue
		}
		again, ok := only(b.created(other.set(b.object, current+1)), p.String())
		if !ok || again.Message != filled(message, fmt.Sprint(current)) {
			continue
		}
		c := check{Path: p.pattern(), Name: "notless", Limit: name, Message: message}
		c.Zero = names(b.created(p.without(b.object)), p.String(), filled(message, "0"))
		out = append(out, c)
	}
	return out
}
