package storage

import (
	"sync"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/util/version"
	utilfeature "k8s.io/apiserver/pkg/util/feature"
)

// newest is the linked code's release. oldest is the first release whose feature gates it can
// emulate, three releases earlier (KEP-4330).
var (
	newest = version.MustParse("1.37")
	oldest = version.MustParse("1.34")
)

// gates guards the current release's feature gates. They are global, so only one release's
// strategies run at a time.
var gates struct {
	sync.Mutex
	free    *sync.Cond
	release string
	running int
}

func init() {
	gates.free, gates.release = sync.NewCond(&gates.Mutex), newest.String()
}

// enter sets the feature gates to a release's defaults, or to those of the oldest that the code can
// emulate, and returns that release. It blocks other releases until leave.
func enter(kubernetes string) (release string, leave func()) {
	gates.Lock()
	defer gates.Unlock()
	release = kubernetes
	if release != gates.release {
		release = emulated(kubernetes).String()
	}
	for gates.release != release && gates.running > 0 {
		gates.free.Wait()
	}
	if gates.release != release {
		if err := emulate(version.MustParse(release)); err != nil {
			panic(err) // the releases are those that the code can emulate
		}
		gates.release = release
	}
	gates.running++
	return release, func() {
		gates.Lock()
		defer gates.Unlock()
		if gates.running--; gates.running == 0 {
			gates.free.Broadcast()
		}
	}
}

// emulated is the release of which a version gets the gates.
func emulated(kubernetes string) *version.Version {
	v, err := version.ParseGeneric(kubernetes)
	switch {
	case err != nil || !v.LessThan(newest):
		return newest
	case v.LessThan(oldest):
		return oldest
	}
	return v
}

// emulate sets all gates to the defaults of a release. The gates would write a line about those that
// change after they were read.
func emulate(release *version.Version) error {
	quiet, ok := utilfeature.DefaultMutableFeatureGate.(interface {
		SetEmulationVersionWithLogger(logr.Logger, *version.Version) error
	})
	if !ok {
		return utilfeature.DefaultMutableFeatureGate.SetEmulationVersion(release)
	}
	return quiet.SetEmulationVersionWithLogger(logr.Discard(), release)
}
