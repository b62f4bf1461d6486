package expect

import (
	"bytes"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
	"testing"
)

// FuzzExpected holds that what is read of an expected.yaml is written and read again
// as the same.
func FuzzExpected(f *testing.F) {
	target := variants.Of(f, 500)
	target.Add([]byte("allowed: false\ncode: 422\nmessage: no\n"))
	target.Add([]byte("allowed: true\nobject:\n  spec: {replicas: 3}\nwarnings: [a]\n"))
	target.Add([]byte("{}"))
	target.Add([]byte("{object}"))
	target.Fuzz(func(t *testing.T, text []byte) {
		e, err := Parse(text)
		if err != nil {
			return
		}
		written, err := e.YAML()
		if err != nil {
			t.Fatalf("%q is read but cannot be written: %v", text, err)
		}
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("%q was written as %q, which cannot be read: %v", text, written, err)
		}
		twice, err := again.YAML()
		if err != nil || !bytes.Equal(written, twice) {
			t.Errorf("%q, then %q, %v", written, twice, err)
		}
	})
}
