// Package ui serves the built site on this machine, with the headers in netlify.toml, and opens it
// with a scenario filled in.
package ui

import (
	"bytes"
	"crypto/subtle"
	"errors"
	"fmt"
	"io/fs"
	"mime"
	"net"
	"net/http"
	"path"
	"strings"
	"time"
)

// OpenPath is the prefix of the path that redirects to the scenario; the options' token follows.
// The redirect has the scenario in its fragment, which appears in no command line and no log.
const OpenPath = "/open/"

// Options configure the served site.
type Options struct {
	// Fragment is a scenario's link from scenario.EncodeLink, or empty.
	Fragment string
	// Token ends the scenario's path. This machine's other users can reach the port but do not know
	// the token. Without a token no scenario is served.
	Token string
	// FromGitHub lets one page call the hosts for GitHub's gists and files.
	FromGitHub bool
}

// Handler serves the site. It only accepts requests to a loopback name or address, so that a
// stranger's page cannot reach it through a DNS name of its own.
func Handler(site fs.FS, o Options) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !loopback(r.Host) {
			http.Error(w, "the site answers this machine only", http.StatusForbidden)
			return
		}
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET and HEAD", http.StatusMethodNotAllowed)
			return
		}
		for name, value := range headersOf(r.URL.Path, o.FromGitHub) {
			w.Header().Set(name, value)
		}
		token, opens := strings.CutPrefix(r.URL.Path, OpenPath)
		switch {
		case opens && o.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(o.Token)) == 1:
			w.Header().Set("Location", "/"+o.Fragment)
			w.Header().Set("Cache-Control", "no-store")
			w.WriteHeader(http.StatusFound)
		case r.URL.Path == "/playground":
			http.Redirect(w, r, "/", http.StatusMovedPermanently)
		default:
			serve(w, r, site)
		}
	})
}

// loopback reports whether a Host header names this machine.
func loopback(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return strings.EqualFold(strings.TrimSuffix(host, "."), "localhost") || ip != nil && ip.IsLoopback()
}

// serve sends a path's file as the site's hosts do: a folder's index, and pages without their
// extension.
func serve(w http.ResponseWriter, r *http.Request, site fs.FS) {
	name, content, err := find(site, r.URL.Path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, _, err := find(site, r.URL.Path+"/"); err == nil {
			http.Redirect(w, r, path.Clean("/"+r.URL.Path)+"/", http.StatusMovedPermanently)
			return
		}
		if name, content, err = find(site, "/404.html"); err == nil {
			w.Header().Set("Content-Type", contentType(name))
			w.WriteHeader(http.StatusNotFound)
			if r.Method == http.MethodGet {
				_, _ = w.Write(content) // the browser has disconnected; nobody to tell
			}
			return
		}
	}
	if err != nil {
		http.Error(w, fmt.Sprintf("the site in this program cannot be read: %v", err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", contentType(name))
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

// find reads the file for a site path.
func find(site fs.FS, request string) (string, []byte, error) {
	name := strings.TrimPrefix(path.Clean("/"+request), "/")
	candidates := []string{name, name + ".html"}
	if strings.HasSuffix(request, "/") {
		candidates = []string{path.Join(name, "index.html")}
	}
	for _, candidate := range candidates {
		info, err := fs.Stat(site, candidate)
		if err != nil || info.IsDir() {
			continue
		}
		content, err := fs.ReadFile(site, candidate)
		return candidate, content, err
	}
	return "", nil, fs.ErrNotExist
}

// contentTypes are the site's file types. It does not use the system's tables, which differ between
// machines.
var contentTypes = map[string]string{
	".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".json": "application/json", ".map": "application/json", ".svg": "image/svg+xml", ".png": "image/png",
	".wasm": "application/wasm", ".woff2": "font/woff2", ".xml": "application/xml", ".txt": "text/plain; charset=utf-8",
	".webmanifest": "application/manifest+json",
}

func contentType(name string) string {
	if t, ok := contentTypes[path.Ext(name)]; ok {
		return t
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}
