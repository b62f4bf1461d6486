package webhook

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	v1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/admission/run"
	"github.com/preadmit/preadmit/engine/report"
)

// TestSort: those of manifest files are called first, each kind by the names of their
// configurations, and those of one configuration as they are listed.
func TestSort(t *testing.T) {
	var hooks []*Hook
	for _, h := range strings.Fields("b/2 a/1 b/1 /static-b/1 a/0 /static-a/1 /static-b/0") {
		configuration, path, _ := strings.Cut(strings.TrimPrefix(h, "/"), "/")
		hooks = append(hooks, &Hook{configuration: configuration, path: path, static: h[0] == '/'})
	}
	Sort(hooks)
	var got []string
	for _, h := range hooks {
		got = append(got, h.configuration+"/"+h.path)
	}
	if want := "static-a/1 static-b/1 static-b/0 a/1 a/0 b/2 b/1"; strings.Join(got, " ") != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// TestUnknownResponses: answers of which no configuration knows, in order.
func TestUnknownResponses(t *testing.T) {
	if got := unknownResponses(Responses{"d": nil, "b": nil, "c": nil, "a": nil}, []string{"c", "x"}); !reflect.DeepEqual(got, []string{"a", "b", "d"}) {
		t.Errorf("got %v", got)
	}
}

// TestCount: the counters are those of k8s.io/apiserver/pkg/admission/metrics.
func TestCount(t *testing.T) {
	ignore, fail := v1.Ignore, v1.Fail
	for _, c := range []struct {
		name     string
		err      error
		policy   *v1.FailurePolicyType
		mutating bool
		measured bool
		want     string
	}{
		{"allowed", nil, &fail, false, false, `requests{code=200 rejected=false}`},
		{"by a mutating one", nil, &fail, true, false, `requests{code=200 rejected=false}`},
		{"measured", nil, &fail, false, true, `requests{code=200 rejected=false} duration{rejected=false}`},
		{"denied", &rejectedError{rejection("a", &metav1.Status{Code: 418})}, &fail, false, false, `requests{code=418 rejected=true} rejections{no_error 418}`},
		{"denied with a large code", &rejectedError{rejection("a", &metav1.Status{Code: 777})}, &fail, false, false, `requests{code=600 rejected=true} rejections{no_error 600}`},
		{"denied, errors ignored", &rejectedError{rejection("a", &metav1.Status{Code: 418})}, &ignore, false, false, `requests{code=418 rejected=true} rejections{no_error 418}`},
		{"not called", &callError{"a", errors.New("x"), 503}, &fail, false, false, `requests{code=503 rejected=true} rejections{calling_webhook_error 503}`},
		{"not called, ignored", &callError{"a", errors.New("x"), 503}, &ignore, false, false, `requests{code=503 rejected=false} opened`},
		{"another error", errors.New("x"), &fail, false, false, `requests{code=0 rejected=true} rejections{apiserver_internal_error 0}`},
		{"another error, ignored", errors.New("x"), &ignore, false, false, `requests{code=0 rejected=true} rejections{apiserver_internal_error 0}`},
	} {
		chain := &run.Chain{Report: &report.Report{}}
		chain.Attributes.Operation = "CREATE"
		s := &selected{Hook: &Hook{target: hook(c.mutating), failurePolicy: c.policy}, measured: c.measured, took: 2}
		count(chain, s, c.err)
		var got []string
		kind := map[bool]string{false: "validating", true: "admit"}[c.mutating]
		for _, m := range chain.Report.Metrics {
			l := m.Labels
			if l["name"] != s.name || l["type"] != kind || m.Value != 1 || m.Name != failOpenCount && l["operation"] != "CREATE" {
				t.Errorf("%s: %+v", c.name, m)
			}
			switch m.Name {
			case requestTotal:
				got = append(got, fmt.Sprintf("requests{code=%s rejected=%s}", l["code"], l["rejected"]))
			case duration:
				if l["code"] != "" || !reflect.DeepEqual(m.Seconds, []float64{2}) {
					t.Errorf("%s: %+v", c.name, m)
				}
				got = append(got, fmt.Sprintf("duration{rejected=%s}", l["rejected"]))
			case rejectionCount:
				got = append(got, fmt.Sprintf("rejections{%s %s}", l["error_type"], l["rejection_code"]))
			case failOpenCount:
				got = append(got, "opened")
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %s, want %s", c.name, strings.Join(got, " "), c.want)
		}
	}
}
