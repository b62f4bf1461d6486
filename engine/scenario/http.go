package scenario

import (
	"slices"
	"strconv"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
)

// httpAnswer is an HTTP answer unchanged, or as curl -i prints it.
type httpAnswer struct {
	status  int
	headers map[string]string // by their names in lower case
	body    string
	at      int // where the last of the status lines begins
}

// statusLine is the status code of a line such as HTTP/1.1 200 OK.
func statusLine(line string) (code int, ok bool) {
	version, rest, _ := strings.Cut(strings.TrimRight(line, "\r"), " ")
	if !slices.Contains([]string{"HTTP/1.0", "HTTP/1.1", "HTTP/2", "HTTP/2.0", "HTTP/3"}, version) {
		return 0, false
	}
	number, _, _ := strings.Cut(strings.TrimLeft(rest, " "), " ")
	code, err := strconv.Atoi(number)
	return code, err == nil && code >= 100 && code <= 599
}

// readHTTPAnswer reads an answer that begins with its status line. Of several, as after
// 100 Continue or from a proxy, it is the last. It reports false for any other text.
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

// whole is the body without the line feed that a terminal put behind it, where the
// answer says how long it is.
func (a httpAnswer) whole(rest string) string {
	n, err := strconv.Atoi(a.headers["content-length"])
	if err != nil || n < 0 || n > len(rest) || strings.TrimSpace(rest[n:]) != "" {
		return rest
	}
	return rest[:n]
}

// reviewed is the AdmissionReview with a response that a successful answer holds, nil
// for other answers: what the server makes of those depends on each of their bytes.
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

// spec is a WebhookResponse's: the answer as it came, with the headers that the server
// reads. An answer without Content-Type has an empty one, which means something else
// than none in a WebhookResponse.
func (a httpAnswer) spec() map[string]any {
	headers := map[string]any{"Content-Type": a.headers["content-type"]}
	if after, given := a.headers["retry-after"]; given {
		headers["Retry-After"] = after
	}
	return map[string]any{"httpStatus": a.status, "headers": headers, "body": a.body}
}

// http makes an item of an answer, which is the whole of its file.
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
