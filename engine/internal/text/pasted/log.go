package pasted

import (
	"encoding/json"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
)

const (
	// maxOpen limits the failed searches for the end of a JSON object.
	maxOpen = 4
	// maxWithin limits how deep in a JSON log line a review is looked for.
	maxWithin = 5
)

// reviewed is one review in a log, with its lines there.
type reviewed struct {
	text string
	at   int // byte offset in the log
	flat bool
}

// logged cuts a log to its AdmissionReviews, requests and audit events. A webhook logs them after a
// text (klog) or in a JSON line, as an object or a quoted string, perhaps wrapped in the
// container's log line.
func logged(lines []line) ([]line, int, int) {
	text := textOf(lines)
	if !mayHold(text) || !isLog(text) {
		return lines, 0, 0
	}
	var parts [][]line
	for _, r := range reviews(text) {
		first := strings.Count(text[:r.at], "\n")
		var part []line
		for i, s := range strings.Split(r.text, "\n") {
			if r.flat {
				i = 0
			}
			part = append(part, line{s, lines[first+i].number})
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return lines, 0, 0
	}
	return joined(parts), len(parts), parts[0][0].number
}

// Logged reports whether a text is a log that contains a review.
func Logged(text string) bool {
	return mayHold(text) && isLog(text) && len(reviews(text)) > 0
}

func textOf(lines []line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.text)
		b.WriteByte('\n')
	}
	return b.String()
}

// mayHold reports whether a text has the words that every review or audit event has.
func mayHold(text string) bool {
	return strings.Contains(text, "AdmissionReview") || strings.Contains(text, "audit.k8s.io/") ||
		strings.Contains(text, "userInfo") && strings.Contains(text, "operation")
}

// isLog reports whether a text is not an object itself.
func isLog(text string) bool {
	text = strings.TrimLeft(text, " \t\n")
	if !strings.HasPrefix(text, "{") {
		return !beginsObject(text) && !strings.HasPrefix(text, "HTTP/") && !strings.Contains(text, "\napiVersion:")
	}
	var fields map[string]json.RawMessage
	if json.NewDecoder(strings.NewReader(text)).Decode(&fields) != nil {
		return false
	}
	var kind string
	return json.Unmarshal(fields["kind"], &kind) != nil && !isReview(fields)
}

// reviews returns a log's reviews, in order.
func reviews(text string) []reviewed {
	var out []reviewed
	open := 0
	for at := 0; at < len(text); {
		end := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			end = at + i
		}
		begin := strings.IndexByte(text[at:end], '{')
		if begin < 0 || !strings.Contains(text[at:], `"`) {
			at = end + 1
			continue
		}
		begin += at
		raw, err := object(text[begin:])
		switch {
		case err == nil:
			for _, found := range within(raw, maxWithin) {
				out = append(out, reviewed{found, begin, found != string(raw)})
			}
			at = begin + len(raw)
			continue
		case errors.Is(err, io.ErrUnexpectedEOF):
			if open++; open > maxOpen {
				return out
			}
		}
		if found := inQuotes(text[at:end]); len(found) > 0 {
			for _, f := range found {
				out = append(out, reviewed{f, at, true})
			}
			at = end + 1
			continue
		}
		at = begin + 1
	}
	return out
}

// object decodes the JSON object at the start of a text.
func object(text string) (json.RawMessage, error) {
	var raw json.RawMessage
	err := json.NewDecoder(strings.NewReader(text)).Decode(&raw)
	return raw, err
}

// inQuotes finds the reviews in a line's quoted strings.
func inQuotes(line string) []string {
	var out []string
	for _, s := range Unquoted(line) {
		if !mayHold(s) {
			continue
		}
		for _, r := range reviews(s) {
			if !slices.Contains(out, r.text) {
				out = append(out, r.text)
			}
		}
	}
	return out
}

// within finds the reviews in a JSON object: the object itself, or its fields.
func within(raw json.RawMessage, depth int) []string {
	var fields map[string]json.RawMessage
	if depth == 0 || json.Unmarshal(raw, &fields) != nil {
		return nil
	}
	if isReview(fields) {
		return []string{string(raw)}
	}
	var out []string
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		switch value := fields[name]; {
		case len(value) == 0 || !mayHold(string(value)):
		case value[0] == '{':
			out = append(out, within(value, depth-1)...)
		case value[0] == '"':
			var text string
			if json.Unmarshal(value, &text) == nil {
				for _, r := range reviews(text) {
					out = append(out, r.text)
				}
			}
		}
	}
	return out
}

// isReview reports whether an object is an AdmissionReview, an AdmissionRequest, or an audit event.
func isReview(fields map[string]json.RawMessage) bool {
	var apiVersion, kind string
	_ = json.Unmarshal(fields["apiVersion"], &apiVersion) // empty if not a string
	_ = json.Unmarshal(fields["kind"], &kind)
	switch {
	case kind == "AdmissionReview":
		return fields["request"] != nil || fields["response"] != nil
	case kind == "Event":
		return strings.HasPrefix(apiVersion, "audit.k8s.io/")
	}
	return kind == "" && fields["operation"] != nil && fields["userInfo"] != nil && (fields["object"] != nil || fields["oldObject"] != nil)
}
