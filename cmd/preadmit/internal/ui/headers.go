package ui

import (
	"path"
	"strings"
)

// The policies from netlify.toml; a test compares them. Strict-Transport-Security is omitted:
// loopback has no TLS, and browsers ignore the header there.
const (
	contentPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; font-src 'self'; img-src 'self' data:; connect-src 'self'; worker-src 'self'; frame-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; "
	noFrames      = "frame-ancestors 'none'; "
	trustedTypes  = "require-trusted-types-for 'script'; trusted-types preadmit preadmit-pages 'allow-duplicates'"
)

// githubPage is the only page that may call other hosts, if enabled: those for GitHub's gists and
// files.
const (
	githubPage  = "/from-github/"
	githubHosts = "https://gist.githubusercontent.com https://raw.githubusercontent.com"
)

// headersOf returns the response headers for a path.
func headersOf(requested string, fromGitHub bool) map[string]string {
	headers := map[string]string{
		"Content-Security-Policy":      contentPolicy + noFrames + trustedTypes,
		"X-Content-Type-Options":       "nosniff",
		"Referrer-Policy":              "no-referrer",
		"Permissions-Policy":           "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Cache-Control":                "no-cache",
	}
	switch {
	case requested == "/embed/", requested == "/embed/engine/", strings.HasPrefix(requested, "/embed/examples/"):
		headers["Content-Security-Policy"] = contentPolicy + trustedTypes
		headers["Cross-Origin-Resource-Policy"] = "cross-origin"
	case requested == githubPage && fromGitHub:
		headers["Content-Security-Policy"] = strings.Replace(contentPolicy, "connect-src 'self'", "connect-src 'self' "+githubHosts, 1) + noFrames + trustedTypes
	case requested == "/embed.js":
		headers["Cross-Origin-Resource-Policy"] = "cross-origin"
	}
	if strings.HasPrefix(requested, "/assets/") {
		headers["Cache-Control"] = "public, max-age=31536000, immutable"
		if path.Ext(requested) == ".wasm" {
			headers["Content-Type"] = contentTypes[".wasm"]
		}
	}
	return headers
}
