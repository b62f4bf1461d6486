package main

import (
	"os"
	"path/filepath"

	"github.com/preadmit/preadmit/render/html"
	"github.com/preadmit/preadmit/render/path"
	"github.com/preadmit/preadmit/web/preview"
	"github.com/preadmit/preadmit/web/site"
)

// tones are the colours of the outcomes, those of web/app/styles/tokens.css.
var tones = map[html.State]string{
	html.Admitted: "#17703f", html.Mutated: "#6a3fb0", html.NotRun: "#8a5200", html.Denied: "#b3261e", html.Refused: "#b3261e", html.Idle: "#5a646a",
}

// accent is the site's own colour.
const accent = "#0e5a73"

// writePreviews draws the pictures that chat programs and search engines show
// for a link. They are only of use where the site knows its address. What is behind the #
// of a link never reaches the site, so a link to a scenario has the picture of the site,
// whose path is that of the first example.
func writePreviews(out string, examples []site.Example) error {
	home := preview.Card{
		Verdict: "Preadmit",
		Tone:    accent,
		Title:   "What will the Kubernetes API server do with this request?",
		Message: "Admission policies, webhooks and CEL, evaluated in your browser.",
	}
	cards := map[string]preview.Card{}
	for _, e := range examples {
		state, verdict, message := html.Headline(e.Report)
		if message == "" {
			message = e.Summary()
		}
		cards[site.PreviewPath(e.Slug)] = preview.Card{Verdict: verdict, Tone: tones[state], Title: e.Scenario.Title, Message: message, Path: path.Of(e.Report)}
		if e.Slug == firstExample {
			home.Path = path.Of(e.Report)
		}
	}
	cards[site.PreviewPath("")] = home
	for name, card := range cards {
		if err := writePreview(filepath.Join(out, filepath.FromSlash(name)), card); err != nil {
			return err
		}
	}
	return nil
}

func writePreview(name string, card preview.Card) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	if err := preview.Write(f, card); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
