package main

import (
	"encoding/xml"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/a-h/templ"
)

// writeSitemap lists the pages for search engines (sitemaps.org). It needs the
// address of the site; without one there is no sitemap.
func writeSitemap(out, address string, pages map[string]templ.Component) error {
	robots := "User-agent: *\nDisallow: /embed/\n"
	if address != "" {
		robots += "Sitemap: " + address + "/sitemap.xml\n"
		if err := os.WriteFile(filepath.Join(out, "sitemap.xml"), sitemap(address, slices.Sorted(maps.Keys(pages))), 0o644); err != nil {
			return err
		}
	}
	return os.WriteFile(filepath.Join(out, "robots.txt"), []byte(robots), 0o644)
}

func sitemap(address string, files []string) []byte {
	var b strings.Builder
	b.WriteString(xml.Header + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, file := range files {
		page, isFolder := strings.CutSuffix(file, "index.html")
		if !isFolder || strings.HasPrefix(file, "embed/") || strings.HasPrefix(file, "offline/") {
			continue
		}
		b.WriteString("<url><loc>")
		// A strings.Builder never fails to write.
		_ = xml.EscapeText(&b, []byte(address+"/"+page))
		b.WriteString("</loc></url>\n")
	}
	b.WriteString("</urlset>\n")
	return []byte(b.String())
}
