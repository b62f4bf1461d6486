package site

import "strings"

type embedAttribute struct{ Name, Means string }

// embedAttributes are those of <preadmit-example> (web/app/embed.ts).
var embedAttributes = []embedAttribute{
	{"example", "The name of an example of this site."},
	{"scenario", "Instead of example: the part of a link from the # on."},
	{"file", "The text to show first: policies, request, cluster or expression."},
	{"lines", "Lines to point at, such as 12 or 12-14."},
	{"view", "The part of the result to show: steps, object, diff or answer."},
	{"theme", "light or dark; otherwise as the reader's system has it."},
	{"height", "A fixed height in pixels; otherwise as high as the content."},
	{"readonly", "The texts cannot be changed."},
}

// firstDocument is the first document of a text.
func firstDocument(text string) string {
	first, _, _ := strings.Cut(text, "\n---\n")
	return first + "\n"
}

func embedSnippet(m Meta, e Example) string {
	site := m.Site
	if site == "" {
		site = "https://preadmit.example"
	}
	return `<script async src="` + site + `/embed.js"></script>

<preadmit-example example="` + e.Slug + `" file="policies">
  <pre><code>...the text, for everyone without JavaScript...</code></pre>
</preadmit-example>
`
}
