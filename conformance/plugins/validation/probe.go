package main

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"
)

// wrong is a value that no enum has and no format allows.
const wrong = "Not_A-value!"

// probe finds the checks that the object shows.
func (b *base) probe() []check {
	var out []check
	walk(b.object, func(p path, value any) {
		found := b.required(p)
		switch v := value.(type) {
		case string:
			found = append(found, b.texts(p)...)
			found = append(found, b.length(p)...)
		case json.Number:
			found = append(found, b.bounds(p)...)
			found = append(found, b.notLess(p)...)
		case []any:
			found = append(found, b.unique(p, v)...)
			found = append(found, b.items(p, v)...)
		}
		fixed := b.fixed(p, value)
		for _, c := range found {
			if b.holdsBeside(p, c) {
				if c.Name == "required" && len(fixed) > 0 {
					fixed[0].Zero = b.droppedToo(p, fixed[0])
				}
				c.Update = b.alsoOnUpdate(p, c, fixed)
				out = append(out, c)
			}
		}
		out = append(out, fixed...)
	})
	return out
}

// broken is the object with the mistake that a check is about, and where and how
// the server names it.
func (b *base) broken(o map[string]any, p path, c check) (object map[string]any, field, message string) {
	switch c.Name {
	case "required":
		return p.without(o), p.String(), c.Message
	case "enum", "format":
		return p.set(o, wrong), p.String(), filled(c.Message, quoted(wrong))
	case "min":
		n := parsed(c.Limit) - 1
		return p.set(o, n), p.String(), filled(c.Message, fmt.Sprint(n))
	case "max":
		n := parsed(c.Limit) + 1
		return p.set(o, n), p.String(), filled(c.Message, fmt.Sprint(n))
	case "notless":
		sibling, _ := number(p[:len(p)-1].with(c.Limit).get(o))
		return p.set(o, sibling-1), p.String(), filled(c.Message, fmt.Sprint(sibling-1))
	case "maxitems":
		n := int(parsed(c.Limit)) + 1
		return p.set(o, repeated(p.get(o).([]any)[0], n)), p.String(), filled(c.Message, fmt.Sprint(n))
	case "maxlength":
		return p.set(o, strings.Repeat("a", int(parsed(c.Limit))+1)), p.String(), c.Message
	case "unique":
		list := p.get(o).([]any)
		field, value := p.with(len(list)).String(), list[0]
		if c.Limit != "" {
			field += "." + c.Limit
			value = value.(map[string]any)[c.Limit]
		}
		raw, _ := json.Marshal(value)
		return p.set(o, append(list[:len(list):len(list)], list[0])), field, filled(c.Message, string(raw))
	}
	panic("a check named " + c.Name)
}

func parsed(s string) int64 {
	n, _ := number(json.Number(s))
	return n
}

// required asks what happens without a field.
func (b *base) required(p path) []check {
	if _, ok := p[len(p)-1].(string); !ok {
		return nil
	}
	cause, ok := first(b.created(p.without(b.object)), p.String())
	if !ok || !strings.HasPrefix(cause.Message, "Required value") {
		return nil
	}
	c := check{Path: p.pattern(), Name: "required", Message: cause.Message}
	if _, ok := number(p.get(b.object)); ok {
		zero, ok := first(b.created(p.set(b.object, 0)), p.String())
		c.Zero = ok && zero.Message == cause.Message
	}
	return []check{c}
}

// formats are the rules of texts that the engine knows.
var formats = []struct {
	name  string
	check func(string) []string
}{
	{"dns1123label", validation.IsDNS1123Label},
	{"dns1123subdomain", validation.IsDNS1123Subdomain},
	{"dns1035label", validation.IsDNS1035Label},
	{"qualifiedname", validation.IsQualifiedName},
	{"configmapkey", validation.IsConfigMapKey},
	{"httpheader", validation.IsHTTPHeaderName},
}

// texts asks what happens with a text that cannot be right.
func (b *base) texts(p path) []check {
	cause, ok := only(b.created(p.set(b.object, wrong)), p.String())
	if !ok {
		return nil
	}
	message, has := withValue(cause.Message, quoted(wrong))
	switch {
	case !has:
		return nil
	case strings.HasPrefix(message, "Unsupported value"):
		return []check{{Path: p.pattern(), Name: "enum", Message: message}}
	}
	for _, f := range formats {
		if texts := f.check(wrong); len(texts) == 1 && message == "Invalid value: %s: "+texts[0] && b.strict(p, f.check) {
			return []check{{Path: p.pattern(), Name: "format", Limit: f.name, Message: message}}
		}
	}
	return nil
}

// strict asks whether a format is asked of a text as it is: some servers' checks
// allow capitals, a wildcard before it or a dot behind it.
func (b *base) strict(p path, format func(string) []string) bool {
	text, _ := p.get(b.object).(string)
	for _, other := range []string{strings.ToUpper(text), "*." + text, text + "."} {
		if len(format(other)) > 0 && len(b.created(p.set(b.object, other))) == 0 {
			return false
		}
	}
	return true
}

