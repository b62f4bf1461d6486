package uncompress

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

func TestReader(t *testing.T) {
	const text = "{\"kind\":\"A\"}\n"
	var zipped, zstandard bytes.Buffer
	g := gzip.NewWriter(&zipped)
	z, err := zstd.NewWriter(&zstandard)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range []io.WriteCloser{g, z} {
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
	}
	for name, test := range map[string]struct{ in, want, problem string }{
		"plain":           {text, text, ""},
		"nothing":         {"", "", ""},
		"gzip":            {zipped.String(), text, ""},
		"two in a row":    {zipped.String() + zipped.String(), text + text, ""},
		"gzip, cut off":   {zipped.String()[:zipped.Len()-3], text, "unexpected EOF"},
		"no gzip at all":  {"\x1f\x8b", "", "unexpected EOF"},
		"zstd":            {zstandard.String(), text, ""},
		"zstd, cut off":   {zstandard.String()[:zstandard.Len()-3], "", "unexpected EOF"},
		"a huge window":   {"\x28\xb5\x2f\xfd\x00\xf8\x01\x00\x00", "", "window size exceeded"},
		"only the magic":  {"\x28\xb5\x2f\xfd", "", "unexpected EOF"},
		"other beginning": {"\x28\xb5\x2f", "\x28\xb5\x2f", ""},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := Reader(strings.NewReader(test.in))
			var got []byte
			if err == nil {
				got, err = io.ReadAll(r)
			}
			problem := ""
			if err != nil {
				problem = err.Error()
			}
			if (problem == "") != (test.problem == "") || !strings.Contains(problem, test.problem) || problem == "" && string(got) != test.want {
				t.Errorf("got %q and %q, want %q and %q", got, problem, test.want, test.problem)
			}
		})
	}
}
