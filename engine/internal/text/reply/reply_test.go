package reply

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestFind reads output of kubectl, events, controllers and logs. Each archive has the text and its
// replies.
func TestFind(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			archive := txtar.Parse(data)
			text := string(archive.Files[0].Data)
			var b strings.Builder
			for _, r := range Find(text) {
				o := r.Object
				for _, field := range []struct{ name, value string }{
					{"by", string(r.By)}, {"name", r.Name}, {"binding", r.Binding}, {"message", r.Message}, {"resource", o.Resource},
					{"object", o.Name}, {"namespace", o.Namespace}, {"file", o.File}, {"owner", o.Owner},
				} {
					if field.value != "" {
						b.WriteString(field.name + ": " + field.value + "\n")
					}
				}
				if o.Exists {
					b.WriteString("exists\n")
				}
				if r.Warned {
					b.WriteString("warned\n")
				}
				b.WriteString("at: " + firstOf(text[r.Start:r.End]) + "\n")
			}
			want := ""
			if len(archive.Files) > 1 {
				want = string(archive.Files[1].Data)
			}
			if got := b.String(); got != want {
				if os.Getenv("UPDATE") != "" {
					archive.Files = append(archive.Files[:1], txtar.File{Name: "replies", Data: []byte(got)})
					if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func firstOf(s string) string {
	const shown = 40
	return s[:min(len(s), shown)]
}

// TestNoReply: other texts have none.
func TestNoReply(t *testing.T) {
	for _, text := range []string{"", "deployment.apps/web created", "the name is invalid", "NAME  READY\nweb   1/1\n", strings.Repeat("is invalid ", 100_000)} {
		if found := Find(text); len(found) > 0 {
			t.Errorf("%.40q: %v", text, found)
		}
	}
}

func FuzzFind(f *testing.F) {
	f.Add("a \"x\\\"y\" admission webhook \"a\" denied the request: \nb")
	f.Add("ValidatingAdmissionPolicy 'p' denied request: m")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range Find(text) {
			if r.Start < 0 || r.End < r.Start || r.End > len(text) {
				t.Errorf("%d to %d of %d", r.Start, r.End, len(text))
			}
		}
	})
}
