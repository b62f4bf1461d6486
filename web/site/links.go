package site

import "strings"

type siteLink struct{ Name, Path string }

var siteLinks = []siteLink{
	{"Playground", "/"},
	{"Examples", "/examples/"},
	{"Tour", "/tour/"},
	{"Docs", "/docs/"},
	{"About", "/about/"},
}

// section returns the first folder of a page's path: /examples/ for /examples/leases/.
func (m Meta) section() string {
	first, _, _ := strings.Cut(strings.TrimPrefix(m.Path, "/"), "/")
	return "/" + first + "/"
}
