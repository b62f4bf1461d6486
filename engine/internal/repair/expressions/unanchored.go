package expressions

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/preadmit/preadmit/engine/internal/lazy"
)

// hostPattern is a pattern that begins with a host and a slash, as images and addresses do.
var hostPattern = lazy.Regexp{Text: `^(?:https?://)?[a-z0-9-]+(?:(?:\.|\[\.\])[a-z0-9-]+)+(?::[0-9]+)?/`}

// pathPattern is a pattern that begins with a path.
var pathPattern = lazy.Regexp{Text: `^(?:/[a-z0-9-]+)+(?:/|$)`}

// anyDot is a dot of a host, which stands for any character unless it is in brackets.
var anyDot = lazy.Regexp{Text: `([a-z0-9-])\.([a-z0-9-])`}

// unanchored is a pattern that demands a host or a path and that may begin anywhere in the text: behind another
// host, or in another path. Two texts that match show it.
func (d *draft) unanchored(i int, content string) *Doubt {
	if !d.Is(i-1, "(") || d.Partner[i-1] != i+1 || !d.Is(i-2, "matches") || !d.Is(i-3, ".") || len(content) > 200 {
		return nil
	}
	from := d.chainStart(i - 4)
	begin, other := hostPattern.FindString(content), "evil.example.net/"
	if begin == "" && strings.Contains(strings.ToLower(d.slice(from, i-4)), "path") {
		begin, other = pathPattern.FindString(content), "/other"
	}
	pattern, err := regexp.Compile(content)
	if begin == "" || err != nil || d.ofAny(from) {
		return nil
	}
	literal := strings.ReplaceAll(begin, "[.]", ".") + plainStart(content[len(begin):])
	for _, rest := range []string{"", "x", "x:1", "x/y", "x/y:1"} {
		meant := literal + rest
		if !pattern.MatchString(meant) || !pattern.MatchString(other+meant) {
			continue
		}
		anchored := content[len(begin):]
		if literal[0] == '/' {
			anchored = begin + anchored
		} else {
			anchored = anyDot.ReplaceAllString(anyDot.ReplaceAllString(begin, "$1[.]$2"), "$1[.]$2") + anchored
		}
		if strings.Contains(content, "|") {
			anchored = "(?:" + anchored + ")"
		}
		return &Doubt{
			Summary:  fmt.Sprintf("matches finds %s anywhere in the text", d.List[i].Text),
			Detail:   fmt.Sprintf("%q matches, and so does %q. ^ is the beginning of the text.", meant, other+meant),
			Repaired: d.with(edit{d.start(i), d.end(i), d.quoted(i, "^"+anchored)}),
		}
	}
	return nil
}

// plainStart is what a pattern begins with that stands for itself; a dot stands for a dot as well.
func plainStart(pattern string) string {
	end := strings.IndexAny(pattern, `*+?{}()[]|^$`)
	switch {
	case end < 0:
		return pattern
	case end > 0 && strings.IndexByte("*+?{", pattern[end]) >= 0:
		return pattern[:end-1]
	}
	return pattern[:end]
}
