package plugins

import (
	"errors"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// denyExternalIPs rejects external addresses that a Service does not have yet.
var denyExternalIPs = plugin{
	name:       "DenyServiceExternalIPs",
	operations: []string{"CREATE", "UPDATE"},
	validates:  []schema.GroupResource{services},
	validate: func(r *request) error {
		known := list(r.oldSpec(), "externalIPs")
		for _, address := range list(r.spec(), "externalIPs") {
			if !slices.Contains(known, address) {
				return errors.New("Use of external IPs is denied by admission control") //nolint:staticcheck // the server's own text
			}
		}
		return r.nothing("the Service gets no external address")
	},
}
