package pasted

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

const review = `{"kind":"AdmissionReview","apiVersion":"admission.k8s.io/v1","request":{"uid":"1","operation":"CREATE","userInfo":{"username":"jane"},"object":{"metadata":{"annotations":{"a":"say \"hi\" {"}}}}}`

func inJSON(v any) string {
	out, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// TestLogged: the unchanged review is cut out of the loggers' output.
func TestLogged(t *testing.T) {
	klog := "I1127 10:24:40.123456       1 main.go:81] handling request: " + review
	zap := inJSON(map[string]any{"level": "info", "msg": "request", "body": review})
	event := `{"kind":"Event","apiVersion":"audit.k8s.io/v1","level":"Request","requestObject":{}}`
	indented := strings.ReplaceAll(strings.ReplaceAll(review, `,"`, ",\n  \""), `{"k`, "{\n  \"k")
	request := `{"uid":"1","kind":{"kind":"Pod"},"operation":"CREATE","userInfo":{},"object":{}}`
	for name, c := range map[string]struct{ text, want string }{
		"plain":                {"2026/11/27 10:24:40 request: " + review + "\n", review},
		"klog":                 {klog + "\n", review},
		"klog, among others":   {"I1127 10:24:39.1       1 main.go:1] starting {1}\n" + klog + "\nE1127 10:24:41.1  1 main.go:90] failed: {\"a\": 1}\n", review},
		"klog, structured":     {`I1127 10:24:40.1 1 main.go:81] "Handling" body=` + strconv.Quote(review) + "\n", review},
		"logfmt":               {`time="2026-11-27T10:24:40Z" level=info msg="got it" review=` + strconv.Quote(review), review},
		"JSON, text":           {zap, review},
		"JSON, object":         {`{"level":"info","review":` + review + `}`, review},
		"JSON, deeper":         {`{"level":"info","context":{"http":{"body":` + strconv.Quote(review) + `}}}`, review},
		"JSON, request only":   {`{"level":"info","request":` + request + `}`, request},
		"containers":           {"2026-11-27T10:24:40.1Z stdout F " + klog, review},
		"a container's JSON":   {inJSON(map[string]string{"log": klog + "\n", "stream": "stderr"}), review},
		"a container's logger": {inJSON(map[string]string{"log": zap + "\n", "stream": "stderr"}), review},
		"over several lines":   {"I1127 10:24:40.1 1 main.go:81] request: " + indented + "\ndone", indented},
		"two":                  {klog + "\n" + klog, review + "\n---\n" + review},
		"audit event":          {"Nov 27 10:24:40 node-1 audit[1]: " + event, event},
	} {
		t.Run(name, func(t *testing.T) {
			clean := Clean(c.text)
			if got := strings.TrimRight(clean.Text, "\n"); got != c.want {
				t.Errorf("%s\nwant\n%s", got, c.want)
			}
			if len(clean.Repairs) != 1 || clean.Repairs[0].Name != "log" {
				t.Errorf("%v", clean.Repairs)
			}
		})
	}
}

// TestNotLogged: objects, and logs without a review, stay unchanged.
func TestNotLogged(t *testing.T) {
	for name, text := range map[string]string{
		"a review":       review,
		"two reviews":    review + "\n" + review,
		"cut off":        "I1127 10:24:40.1 1 main.go:81] request: " + review[:100],
		"an object":      "apiVersion: v1\nkind: ConfigMap\ndata:\n  log: 'got " + review + "'\n",
		"after a remark": "# AdmissionReview\napiVersion: v1\nkind: ConfigMap\ndata: {\"a\": \"b\"}\n",
		"a request":      `{"uid":"1","kind":{"kind":"Pod"},"operation":"DELETE","userInfo":{},"oldObject":{}}`,
	} {
		for _, done := range Clean(text).Repairs {
			if done.Name == "log" {
				t.Errorf("%s: %v", name, done)
			}
		}
	}
}
