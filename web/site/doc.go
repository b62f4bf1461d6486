// Package site holds the pages of the web site as templ components: the
// playground, the gallery of examples, the documentation, the error page and
// the frame for embedding.
//
// Pages are rendered once, at build time, by web/cmd/site. Every page is
// readable without JavaScript. No page holds an inline script or style.
package site
