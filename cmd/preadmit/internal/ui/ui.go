// Package ui serves the built site on this machine, with the headers
// in netlify.toml, and opens it with a scenario filled in.
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

// OpenPath begins the path that leads to the scenario; the token of the options follows. The scenario
// is in the fragment of where it leads, so it is in no command line and no log.
const OpenPath = "/open/"

// Options are what a site is served with.
type Options struct {
	// Fragment is the link of a scenario, as scenario.EncodeLink gives it, or empty.
	Fragment string
	// Token is what the path of the scenario ends with: other users of this machine reach the
	// port, too, and do not know it. Without one there is no scenario.
	Token string
	// FromGitHub allows one page to ask the hosts of GitHub's gists and files.
	FromGitHub bool
}

// Handler serves the site. Only requests to a loopback name or address are answered, so
// that a page of a stranger cannot reach it by a name of its own.
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

// serve sends the file of a path, as the hosts of the site find it: an index in a
// folder, and pages without their ending.
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
				_, _ = w.Write(content) // the browser has gone: there is nobody to tell
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

// find reads the file for a path of the site.
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

// contentTypes are those of the site's files. The tables of the system are not asked:
// they differ from machine to machine.
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
