package preview

import (
	"bytes"
	"image/png"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"

	"github.com/preadmit/preadmit/render/path"
)

func TestWrite(t *testing.T) {
	card := Card{Verdict: "Denied", Tone: "#b3261e", Title: "A Deployment that is too large", Message: strings.Repeat("many words ", 50), Path: denied}
	var first, second bytes.Buffer
	for _, b := range []*bytes.Buffer{&first, &second} {
		if err := Write(b, card); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(first.Bytes(), second.Bytes()) {
		t.Error("the same card gives two pictures")
	}
	picture, err := png.Decode(&first)
	if err != nil {
		t.Fatal(err)
	}
	if size := picture.Bounds().Size(); size.X != Width || size.Y != Height {
		t.Errorf("the size is %v", size)
	}
	r, g, b, _ := picture.At(0, 0).RGBA()
	if r>>8 != 0xb3 || g>>8 != 0x26 || b>>8 != 0x1e {
		t.Errorf("the edge is #%02x%02x%02x", r>>8, g>>8, b>>8)
	}
	if err := Write(&first, Card{Tone: "red"}); err == nil {
		t.Error("no error for a colour that is none")
	}
}

// denied is the path of a request that a validating policy rejects.
var denied = []path.Gate{
	{Name: "Request", State: path.Passed}, {Name: "Defaults", State: path.Changed}, {Name: "Mutating", State: path.Warned}, {Name: "Webhooks", State: path.Passed},
	{Name: "2nd pass", State: path.Passed}, {Name: "Schema", State: path.Passed}, {Name: "Validating", State: path.Stopped}, {Name: "Answer", State: path.Stopped},
}

// TestPath: the line comes from the edge and ends at the gate that stops the request; where
// none does it leaves the picture. A card without a request has no line.
func TestPath(t *testing.T) {
	admitted := append([]path.Gate{}, denied...)
	admitted[6].State, admitted[7].State = path.Passed, path.Passed
	undecided := append([]path.Gate{}, admitted...)
	undecided[7].State = path.Hollow
	for _, tt := range []struct {
		name string
		way  []path.Gate
		from bool
		last bool
	}{{"denied", denied, true, false}, {"admitted", admitted, true, true}, {"undecided", undecided, true, false}, {"no request", nil, false, false}} {
		t.Run(tt.name, func(t *testing.T) {
			var b bytes.Buffer
			if err := Write(&b, Card{Verdict: "A", Tone: "#123456", Title: "B", Message: "C", Path: tt.way}); err != nil {
				t.Fatal(err)
			}
			picture, err := png.Decode(&b)
			if err != nil {
				t.Fatal(err)
			}
			toned := func(x int) bool {
				r, g, b, _ := picture.At(x, pathLine).RGBA()
				return r>>8 == 0x12 && g>>8 == 0x34 && b>>8 == 0x56
			}
			if toned(bar+10) != tt.from || toned(Width-5) != tt.last {
				t.Errorf("at the edge %v, at the end %v", toned(bar+10), toned(Width-5))
			}
		})
	}
}

func TestWrap(t *testing.T) {
	parsed, err := fonts()
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(parsed[0], &opentype.FaceOptions{Size: 20, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	d := &font.Drawer{Face: face}
	for _, tt := range []struct {
		name, text string
		lines      int
		end        string
	}{
		{"fits", "one two", 1, "two"},
		{"cut", strings.Repeat("word ", 40), 2, "…"},
		{"one long word", strings.Repeat("x", 200), 1, "…"},
		{"nothing", "", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := wrap(d, tt.text, 300, 2)
			if len(got) != tt.lines {
				t.Fatalf("%d lines: %q", len(got), got)
			}
			for _, line := range got {
				if d.MeasureString(line).Ceil() > 300 {
					t.Errorf("too wide: %q", line)
				}
			}
			if len(got) > 0 && !strings.HasSuffix(got[len(got)-1], tt.end) {
				t.Errorf("ends with %q", got[len(got)-1])
			}
		})
	}
}
