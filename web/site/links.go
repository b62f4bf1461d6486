package site

type siteLink struct{ Name, Path string }

var siteLinks = []siteLink{
	{"Playground", "/"},
	{"Examples", "/examples/"},
	{"Docs", "/docs/"},
	{"About", "/about/"},
}
