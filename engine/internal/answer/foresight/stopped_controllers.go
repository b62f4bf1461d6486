package foresight

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/internal/admission/foresee"
)

// maxAsked bounds the objects that are tried for the users of one endpoint.
const maxAsked = 24

// stoppedControllers finds what a policy denies controllers and kubelets because of who they are: it admits the same
// request from another user. One that denies them some new objects only is about what is in these.
func (f *foresight) stoppedControllers(s *subject) []stoppedRequest {
	var out []stoppedRequest
	some := slices.ContainsFunc(s.source.Objects, func(l *metav1.LabelSelector) bool {
		return l != nil && len(l.MatchLabels)+len(l.MatchExpressions) > 0
	})
	for _, e := range foresee.Endpoints(f.Catalog, s.rules, s.names) {
		states := s.source.States(e)
		plain, ok := s.source.Request(e, states[0])
		if some && e.Operation == "CREATE" {
			continue
		}
		if !ok || len(s.source.Controllers(e, plain)) == 0 {
			continue
		}
		for _, state := range states[:min(len(states), maxAsked)] {
			r, _ := s.source.Request(e, state)
			if e.Operation != "DELETE" {
				user := r.User
				*r = *plain
				r.User = user
			}
			for _, q := range s.source.Controllers(e, r) {
				if f.dear || f.tries >= maxTries {
					return out
				}
				one := stoppedRequest{System: q, own: true, asks: true}
				if slices.ContainsFunc(out, one.same) || denied(f.quick(s, q.By(r.User))) || !denied(f.quick(s, &q.Request)) {
					continue
				}
				full, text, ok := f.confirm(s, &q.Request)
				if at := deciding(full); ok && denied(steps(full)) && (at == nil || at.Error == "") {
					one.text, one.message, one.at = text, full.Outcome.Message, at
					out = append(out, one)
				}
			}
		}
	}
	return out
}
