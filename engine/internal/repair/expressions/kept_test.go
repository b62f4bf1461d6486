package expressions

import "testing"

func TestKeeps(t *testing.T) {
	for _, test := range []struct {
		expression, repaired string
		want                 bool
	}{
		{"object.spec.replicas // 2 == 1", "has(object.spec.replicas)", false},
		{"object.metadata.creationTimestamp < time.Now()", "timestamp(object.metadata.creationTimestamp) < timestamp(object.metadata.creationTimestamp)", false},
		{"object.metadata.name = object.metadata.name", "object.metadata.name == object.metadata.name", false},
		{"object.a == object.a and 'b'", "object.a == object.a && 'b'", true},
		{"object.spec.replicas ** 2 < 1_000", "object.spec.replicas * object.spec.replicas < 1000", true},
		{"object.spec.replicas &#60;= 5.0", "object.spec.replicas <= 5", true},
	} {
		if got := keeps(test.expression, test.repaired); got != test.want {
			t.Errorf("%s: %s keeps it: %v", test.expression, test.repaired, got)
		}
	}
}
