package scenario

import (
	"bytes"
	"encoding/json"
)

// Plugins selects built-in admission plugins. They then also run for captured requests. Its JSON
// form is a list of names, which means exactly these, or an object with the lists enable and
// disable, relative to the release's default plugins.
type Plugins struct {
	// Exactly says that only the plugins in Enable run.
	Exactly bool
	// Enable and Disable hold names of PluginNames or UnsimulatedPlugins.
	Enable, Disable []string
}

// Exactly selects only the named plugins.
func Exactly(names ...string) *Plugins { return &Plugins{Exactly: true, Enable: names} }

// relativePlugins is the JSON form relative to the defaults.
type relativePlugins struct {
	Enable  []string `json:"enable,omitempty"`
	Disable []string `json:"disable,omitempty"`
}

// MarshalJSON implements json.Marshaler.
func (p Plugins) MarshalJSON() ([]byte, error) {
	if p.Exactly {
		return json.Marshal(append([]string{}, p.Enable...))
	}
	return json.Marshal(relativePlugins{p.Enable, p.Disable})
}

// UnmarshalJSON implements json.Unmarshaler.
func (p *Plugins) UnmarshalJSON(data []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		*p = Plugins{Exactly: true}
		return json.Unmarshal(data, &p.Enable)
	}
	var relative relativePlugins
	err := json.Unmarshal(data, &relative)
	*p = Plugins{Enable: relative.Enable, Disable: relative.Disable}
	return err
}

// PluginNames are the simulated built-in admission plugins, in the server's order.
var PluginNames = []string{
	"NamespaceLifecycle", "LimitPodHardAntiAffinityTopology", "LimitRanger", "ServiceAccount", "NodeRestriction", "TaintNodesByCondition",
	"AlwaysPullImages", "PodSecurity", "PodNodeSelector", "Priority", "DefaultTolerationSeconds", "PodTolerationRestriction",
	"ExtendedResourceToleration", "DefaultStorageClass", "StorageObjectInUseProtection", "OwnerReferencesPermissionEnforcement",
	"PersistentVolumeClaimResize", "RuntimeClass",
	"CertificateApproval", "CertificateSigning", "CertificateSubjectRestriction", "DefaultIngressClass",
	"DenyServiceExternalIPs", "PodTopologyLabels", "PodResizeValidator", "ResourceQuota",
}

// UnsimulatedPlugins are the other built-in admission plugins. A scenario that enables one gets a
// warning that it is not simulated. Policies and webhooks always run.
var UnsimulatedPlugins = []string{
	"AlwaysAdmit", "AlwaysDeny", "ClusterTrustBundleAttest", "EventRateLimit", "ImagePolicyWebhook", "JobValidation",
	"MutatingAdmissionPolicy", "MutatingAdmissionWebhook", "NamespaceAutoProvision", "NamespaceExists",
	"NodeDeclaredFeatureValidator", "PersistentVolumeLabel", "PodGroupProtection",
	"PodGroupWorkloadExists", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook",
}

// pluginNames are all names that a scenario may use.
func pluginNames() []string { return append(append([]string{}, PluginNames...), UnsimulatedPlugins...) }

// readPlugins reads either form of options.plugins.
func (f *Fields) readPlugins(name string) *Plugins {
	switch f.value[name].(type) {
	case map[string]any:
		sub := f.Sub(name)
		p := &Plugins{Enable: sub.someOf("enable", pluginNames()...), Disable: sub.someOf("disable", pluginNames()...)}
		sub.Done()
		return p
	case []any:
		return &Plugins{Exactly: true, Enable: f.someOf(name, pluginNames()...)}
	}
	if v := f.get(name); v != nil {
		f.wrong(f.Path(name), "a list of strings or an object with enable and disable", v)
	}
	return nil
}
