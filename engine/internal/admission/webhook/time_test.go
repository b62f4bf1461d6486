package webhook

import (
	"testing"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
)

// TestWait: the time that a request has left after the answer of a webhook.
func TestWait(t *testing.T) {
	for _, test := range []struct {
		name     string
		mutating bool
		elapsed  float64
		given    Response
		timeout  bool
		want     float64 // of the request
	}{
		{"an answer at once", true, 3, Response{}, false, 3},
		{"a slow one", true, 3, Response{DelaySeconds: 2}, false, 5},
		{"at the last moment", true, 3, Response{DelaySeconds: 5}, false, 8},
		{"too late", true, 3, Response{DelaySeconds: 5.5}, true, 8},
		{"too late in any case", true, 3, Response{Timeout: true}, true, 8},
		{"the time of the request ends first", true, 31, Response{DelaySeconds: 4}, true, requestSeconds},
		{"or ends with it", true, 31, Response{DelaySeconds: 3}, false, requestSeconds},
		{"a time below zero", true, 3, Response{DelaySeconds: -1}, false, 3},
		{"validating ones are called at the same time", false, 3, Response{DelaySeconds: 7}, false, 3},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := &run.Chain{Elapsed: test.elapsed}
			s := &selected{Hook: &Hook{target: hook(test.mutating)}}
			s.wait(c, &test.given)
			if c.Elapsed != test.want || test.given.Timeout != test.timeout {
				t.Errorf("%g s, timeout %t", c.Elapsed, test.given.Timeout)
			}
		})
	}
}

// TestRetried: when the server's client calls again by itself, and after how long.
func TestRetried(t *testing.T) {
	after := func(value string) map[string]string { return map[string]string{"retry-after": value} }
	for _, test := range []struct {
		name  string
		given Response
		want  bool
		wait  float64
	}{
		{"no header", Response{HTTPStatus: 429}, false, 0},
		{"too many requests", Response{HTTPStatus: 429, Headers: after("2")}, true, 2},
		{"at once", Response{HTTPStatus: 429, Headers: after("0")}, true, 0},
		{"an error of the server", Response{HTTPStatus: 500, Headers: after("1")}, true, 1},
		{"another of the server", Response{HTTPStatus: 503, Headers: after("1")}, true, 1},
		{"one of the client", Response{HTTPStatus: 499, Headers: after("1")}, false, 1},
		{"no error", Response{Headers: after("1")}, false, 1},
		{"a date", Response{HTTPStatus: 429, Headers: after("Mon, 01 Jan 2026 00:00:00 GMT")}, false, 0},
		{"before now", Response{HTTPStatus: 429, Headers: after("-2")}, true, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := test.given.retried(); got != test.want {
				t.Errorf("called again: %t", got)
			}
			if got := test.given.retryAfter(); got != test.wait {
				t.Errorf("after %g s", got)
			}
		})
	}
}

func TestContentType(t *testing.T) {
	for _, test := range []struct {
		given Response
		want  string
	}{
		{Response{}, "application/json"},
		{Response{Text: ptr("x")}, "text/plain; charset=utf-8"},
		{Response{Text: ptr("x"), Headers: map[string]string{"CONTENT-TYPE": "a/b"}}, "a/b"},
		{Response{HTTPStatus: 304, Headers: map[string]string{"Content-Type": "a/b"}}, ""},
	} {
		if got := test.given.contentType(); got != test.want {
			t.Errorf("%+v: %q, want %q", test.given, got, test.want)
		}
	}
}
