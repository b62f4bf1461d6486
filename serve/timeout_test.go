package serve

import (
	"net/http/httptest"
	"testing"
	"time"
)

// A caller may request less time than a webhook's maximum, but not more.
func TestTimeout(t *testing.T) {
	s := New(Defaults)
	for query, want := range map[string]time.Duration{
		"":              Defaults.Timeout,
		"?timeout=2s":   1800 * time.Millisecond,
		"?timeout=30s":  27 * time.Second,
		"?timeout=999h": 27 * time.Second,
		"?timeout=-1s":  Defaults.Timeout,
		"?timeout=soon": Defaults.Timeout,
	} {
		if got := s.timeout(httptest.NewRequest("POST", "/validate"+query, nil)); got != want {
			t.Errorf("%q: %s, want %s", query, got, want)
		}
	}
}
