package html

import (
	"context"
	"strings"

	"github.com/preadmit/preadmit/engine/report"
	"github.com/preadmit/preadmit/render/path"
)

// The picture's size, in pixels, as chat programs show it with links.
const (
	pictureWidth  = 1200
	pictureHeight = 630
	// pictureWay is the length of the path.
	pictureWay = 959
	// pictureLink limits the link's length in the picture, in characters. The metadata has the
	// whole link.
	pictureLink = 92
)

// Pictured is a result as a picture for sending or printing.
type Pictured struct {
	// SVG is a whole file without references to fonts or other files.
	SVG string
	// Alt describes the picture.
	Alt string
}

// Picture draws the verdict, the request's path and the deciding expression under a title. The
// picture shows a shortened link; its metadata has the whole.
func (v View) Picture(ctx context.Context, title, link string) (Pictured, error) {
	state, verdict, message := Headline(v.Report)
	p := picture{
		Tone: pictureTones[state], Verdict: verdict, Status: statusWords(v.Report.Outcome),
		Title: ellipsis(title, 58), Message: lines(message, 74, 2),
		Gates: path.Of(v.Report),
		Link:  link, Shown: ellipsis(link, pictureLink),
	}
	if e := deciding(v.Report); e != nil {
		p.Expression = lines(strings.Join(strings.Fields(e.Expression), " "), 66, 2)
		p.Value, p.Operands = pictureValue(*e)
	}
	p.Alt = p.words(message)
	svg, err := text(ctx, p.draw())
	return Pictured{SVG: svg, Alt: p.Alt}, err
}

// picture is the picture's content, in lines that fit.
type picture struct {
	Tone, Verdict, Status, Title string
	Message, Expression          []string
	Gates                        []path.Gate
	// Value is the expression's value. Operands are the values that decided it.
	Value, Operands string
	// Shown is the shortened link.
	Link, Shown, Alt string
}

// pictureTones are the outcomes' colours on white, as in preview pictures (web/cmd/site).
var pictureTones = map[State]string{
	Admitted: "#17703f", Mutated: "#6a3fb0", NotRun: "#8a5200", Denied: "#b3261e", Refused: "#b3261e", Idle: "#5a646a",
}

// words describes the picture.
func (p picture) words(message string) string {
	parts := []string{p.Title + ": " + strings.TrimSpace(p.Verdict+" "+p.Status)}
	if message != "" {
		parts = append(parts, message)
	}
	if len(p.Gates) > 0 {
		parts = append(parts, "The request's path: "+path.Words(p.Gates))
	}
	if len(p.Expression) > 0 {
		text := "The expression: " + strings.Join(p.Expression, " ")
		if p.Value != "" {
			text += " is " + p.Value
		}
		if p.Operands != "" {
			text += ", as " + p.Operands
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, ". ") + "."
}

// pictureValue returns an expression's value and its deciding operands, as far as they fit side by
// side. An expression that never ran has no value.
func pictureValue(e report.Evaluation) (result, because string) {
	switch {
	case e.Error != "":
		return ellipsis("error: "+strings.Join(strings.Fields(e.Error), " "), 66), ""
	case !e.Evaluated:
		return "", ""
	}
	result = ellipsis(strings.Join(strings.Fields(value(e.Result)), " "), 66)
	var parts []string
	for _, o := range operands(e) {
		verb := " is "
		if o.Missing {
			verb = " has no "
		}
		parts = append(parts, strings.Join(strings.Fields(o.Text+verb+o.Value), " "))
	}
	if room := 62 - len([]rune(result)); room > 20 {
		because = ellipsis(strings.Join(parts, ", "), room)
	}
	return result, because
}

// gateTone returns a gate's colour. Its shape has the same meaning.
func (p picture) gateTone(s path.State) string {
	switch s {
	case path.Stopped:
		return pictureTones[Denied]
	case path.Changed:
		return pictureTones[Mutated]
	case path.Warned:
		return pictureTones[NotRun]
	case path.Passed:
		return pictureTones[Admitted]
	}
	return "#8b938f"
}

// nameTone returns the colour of a gate's name, as on the page: red for the gate that stopped the
// request, muted for an undecided answer.
func (p picture) nameTone(s path.State) string {
	switch s {
	case path.Hollow:
		return "#5a646a"
	case path.Stopped:
		return p.gateTone(s)
	}
	return "#1a2024"
}

// lines wraps a text into at most a number of lines and characters, with an ellipsis for the rest.
func lines(text string, width, most int) []string {
	var out []string
	line := ""
	for _, word := range strings.Fields(text) {
		joined := strings.TrimSpace(line + " " + word)
		if line != "" && len([]rune(joined)) > width {
			out = append(out, line)
			joined = word
		}
		line = joined
	}
	if line != "" {
		out = append(out, line)
	}
	if len(out) > most {
		out = out[:most]
		out[most-1] += " …"
	}
	for i := range out {
		out[i] = ellipsis(out[i], width)
	}
	return out
}

// ellipsis shortens a text to a number of characters.
func ellipsis(text string, width int) string {
	runes := []rune(text)
	if len(runes) <= width {
		return text
	}
	return string(runes[:width-1]) + "…"
}
