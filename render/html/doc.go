// Package html renders a report as HTML: the outcome, the steps of the
// admission chain, the object, the diff, the answer and the list of problems.
//
// The same components run in three places: at build time (the pages that are
// readable without JavaScript), in the browser (inside the WebAssembly module,
// so that the page never assembles HTML from strings) and in the tests. They
// use only a report and the texts to which its spans point.
//
// The markup carries no inline style and no inline script, because the
// Content-Security-Policy of the site forbids both. Everything that came from
// a scenario is escaped by templ.
package html
