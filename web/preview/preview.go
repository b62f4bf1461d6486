// Package preview draws the picture that a chat program shows beside a link to an
// example: the verdict, the title, the message and the path of the request, in the
// colours of the page. The same card gives the same bytes.
package preview

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io"
	"strings"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/preadmit/preadmit/render/path"
)

// Width and Height are the size that the Open Graph sites recommend, in pixels.
const (
	Width  = 1200
	Height = 630
)

// margin is left free at the sides, top above the text; bar is the width of the coloured
// edge; pathLine is how far down the line of the path is.
const (
	margin   = 80
	top      = 60
	bar      = 20
	pathLine = 462
)

// Card is what a picture says.
type Card struct {
	Verdict string // in the colour Tone
	Tone    string // #rrggbb
	Title   string
	Message string
	// Path is the way of the request, none for a card without a request.
	Path []path.Gate
}

var (
	paper = color.RGBA{0xfc, 0xfc, 0xfa, 0xff}
	ink   = color.RGBA{0x1a, 0x20, 0x24, 0xff}
	muted = color.RGBA{0x5a, 0x64, 0x6a, 0xff}
)

// fonts parses the two fonts once. Those of the page come as woff2 only, which
// takes a decoder of its own; the Go fonts are part of golang.org/x/image.
var fonts = sync.OnceValues(func() ([2]*opentype.Font, error) {
	var out [2]*opentype.Font
	for i, raw := range [][]byte{goregular.TTF, gobold.TTF} {
		f, err := opentype.Parse(raw)
		if err != nil {
			return out, err
		}
		out[i] = f
	}
	return out, nil
})

// card is a picture that is being drawn.
type card struct {
	canvas        draw.Image
	tone          color.RGBA
	regular, bold *opentype.Font
}

// Write draws a card as PNG.
func Write(w io.Writer, content Card) error {
	parsed, err := fonts()
	if err != nil {
		return err
	}
	regular, bold := parsed[0], parsed[1]
	tone, err := parseColour(content.Tone)
	if err != nil {
		return err
	}
	canvas := image.NewRGBA(image.Rect(0, 0, Width, Height))
	fill(canvas, canvas.Bounds(), paper)
	fill(canvas, image.Rect(0, 0, bar, Height), tone)
	c := &card{canvas: canvas, tone: tone, regular: regular, bold: bold}
	y := top
	for _, part := range []struct {
		text   string
		font   *opentype.Font
		size   float64
		colour color.Color
		lines  int
		after  int
	}{
		{content.Verdict, bold, 46, tone, 1, 14},
		{content.Title, bold, 58, ink, 2, 14},
		{content.Message, regular, 32, muted, 2, 0},
	} {
		if y, err = write(canvas, part.font, part.size, part.colour, part.text, part.lines, y); err != nil {
			return err
		}
		y += part.after
	}
	if err := c.gates(content.Path, pathLine); err != nil {
		return err
	}
	if content.Verdict != "Preadmit" {
		if _, err := write(canvas, bold, 26, muted, "Preadmit", 1, Height-58); err != nil {
			return err
		}
	}
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	return encoder.Encode(w, canvas)
}

// write sets a text from y downwards in at most so many lines, and returns where
// it ends.
func write(canvas draw.Image, f *opentype.Font, size float64, colour color.Color, text string, lines, y int) (int, error) {
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return y, err
	}
	defer face.Close()
	drawer := font.Drawer{Dst: canvas, Src: image.NewUniform(colour), Face: face}
	ascent := face.Metrics().Ascent.Ceil()
	for _, line := range wrap(&drawer, text, Width-2*margin, lines) {
		drawer.Dot = fixed.P(margin, y+ascent)
		drawer.DrawString(line)
		y += int(size * 1.25)
	}
	return y, nil
}

// wrap cuts a text into lines of a width in pixels. What does not fit into them
// is left out, which an ellipsis says.
func wrap(d *font.Drawer, text string, width, lines int) []string {
	var out []string
	words := strings.Fields(text)
	for len(words) > 0 {
		n := 1
		for n < len(words) && d.MeasureString(strings.Join(words[:n+1], " ")).Ceil() <= width {
			n++
		}
		line := strings.Join(words[:n], " ")
		words = words[n:]
		last := len(out) == lines-1
		if last && len(words) > 0 || d.MeasureString(line).Ceil() > width {
			line = shorten(d, line, width)
		}
		out = append(out, line)
		if last {
			break
		}
	}
	return out
}

// shorten ends a line with an ellipsis so that it fits.
func shorten(d *font.Drawer, line string, width int) string {
	runes := []rune(line)
	for len(runes) > 0 && d.MeasureString(string(runes)+"…").Ceil() > width {
		runes = runes[:len(runes)-1]
	}
	return strings.TrimSpace(string(runes)) + "…"
}

func fill(canvas draw.Image, area image.Rectangle, colour color.Color) {
	draw.Draw(canvas, area, image.NewUniform(colour), image.Point{}, draw.Src)
}

func parseColour(s string) (color.RGBA, error) {
	c := color.RGBA{A: 0xff}
	if _, err := fmt.Sscanf(s, "#%02x%02x%02x", &c.R, &c.G, &c.B); err != nil {
		return c, fmt.Errorf("the colour %q: %w", s, err)
	}
	return c, nil
}
