package fielddocs

import (
	"strings"
	"testing"
)

func TestFieldsAreDescribed(t *testing.T) {
	docs := Embedded()
	for _, tt := range []struct{ id, field, want string }{
		{"core/v1.PodSpec", "restartPolicy", "Restart policy for all containers"},
		{"apps/v1.DeploymentSpec", "replicas", "Number of desired pods."},
		{"meta/v1.ObjectMeta", "labels", "Map of string keys and values"},
	} {
		if got := docs.Field(tt.id, tt.field); !strings.HasPrefix(got, tt.want) {
			t.Errorf("%s.%s: %q does not begin with %q", tt.id, tt.field, got, tt.want)
		}
	}
	if got := docs.Type("core/v1.Pod"); !strings.HasPrefix(got, "Pod is a collection of containers") {
		t.Errorf("Pod: %q", got)
	}
	if got := docs.Field("core/v1.PodSpec", "noSuchField"); got != "" {
		t.Errorf("unknown field: %q", got)
	}
}
