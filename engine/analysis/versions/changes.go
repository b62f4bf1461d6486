package versions

import (
	"github.com/preadmit/preadmit/engine/internal/guard"
	"github.com/preadmit/preadmit/engine/internal/version"
)

// Change is something that API servers do on some of the versions and not on
// others, and that the engine simulates.
type Change struct {
	// From is the first version that does it, To the last one, empty if the
	// newest still does.
	From string
	To   string
	// Text says what it is, without capital and full stop, in Markdown.
	Text string
	// OnlyWording marks a change of nothing but the words of a message.
	OnlyWording bool
}

// Changes lists what is different between the versions, besides what can be
// created, which fields and defaults the kinds have and which functions CEL has.
// The oldest come first.
func Changes() []Change {
	var list []Change
	for _, v := range version.All() {
		for _, b := range version.Behaviours() {
			if b.Since() != v {
				continue
			}
			c := Change{From: v.String(), Text: b.Markdown(), OnlyWording: b.OnlyWording()}
			if until := b.Until(); (until != version.Version{}) {
				c.To = until.String()
			}
			list = append(list, c)
		}
	}
	return list
}

// Served says how a version of Kubernetes, such as "1.35", serves one of the six
// kinds of admission configuration: by the newest API version that it has, "v1",
// "v1beta1, off" for one that must be switched on, and "no" for none. The error
// about a version that cannot be simulated is a sentence for the user.
func Served(kind, kubernetes string) (_ string, err error) {
	defer guard.Error(&err)
	v, err := version.Parse(kubernetes)
	if err != nil {
		return "", err
	}
	for _, api := range version.APIs(kind) {
		if !api.Includes(v) {
			continue
		}
		if api.ByDefault {
			return api.Name, nil
		}
		return api.Name + ", off", nil
	}
	return "no", nil
}

// Functions are the functions of CEL that came with a version.
type Functions struct {
	// Since is the first version in which a new policy may use them.
	Since string
	// Text lists the important ones, in Markdown.
	Text string
}

// LaterFunctions lists the functions that not all versions have, the oldest
// first. The last may be of a version that cannot be simulated yet.
func LaterFunctions() []Functions {
	var list []Functions
	for _, g := range version.Functions() {
		list = append(list, Functions{Since: g.Since.String(), Text: g.Text})
	}
	return list
}
