package plugins

import (
	"slices"

	"github.com/preadmit/preadmit/engine/internal/policy/serverconfig"
	"github.com/preadmit/preadmit/engine/internal/version"
	"github.com/preadmit/preadmit/engine/scenario"
)

// offByDefault are the simulated plugins that an administrator must switch
// on.
var offByDefault = []string{
	"LimitPodHardAntiAffinityTopology", "NodeRestriction", "AlwaysPullImages", "PodNodeSelector", "PodTolerationRestriction",
	"ExtendedResourceToleration", "OwnerReferencesPermissionEnforcement", "DenyServiceExternalIPs",
}

// depends are the plugins that do nothing on some versions, with the default
// feature gates.
var depends = map[string]version.Behaviour{
	"PodTopologyLabels":  version.NodeLabelsOnPods,
	"PodResizeValidator": version.ResizesFitNodes,
}

// Names lists the plugins that are simulated, in the server's order.
func Names() []string {
	var out []string
	for _, p := range ordered {
		out = append(out, p.name)
	}
	return out
}

// Set is the plugins of one scenario.
type Set struct {
	plugins []plugin // in the server's order
	// chosen says that the scenario chooses the plugins: they run for captured
	// requests as well.
	chosen bool
	// listed are the plugins that the scenario names.
	listed []string
	// podSecurity configures Pod Security.
	podSecurity *serverconfig.PodSecurity
	// needQuota are the resources that need a quota.
	needQuota []serverconfig.Limited
	// captured says that the request has been through a server.
	captured bool
}

// Select returns the plugins of a scenario at a version: those that the
// release has on by default, if choice is nil. Unsimulated are the plugins that
// the scenario switches on and that do not exist here.
func Select(v version.Version, choice *scenario.Plugins) (set Set, unsimulated []string) {
	set.podSecurity = privileged
	if choice == nil {
		choice = &scenario.Plugins{}
	} else {
		set.chosen, set.listed = true, choice.Enable
	}
	for _, p := range ordered {
		on := slices.Contains(choice.Enable, p.name)
		if !choice.Exactly && !on {
			on = !slices.Contains(offByDefault, p.name) && !slices.Contains(choice.Disable, p.name)
		}
		if b, some := depends[p.name]; on && (!some || v.Has(b)) {
			set.plugins = append(set.plugins, p)
		}
	}
	for _, name := range choice.Enable {
		if !slices.Contains(Names(), name) {
			unsimulated = append(unsimulated, name)
		}
	}
	return set, unsimulated
}

// Configured returns the set with what a server configures of its plugins.
func (s Set) Configured(server *serverconfig.Config) Set {
	if server.PodSecurity != nil {
		s.podSecurity = server.PodSecurity
	}
	s.needQuota = server.Limited
	return s
}

// Captured returns the set for a request that has been through a server's
// mutating plugins: unless the scenario chooses them, only what validates runs,
// and what the request refers to is taken to exist.
func (s Set) Captured(captured bool) Set {
	s.captured = captured
	return s
}

// named reports whether the scenario names a plugin, so that its step is shown
// whatever it did.
func (s Set) named(plugin string) bool { return slices.Contains(s.listed, plugin) }
