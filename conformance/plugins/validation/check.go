package main

import (
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// check is one thing that the server asks about a field of a kind.
type check struct {
	// Path is the field's pattern, such as "spec.containers[].name".
	Path string
	// Name is required, enum, min, max, notless, unique, maxitems, maxlength, format or
	// fixed.
	Name string
	// Update says that updates are checked too (always, for fixed).
	Update bool
	// Zero says that an absent number counts as 0 (min, notless), 0 as absent (required),
	// and leaving a value out as a change (fixed).
	Zero bool
	// Limit is the smallest or largest number that is allowed (min, max), the field
	// beside it whose number must not be larger (notless), the field that tells items
	// apart (unique), how many items or bytes there may be (maxitems, maxlength), or the
	// name of the format.
	Limit string
	// Message is the server's text; %s stands for the value.
	Message string
}

// String is the check as a line, without its kind.
func (c check) String() string {
	name := c.Name
	if c.Update {
		name += "+update"
	}
	if c.Zero {
		name += "+zero"
	}
	return strings.Join([]string{c.Path, name, c.Limit, c.Message}, "\t")
}

// allows reports whether a value of a valid object is what the check wants.
func (c check) allows(value any) bool {
	text, isText := value.(string)
	n, isNumber := number(value)
	switch c.Name {
	case "enum":
		return !isText || text == "" || strings.Contains(c.Message, quoted(text))
	case "format":
		for _, f := range formats {
			if f.name == c.Limit && isText && text != "" {
				return len(f.check(text)) == 0
			}
		}
	case "min":
		return !isNumber || n >= parsed(c.Limit)
	case "max":
		return !isNumber || n <= parsed(c.Limit)
	}
	return true
}

// concerns reports whether an object has what is asked about at a path.
func (c check) concerns(o map[string]any, p path) bool {
	parent := p[:len(p)-1]
	switch c.Name {
	case "unique", "maxitems":
		list, _ := p.get(o).([]any)
		return len(list) > 0
	case "notless":
		_, ok := number(parent.with(c.Limit).get(o))
		return ok
	}
	return parent.get(o) != nil
}

// only is the cause, when there is exactly one and it is about the field.
func only(list []metav1.StatusCause, field string) (metav1.StatusCause, bool) {
	if len(list) != 1 || list[0].Field != field {
		return metav1.StatusCause{}, false
	}
	return list[0], true
}

// first is the first cause, when there is no cause about another field.
func first(list []metav1.StatusCause, field string) (metav1.StatusCause, bool) {
	for _, c := range list {
		if c.Field != field {
			return metav1.StatusCause{}, false
		}
	}
	if len(list) == 0 {
		return metav1.StatusCause{}, false
	}
	return list[0], true
}

// names reports whether a cause is among others.
func names(list []metav1.StatusCause, field, message string) bool {
	for _, c := range list {
		if c.Field == field && c.Message == message {
			return true
		}
	}
	return false
}

// withValue is a message in which a value is left out; false when it is not there.
func withValue(message, value string) (string, bool) {
	for _, kind := range []string{"Invalid value: ", "Unsupported value: ", "Duplicate value: "} {
		if rest, ok := strings.CutPrefix(message, kind+value); ok {
			return kind + "%s" + rest, true
		}
	}
	return message, strings.HasPrefix(message, "Required value") || strings.HasPrefix(message, "Forbidden")
}

func filled(message, value string) string { return strings.Replace(message, "%s", value, 1) }

func quoted(s string) string { return fmt.Sprintf("%q", s) }
