package preview

import (
	"image"
	"image/color"
	"math"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"

	"github.com/preadmit/preadmit/render/path"
)

// rest is the colour of the dots behind the gate where the request ends.
var rest = color.RGBA{0x8b, 0x93, 0x8f, 0xff}

// The colours of gates, those of the page in its light theme.
var states = map[path.State]color.RGBA{
	path.Passed:  {0x17, 0x70, 0x3f, 0xff},
	path.Changed: {0x6a, 0x3f, 0xb0, 0xff},
	path.Warned:  {0x8a, 0x52, 0x00, 0xff},
	path.Stopped: {0xb3, 0x26, 0x1e, 0xff},
}

// Distances of the picture of the path, in pixels. It is that of the page (html.Path),
// twice as large.
const (
	half     = 30  // of the height of a gate
	post     = 14  // from the middle of a gate to its posts
	stroke   = 5.5 // of posts and line
	dots     = 14  // between the dots of a line that has ended
	nameSize = 22
	nameDrop = half + 40 // from the line to the names
)

// gates draws the path of a request with its line at y: it comes from the coloured edge,
// and leaves the picture where the request is let through.
func (c *card) gates(way []path.Gate, y float32) error {
	if len(way) == 0 {
		return nil
	}
	step := float32(Width-2*margin) / float32(len(way))
	at := func(i int) float32 { return margin + step*(float32(i)+0.5) }
	end := float32(Width)
	for i, g := range way {
		if g.State == path.Stopped || i == len(way)-1 && g.State == path.Hollow {
			end = at(i)
			break
		}
	}
	c.rect(bar, y-stroke/2, end, y+stroke/2, c.tone)
	for x := end + dots; x < at(len(way)-1)-dots; x += dots {
		c.disc(x, y, 2, rest)
	}
	for i, g := range way {
		switch {
		case i == 0:
			c.disc(at(i), y, 11, c.tone)
		case i == len(way)-1:
			c.answer(g.State, at(i), y)
		default:
			c.gate(g.State, at(i), y)
		}
		if err := c.name(g, at(i), int(y)+nameDrop); err != nil {
			return err
		}
	}
	return nil
}

// gate draws two posts, and between them what was done.
func (c *card) gate(s path.State, x, y float32) {
	for _, side := range []float32{-post, post} {
		c.rect(x+side-stroke/2, y-half, x+side+stroke/2, y+half, states[s])
	}
	switch s {
	case path.Passed:
		c.disc(x, y, 6.5, states[s])
	case path.Changed:
		c.fill(states[s], x, y-10, x+10, y, x, y+10, x-10, y)
	case path.Warned:
		c.fill(states[s], x, y-11, x+10, y+7, x-10, y+7)
	case path.Stopped:
		c.rect(x-post, y-7, x+post, y+7, states[s])
	}
}

// answer draws the end: a tick, a cross, or a ring where nothing is decided.
func (c *card) answer(s path.State, x, y float32) {
	switch s {
	case path.Stopped:
		c.fill(states[path.Stopped], x-7.5, y-18, x+7.5, y-18, x+18, y-7.5, x+18, y+7.5, x+7.5, y+18, x-7.5, y+18, x-18, y+7.5, x-18, y-7.5)
		c.line(x-7, y-7, x+7, y+7, 4, paper)
		c.line(x+7, y-7, x-7, y+7, 4, paper)
	case path.Hollow:
		c.disc(x, y, 18, c.tone)
		c.disc(x, y, 13.5, paper)
	default:
		c.disc(x, y, 18, c.tone)
		c.line(x-8.5, y+0.5, x-2, y+7, 4, paper)
		c.line(x-2, y+7, x+9, y-6, 4, paper)
	}
}

// name sets the name of a gate below it.
func (c *card) name(g path.Gate, x float32, y int) error {
	f, colour := c.regular, color.RGBA(ink)
	switch g.State {
	case path.Hollow:
		colour = muted
	case path.Stopped:
		f, colour = c.bold, states[path.Stopped]
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: nameSize, DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return err
	}
	defer face.Close()
	drawer := font.Drawer{Dst: c.canvas, Src: image.NewUniform(colour), Face: face}
	drawer.Dot = fixed.P(int(x)-drawer.MeasureString(g.Name).Ceil()/2, y)
	drawer.DrawString(g.Name)
	return nil
}

// fill fills a polygon, given by its corners.
func (c *card) fill(colour color.Color, points ...float32) {
	low, high := [2]float32{points[0], points[1]}, [2]float32{points[0], points[1]}
	for i, p := range points {
		low[i%2], high[i%2] = min(low[i%2], p), max(high[i%2], p)
	}
	area := image.Rect(int(low[0])-1, int(low[1])-1, int(high[0])+2, int(high[1])+2)
	x, y := float32(area.Min.X), float32(area.Min.Y)
	r := vector.NewRasterizer(area.Dx(), area.Dy())
	r.MoveTo(points[0]-x, points[1]-y)
	for i := 2; i < len(points); i += 2 {
		r.LineTo(points[i]-x, points[i+1]-y)
	}
	r.ClosePath()
	r.Draw(c.canvas, area, image.NewUniform(colour), image.Point{})
}

func (c *card) rect(left, top, right, bottom float32, colour color.Color) {
	c.fill(colour, left, top, right, top, right, bottom, left, bottom)
}

// line draws a straight line of a width.
func (c *card) line(x1, y1, x2, y2, width float32, colour color.Color) {
	dx, dy := float64(x2-x1), float64(y2-y1)
	f := float64(width) / 2 / math.Hypot(dx, dy)
	nx, ny := float32(-dy*f), float32(dx*f)
	c.fill(colour, x1+nx, y1+ny, x2+nx, y2+ny, x2-nx, y2-ny, x1-nx, y1-ny)
}

// disc draws a circle, as a polygon of so many corners that none is seen.
func (c *card) disc(x, y, radius float32, colour color.Color) {
	const corners = 48
	points := make([]float32, 0, 2*corners)
	for i := range corners {
		angle := 2 * math.Pi * float64(i) / corners
		points = append(points, x+radius*float32(math.Cos(angle)), y+radius*float32(math.Sin(angle)))
	}
	c.fill(colour, points...)
}
