package scenario

import (
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
)

// httpAnswer is an HTTP response, raw or from curl -i.
type httpAnswer struct {
	status  int
	headers map[string]string // by lower-case name
	body    string
	at      int // where the last status line begins
}

// statusLine matches a line such as HTTP/1.1 200 OK and captures the status code.
func statusLine(line string) (code int, ok bool) {
	version, rest, _ := strings.Cut(strings.TrimRight(line, "\r"), " ")
	if !slices.Contains([]string{"HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/2.0", "HTTP/3"}, version) {
		return 0, false
	}
	number, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	code, err := strconv.Atoi(number)
	return code, err == nil && code >= 100 && code <= 599
}

// readHTTPAnswer reads a response that begins with its status line. If there are several, as after
// 100 Continue or from a proxy, it reads the last one. It reports false for any other text.
func readHTTPAnswer(text string) (a httpAnswer, ok bool) {
	rest := strings.TrimLeft(strings.TrimPrefix(text, byteOrderMark), " \t\r\n")
	for {
		first, after, _ := strings.Cut(rest, "\n")
		code, isStatus := statusLine(first)
		if !isStatus {
			a.body = a.whole(rest)
			return a, ok
		}
		a = httpAnswer{status: code, headers: map[string]string{}, at: len(text) - len(rest)}
		ok, rest = true, after
		for rest != "" {
			var line string
			line, rest, _ = strings.Cut(rest, "\n")
			if line = strings.TrimRight(line, "\r"); line == "" {
				break
			}
			name, value, _ := strings.Cut(line, ":")
			a.headers[strings.ToLower(strings.TrimSpace(name))] = strings.TrimSpace(value)
		}
	}
}

// whole returns the body without the line feed that a terminal added, if Content-Length says how
// long it is.
func (a httpAnswer) whole(rest string) string {
	n, err := strconv.Atoi(a.headers["content-length"])
	if err != nil || n < 0 || n > len(rest) || strings.TrimSpace(rest[n:]) != "" {
		return rest
	}
	return rest[:n]
}

// reviewed returns the AdmissionReview in a successful response. For other responses it is nil,
// because the server's reaction to them depends on every byte.
func (a httpAnswer) reviewed() map[string]any {
	if a.status != 200 {
		return nil
	}
	docs, _ := ParseDocuments(diag.Request, a.body)
	if len(docs) != 1 || docs[0].Kind != "AdmissionReview" || !docs[0].IsJSON() {
		return nil
	}
	if response, _ := docs[0].Value["response"].(map[string]any); response != nil {
		return docs[0].Value
	}
	return nil
}

// spec returns a WebhookResponse's spec: the unchanged response with the headers that the server
// reads. A response without Content-Type gets an empty one, which differs from none in a
// WebhookResponse.
func (a httpAnswer) spec() map[string]any {
	headers := map[string]any{"Content-Type": a.headers["content-type"]}
	if after, given := a.headers["retry-after"]; given {
		headers["Retry-After"] = after
	}
	return map[string]any{"httpStatus": a.status, "headers": headers, "body": a.body}
}

// http turns a response, which is its whole file, into an item.
func (c *classifier) http(s sourceFile, a httpAnswer) {
	r := &read{sourceFile: s, src: s.Text, chunks: []chunk{{0, len(s.Text)}}}
	for i := range strings.Count(s.Text, "\n") + 1 {
		r.lines = append(r.lines, i+1)
	}
	it := &item{read: r, at: diag.Span{Start: a.at, End: len(strings.TrimRight(s.Text, " \t\r\n"))}, http: &a}
	it.File = r.place()
	it.Line, _ = r.lineColumn(it.at.Start)
	c.reads, c.items = append(c.reads, r), append(c.items, it)
}
