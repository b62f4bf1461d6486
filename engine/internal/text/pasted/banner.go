package pasted

import (
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// banner matches what helm and kubectl print before their output: warnings, the pulled chart, log
// lines, and a release's status.
var banner = lazy.Regexp{Text: `^(?:WARNING: |Warning: |Pulled: \S+:|Digest: sha256:|\S+\.go:\d+: |[IWE]\d{4} \d\d:\d\d:\d\d|time="|level=|Flag --\S+ has been deprecated|Release "[^"]*" (?:has been|does not exist))`}

// Banner reports whether a command printed a line before its output. A JSON line never is: a
// captured request is one long line, which the expression would scan.
func Banner(line string) bool {
	return line != "" && line[0] != '{' && line[0] != '[' && banner.MatchString(line)
}

// banners removes the lines that a command prints before its output.
func banners(lines []line) ([]line, int, int) {
	var c counter
	for i, l := range lines {
		switch {
		case Banner(l.text):
			c.at(l.number, 1)
			continue
		case strings.TrimSpace(l.text) == "":
			continue
		case c.count == 0 || i == 0:
			return lines, 0, 0
		}
		return slices.Clone(lines[i:]), c.count, c.first
	}
	return lines, 0, 0 // nothing follows
}