// bounds looks for the smallest and the largest number that is allowed.
func (b *base) bounds(p path) []check {
	current, ok := number(p.get(b.object))
	if !ok {
		return nil
	}
	refused := func(n int64) (string, bool) { // the first text, where there are several about the field
		cause, ok := first(b.created(p.set(b.object, n)), p.String())
		if !ok {
			return "", false
		}
		return withValue(cause.Message, fmt.Sprint(n))
	}
	fine := func(n int64) bool { return len(b.created(p.set(b.object, n))) == 0 }
	var out []check
	if message, ok := refused(-1); ok {
		// From -1 upwards to a number that is allowed: each in between is refused alike.
		limit := int64(0)
		for ; limit <= current; limit++ {
			if other, is := refused(limit); !is || other != message {
				break
			}
			if limit > 1000 {
				return nil
			}
		}
		missing := func(n int64) bool { // 0 as no value
			text, is := refused(n)
			return is && strings.HasPrefix(text, "Required value")
		}
		// A text that names a field is about a bound that moves with it (notLess).
		moves := strings.Contains(message, "`")
		if other, is := refused(-1000); is && other == message && !moves && (fine(limit) || missing(limit)) && strings.HasPrefix(message, "Invalid value: %s") {
			c := check{Path: p.pattern(), Name: "min", Limit: fmt.Sprint(limit), Message: message}
			cause, is := first(b.created(p.without(b.object)), p.String())
			c.Zero = is && limit > 0 && cause.Message == filled(message, "0")
			out = append(out, c)
		}
	}
	if message, ok := refused(math.MaxInt32); ok && strings.HasPrefix(message, "Invalid value: %s") {
		low, high := current, int64(math.MaxInt32) // low is allowed, high is not
		for high-low > 1 {
			if middle := (low + high) / 2; fine(middle) {
				low = middle
			} else {
				high = middle
			}
		}
		if other, is := refused(high); is && other == message {
			out = append(out, check{Path: p.pattern(), Name: "max", Limit: fmt.Sprint(low), Message: message})
		}
	}
	return out
}

// unique asks about a list whose first item comes a second time.
func (b *base) unique(p path, list []any) []check {
	if len(list) == 0 {
		return nil
	}
	again := b.created(p.set(b.object, append(list[:len(list):len(list)], list[0])))
	if len(again) != 1 || !strings.HasPrefix(again[0].Message, "Duplicate value: ") {
		return nil
	}
	item := p.with(len(list)).String()
	c := check{Path: p.pattern(), Name: "unique", Message: "Duplicate value: %s"}
	value := list[0]
	if rest, below := strings.CutPrefix(again[0].Field, item+"."); below {
		m, ok := list[0].(map[string]any)
		if !ok {
			return nil
		}
		c.Limit, value = rest, m[rest]
	} else if again[0].Field != item {
		return nil
	}
	text, ok := value.(string)
	if !ok || again[0].Message != filled(c.Message, quoted(text)) {
		return nil
	}
	return []check{c}
}

// holdsBeside asks whether a check holds whatever the fields beside it are: each of
// them left out, and each with another value that the server allows.
func (b *base) holdsBeside(p path, c check) bool {
	for _, o := range b.variations(p) {
		if len(b.created(o)) > 0 {
			continue // not a valid object
		}
		if !c.concerns(o, p) {
			continue
		}
		broken, field, message := b.broken(o, p, c)
		if !names(b.created(broken), field, message) {
			return false
		}
	}
	return true
}

// variations are objects with one of the fields around a path changed.
func (b *base) variations(p path) []map[string]any {
	var out []map[string]any
	for end := len(p) - 1; end >= 0; end-- {
		parent, ok := p[:end].get(b.object).(map[string]any)
		if !ok {
			continue
		}
		for name, value := range parent {
			if name == p[end] || end == 0 && notAsked[name] {
				continue
			}
			at := p[:end].with(name)
			out = append(out, at.without(b.object))
			switch v := value.(type) {
			case bool:
				out = append(out, at.set(b.object, !v))
			case json.Number: // a bound may be that of another field
				n, _ := number(v)
				out = append(out, at.set(b.object, n+1))
			case string:
				for _, other := range b.allowed(at) {
					out = append(out, at.set(b.object, other), p.without(at.set(b.object, other)))
				}
			}
		}
	}
	return out
}

// allowed are the values of an enum, as the server lists them.
func (b *base) allowed(p path) []string {
	if p[len(p)-1] == "operator" { // not always listed
		return []string{"In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt", "Equal"}
	}
	for _, cause := range b.created(p.set(b.object, wrong)) {
		_, list, found := strings.Cut(cause.Message, "supported values: ")
		if cause.Field != p.String() || !found {
			continue
		}
		var out []string
		if json.Unmarshal([]byte("["+list+"]"), &out) == nil {
			return out
		}
	}
	return nil
}

// alsoOnUpdate asks whether an update that breaks it is refused for that, too. That a value
// must be there may be said behind its being fixed, when leaving it out counts as a change.
func (b *base) alsoOnUpdate(p path, c check, fixed []check) bool {
	broken, field, message := b.broken(b.object, p, c)
	refused := b.updated(broken, b.object)
	for _, f := range fixed {
		said := filled(f.Message, empty(p.get(b.object)))
		if c.Name == "required" && f.Zero && len(refused) > 1 && refused[0].Field == field && refused[0].Message == said {
			refused = refused[1:]
		}
	}
	_, ok := only(refused, field)
	switch c.Name {
	case "required", "min", "max":
		cause, about := first(refused, field)
		ok = about && cause.Message == message
	case "notless":
		_, ok = first(refused, field)
	case "maxitems": // items that are alike may be named too
		ok = true
	}
	return ok && names(refused, field, message)
}

// contradicts reports whether a valid object breaks a check.
func (b *base) contradicts(c check) bool {
	for _, p := range expand(b.object, c.Path) {
		value := p.get(b.object)
		if c.Name == "required" && value == nil {
			return true
		}
		if c.Name == "unique" || c.Name == "fixed" || value == nil || !c.concerns(b.object, p) {
			continue
		}
		if !c.allows(value) {
			return true
		}
		broken, field, message := b.broken(b.object, p, c)
		if !names(b.created(broken), field, message) {
			return true
		}
	}
	return false
}
