package scenario

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/scripts/hostile/variants"
)

// linkVector is one link that must open, or fail in the same way, forever. The TypeScript tests
// read the same file.
type linkVector struct {
	Name string `json:"name"`
	By   string `json:"by"` // encoder that wrote the link: go or fflate
	// Content is settings (JSON), policies, request, cluster, expression.
	Content []string `json:"content"`
	// RepeatPolicies is how often the policies text is repeated, if not once.
	RepeatPolicies int    `json:"repeatPolicies"`
	Link           string `json:"link"`
	Error          string `json:"error"`
}

func linkVectors(t testing.TB) []linkVector {
	t.Helper()
	data, err := os.ReadFile("testdata/links.json")
	if err != nil {
		t.Fatal(err)
	}
	var vectors []linkVector
	if err := json.Unmarshal(data, &vectors); err != nil {
		t.Fatal(err)
	}
	if len(vectors) < 20 {
		t.Fatalf("only %d vectors", len(vectors))
	}
	return vectors
}

func (v linkVector) scenario(t *testing.T) Scenario {
	t.Helper()
	s := Scenario{Policies: v.Content[1], Request: v.Content[2], Cluster: v.Content[3], Expression: v.Content[4]}
	if v.RepeatPolicies > 0 {
		s.Policies = strings.Repeat(s.Policies, v.RepeatPolicies)
	}
	if diags := s.readSettings(v.Content[0]); len(diags) > 0 {
		t.Fatalf("settings: %+v", diags)
	}
	return s
}

func TestLinkVectors(t *testing.T) {
	for _, v := range linkVectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			got, err := DecodeLink(v.Link)
			if v.Error != "" {
				var linkErr *LinkError
				if !errors.As(err, &linkErr) || linkErr.Code != v.Error || linkErr.Message == "" {
					t.Fatalf("error %v, want %s", err, v.Error)
				}
				return
			}
			if err != nil {
				t.Fatal(err, errors.Unwrap(err))
			}
			want := v.scenario(t)
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got  %+v\nwant %+v", got, want)
			}
			again, err := EncodeLink(want)
			if err != nil {
				t.Fatal(err)
			}
			if back, err := DecodeLink(again); err != nil || !reflect.DeepEqual(back, want) {
				t.Errorf("encoded again: %+v, %v", back, err)
			}
		})
	}
}

// TestDictionary protects the dictionary: existing links need every byte of it.
func TestDictionary(t *testing.T) {
	sum := sha256.Sum256(linkDictionary)
	if got := hex.EncodeToString(sum[:]); got != "c218c4d295581688a22519262ec1cbe3e7b1197506d63327c040d20bf75ef9c5" {
		t.Errorf("dictionary-1.txt has changed (%s): links made before do not open any more. Make a dictionary-2.txt and a version 2 instead.", got)
	}
}

func TestDecodeLinkForms(t *testing.T) {
	want := Scenario{Kubernetes: "1.36", Policies: "kind: ValidatingAdmissionPolicy\n", Request: "kind: Pod\n"}
	link, err := EncodeLink(want)
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{
		link, link[1:], "https://example.com/play/" + link, " " + link + "\n", link[:10] + "\r\n " + link[10:],
	} {
		if got, err := DecodeLink(form); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("DecodeLink(%q) = %+v, %v", form, got, err)
		}
	}
	for n := range link {
		if _, err := DecodeLink(link[:n]); err == nil {
			t.Errorf("a link cut after %d of %d characters was read", n, len(link))
		}
	}
}

func TestEncodeLinkRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		s    Scenario
		code string
	}{
		"too large": {Scenario{Cluster: strings.Repeat("x", MaxLinkContent)}, codes.LinkTooLarge},
		"NUL":       {Scenario{Policies: "a\x00b"}, codes.LinkContent},
		"not UTF-8": {Scenario{Request: "\xff"}, codes.LinkContent},
		"settings":  {Scenario{BeforeValidation: BeforeValidation{Set: map[string]any{"/a": func() {}}}}, codes.LinkContent},
	} {
		_, err := EncodeLink(tt.s)
		var linkErr *LinkError
		if !errors.As(err, &linkErr) || linkErr.Code != tt.code {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// FuzzDecodeLink looks for links that crash or change when they are written again.
func FuzzDecodeLink(f *testing.F) {
	target := variants.Of(f, 500)
	for _, v := range linkVectors(f) {
		if len(v.Link) < 2000 {
			target.Add(v.Link)
		}
	}
	target.Fuzz(func(t *testing.T, link string) {
		s, err := DecodeLink(link)
		if err != nil {
			var linkErr *LinkError
			if !errors.As(err, &linkErr) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		again, err := EncodeLink(s)
		if err != nil {
			t.Fatal(err)
		}
		back, err := DecodeLink(again)
		if s.Kubernetes == "" {
			s.Kubernetes = DefaultVersion // which EncodeLink pins
		}
		if err != nil || !reflect.DeepEqual(back, s) {
			t.Fatalf("%+v became %+v, %v", s, back, err)
		}
	})
}

// FuzzLinkRoundTrip encodes arbitrary texts.
func FuzzLinkRoundTrip(f *testing.F) {
	target := variants.Of(f, 150)
	target.Add("", "", "", "", "", "")
	target.Add("a title", policy, "kind: Pod\r\n", "\ufeffkind: Namespace", "true", "1.30")
	target.Fuzz(func(t *testing.T, title, policies, request, cluster, expression, version string) {
		want := Scenario{Title: strings.ToValidUTF8(title, "?"), Policies: policies, Request: request, Cluster: cluster, Expression: expression, Kubernetes: DefaultVersion}
		if minor, err := ParseVersion(version); err == nil {
			want.Kubernetes = minor
		}
		link, err := EncodeLink(want)
		var linkErr *LinkError
		if errors.As(err, &linkErr) && linkErr.Code == codes.LinkContent {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if got, err := DecodeLink(link); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%+v became %+v, %v", want, got, err)
		}
	})
}
