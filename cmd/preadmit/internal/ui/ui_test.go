package ui

import (
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"
)

var site = fstest.MapFS{
	"index.html":          {Data: []byte("first page")},
	"404.html":            {Data: []byte("no such page")},
	"embed.js":            {Data: []byte("embed")},
	"docs/index.html":     {Data: []byte("documents")},
	"docs/cli.html":       {Data: []byte("command line")},
	"embed/index.html":    {Data: []byte("embedded")},
	"assets/engine.wasm":  {Data: []byte("\x00asm")},
	"assets/app-1.js":     {Data: []byte("app")},
	"embed/engine/x.html": {Data: []byte("x")},
}

func get(t *testing.T, method, host, path string) *http.Response {
	t.Helper()
	r := httptest.NewRequest(method, path, nil)
	r.Host = host
	w := httptest.NewRecorder()
	Handler(site, Options{Fragment: "#1/abc", Token: "T0K3N"}).ServeHTTP(w, r)
	return w.Result()
}

func TestHandler(t *testing.T) {
	for _, c := range []struct {
		method, host, path string
		status             int
		header, value      string
	}{
		{"GET", "127.0.0.1:8080", "/", 200, "Content-Type", "text/html; charset=utf-8"},
		{"HEAD", "localhost:1", "/", 200, "Content-Length", "10"},
		{"GET", "[::1]:8080", "/docs/cli", 200, "Content-Length", "12"},
		{"GET", "127.0.0.1", "/docs", 301, "Location", "/docs/"},
		{"GET", "127.0.0.1", "/docs/", 200, "Content-Length", "9"},
		{"GET", "127.0.0.1", "/playground", 301, "Location", "/"},
		{"GET", "127.0.0.1", "/open/T0K3N", 302, "Location", "/#1/abc"},
		{"GET", "127.0.0.1", "/open/T0K3NX", 404, "Location", ""},
		{"GET", "127.0.0.1", "/open/", 404, "Location", ""},
		{"GET", "127.0.0.1", "/open", 404, "Location", ""},
		{"GET", "LOCALHOST:80", "/docs/", 200, "Content-Length", "9"},
		{"GET", "localhost.:80", "/docs/", 200, "Content-Length", "9"},
		{"GET", "localhost..", "/", 403, "Content-Type", "text/plain; charset=utf-8"},
		{"GET", "127.0.0.1", "/nothing", 404, "Content-Type", "text/html; charset=utf-8"},
		{"GET", "127.0.0.1", "/../ui.go", 404, "Content-Type", "text/html; charset=utf-8"},
		{"GET", "127.0.0.1", "/assets/engine.wasm", 200, "Content-Type", "application/wasm"},
		{"GET", "127.0.0.1", "/assets/app-1.js", 200, "Cache-Control", "public, max-age=31536000, immutable"},
		{"POST", "127.0.0.1", "/", 405, "Allow", "GET, HEAD"},
		{"GET", "stranger.example", "/", 403, "Content-Type", "text/plain; charset=utf-8"},
		{"GET", "127.0.0.1.stranger.example", "/", 403, "Content-Type", "text/plain; charset=utf-8"},
	} {
		got := get(t, c.method, c.host, c.path)
		if got.StatusCode != c.status || got.Header.Get(c.header) != c.value {
			t.Errorf("%s %s at %s: %d, %s %q; want %d, %q", c.method, c.path, c.host, got.StatusCode, c.header, got.Header.Get(c.header), c.status, c.value)
		}
	}
}

// TestHeaders compares the headers with netlify.toml's, for one path per rule.
func TestHeaders(t *testing.T) {
	raw, err := os.ReadFile("../../../../netlify.toml")
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(raw), "[[headers]]")[1:]
	if len(blocks) < 5 {
		t.Fatalf("found only %d rules", len(blocks))
	}
	line := regexp.MustCompile(`(?m)^([A-Za-z-]+) = "(.*)"$`)
	for _, path := range []string{"/", "/docs/cli", "/embed/", "/embed/engine/", "/embed/examples/first-look/", "/embed.js", "/from-github/", "/embedding", "/assets/a.js", "/assets/a.wasm"} {
		want := map[string]string{"Cache-Control": "no-cache"} // Netlify's default is the same
		for _, block := range blocks {
			block, _, _ = strings.Cut(block, "[[redirects]]")
			rule := ""
			for _, m := range line.FindAllStringSubmatch(block, -1) {
				if m[1] == "for" {
					rule = m[2]
				} else if applies(rule, path) {
					want[m[1]] = m[2]
				}
			}
		}
		if want["Strict-Transport-Security"] == "" {
			t.Errorf("%s: the rules were not read", path)
		}
		delete(want, "Strict-Transport-Security")
		got := headersOf(path, false)
		for name, value := range want {
			if got[name] != value {
				t.Errorf("%s: %s is %q, and in netlify.toml %q", path, name, got[name], value)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s has %d headers, netlify.toml %d", path, len(got), len(want))
		}
	}
}

// TestFromGitHub: the exception is only for one page and only on request. It is the one in a
// comment in netlify.toml.
func TestFromGitHub(t *testing.T) {
	const header = "Content-Security-Policy"
	raw, err := os.ReadFile("../../../../netlify.toml")
	if err != nil {
		t.Fatal(err)
	}
	m := regexp.MustCompile(`(?m)^# Content-Security-Policy = "(.*)"$`).FindStringSubmatch(string(raw))
	if m == nil {
		t.Fatal("netlify.toml has no policy as a comment")
	}
	if got := headersOf("/from-github/", true)[header]; got != m[1] {
		t.Errorf("the policy is %q, and in netlify.toml %q", got, m[1])
	}
	for path, on := range map[string]bool{"/": true, "/docs/": true, "/from-github/x": true, "/from-github/": false} {
		if got := headersOf(path, on)[header]; strings.Contains(got, "github") {
			t.Errorf("%s: %s", path, got)
		}
	}
}

// applies reports whether a rule in netlify.toml covers a path; * matches anything.
func applies(rule, path string) bool {
	return regexp.MustCompile("^" + strings.ReplaceAll(regexp.QuoteMeta(rule), `\*`, ".*") + "$").MatchString(path)
}
