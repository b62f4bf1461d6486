// Package keep keeps a webhook server up to date with a cluster: informers watch what its policies
// read, and each change is loaded.
package keep

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/tools/cache"

	"github.com/preadmit/preadmit/cluster/internal/collect"
	"github.com/preadmit/preadmit/cluster/internal/source"
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Settings configure a Keeper.
type Settings struct {
	// Files returns the files' objects: policies, and what they use besides the cluster. It is
	// called at each interval.
	Files func() ([]*scenario.Document, error)
	// ClusterPolicies adds the cluster's policies.
	ClusterPolicies bool
	// Kubernetes is the Kubernetes version to simulate.
	Kubernetes string
	// Interval is the time between readings of the files.
	Interval time.Duration
	// Log gets one line per event.
	Log func(string)
}

// Keeper watches a cluster. Run is its only goroutine; informers have their own.
type Keeper struct {
	settings Settings
	load     func(scenario.Scenario) diag.Diagnostics
	mapper   meta.ResettableRESTMapper
	factory  dynamicinformer.DynamicSharedInformerFactory
	watched  map[schema.GroupKind]cache.SharedIndexInformer
	changed  chan struct{} // has an entry if something changed since the last load
	loaded   string        // last loaded state
	said     map[string]bool
}

// New returns a keeper that calls load with every state of the cluster.
func New(client dynamic.Interface, mapper meta.ResettableRESTMapper, load func(scenario.Scenario) diag.Diagnostics, s Settings) *Keeper {
	return &Keeper{settings: s, load: load, mapper: mapper, factory: dynamicinformer.NewDynamicSharedInformerFactory(client, 0),
		watched: map[schema.GroupKind]cache.SharedIndexInformer{}, changed: make(chan struct{}, 1), said: map[string]bool{}}
}

// calm is how long changes are collected before they are loaded together.
const calm = 100 * time.Millisecond

// Run watches until the context ends. It loads nothing before everything that the policies use has
// been listed once.
func (k *Keeper) Run(ctx context.Context) {
	ticks := time.NewTicker(k.settings.Interval)
	defer ticks.Stop()
	defer k.factory.Shutdown()
	for {
		pause := k.settings.Interval
		if !k.step(ctx) {
			pause = calm // informers are starting
		}
		select {
		case <-ctx.Done():
			return
		case <-ticks.C:
		case <-time.After(pause):
		case <-k.changed:
			select {
			case <-ctx.Done():
				return
			case <-time.After(calm):
			}
		}
	}
}

// step loads the current state. It returns false while something has not been listed.
func (k *Keeper) step(ctx context.Context) bool {
	docs, err := k.settings.Files()
	if err != nil {
		k.once("the files were not read: " + err.Error())
		return true
	}
	var policies, cluster []source.Object
	for _, d := range docs {
		if strings.HasPrefix(d.APIVersion, group+"/") {
			policies = append(policies, d.Value)
		} else {
			cluster = append(cluster, d.Value)
		}
	}
	synced := k.watch(ctx, namespaces) && k.watch(ctx, definitions)
	if k.settings.ClusterPolicies {
		for _, kind := range policyKinds {
			synced = k.watch(ctx, kind) && synced
			policies = append(policies, k.objects(kind)...)
		}
	}
	for _, kind := range k.needed(policies) {
		synced = k.watch(ctx, kind) && synced
	}
	if !synced {
		return false
	}
	cluster = append(cluster, k.looked(policies)...)
	k.give(policies, cluster)
	return true
}

// give loads a state that differs from the last one.
func (k *Keeper) give(policies, cluster []source.Object) {
	s := scenario.Scenario{Kubernetes: k.settings.Kubernetes}
	var err error
	if s.Policies, err = collect.Documents(policies); err == nil {
		s.Cluster, err = collect.Documents(cluster)
	}
	if err != nil {
		k.once("the objects were not written: " + err.Error())
		return
	}
	if state := s.Policies + "\x00" + s.Cluster; state == k.loaded {
		return
	} else {
		k.loaded = state
	}
	problems := k.load(s)
	for _, d := range problems {
		if d.Severity == diag.Error {
			k.settings.Log("rejected: " + d.Summary)
		}
	}
	if !problems.HasErrors() {
		k.settings.Log(fmt.Sprintf("loaded %d objects of policies, %d of the cluster", len(policies), len(cluster)))
	}
}

// watch starts an informer, once, and reports whether it has listed its objects. A kind that the
// server does not have has no informer.
func (k *Keeper) watch(ctx context.Context, kind schema.GroupKind) bool {
	if informer, started := k.watched[kind]; started {
		return informer.HasSynced()
	}
	m, err := k.mapper.RESTMapping(kind)
	if meta.IsNoMatchError(err) {
		k.mapper.Reset() // a new definition may exist
		m, err = k.mapper.RESTMapping(kind)
	}
	if meta.IsNoMatchError(err) {
		k.once(fmt.Sprintf("the server has no %s", kind))
		return true
	}
	if err != nil {
		k.once(err.Error())
		return false
	}
	informer := k.factory.ForResource(m.Resource).Informer()
	tidied := func(o any) (any, error) {
		if u, ok := o.(*unstructured.Unstructured); ok {
			return &unstructured.Unstructured{Object: collect.Tidied(u.Object)}, nil
		}
		return o, nil
	}
	failed := func(_ *cache.Reflector, err error) {
		k.settings.Log(fmt.Sprintf("watching %s: %v", m.Resource.GroupResource(), err))
	}
	again := func() {
		select {
		case k.changed <- struct{}{}:
		default:
		}
	}
	if err := informer.SetTransform(tidied); err != nil {
		k.once(err.Error())
		return false
	}
	if err := informer.SetWatchErrorHandler(failed); err != nil {
		k.once(err.Error())
		return false
	}
	if _, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(any) { again() }, UpdateFunc: func(any, any) { again() }, DeleteFunc: func(any) { again() },
	}); err != nil {
		k.once(err.Error())
		return false
	}
	k.watched[kind] = informer
	k.factory.Start(ctx.Done())
	return informer.HasSynced()
}

// objects returns an informer's objects, by namespace and name.
func (k *Keeper) objects(kind schema.GroupKind) []source.Object {
	informer, started := k.watched[kind]
	if !started {
		return nil
	}
	var out []source.Object
	for _, item := range informer.GetStore().List() {
		if u, ok := item.(*unstructured.Unstructured); ok {
			out = append(out, u.Object)
		}
	}
	slices.SortFunc(out, func(a, b source.Object) int {
		return strings.Compare(key(a), key(b))
	})
	return out
}

func key(o source.Object) string {
	u := unstructured.Unstructured{Object: o}
	return u.GetNamespace() + "/" + u.GetName()
}

// once logs a message only once and not at every step.
func (k *Keeper) once(line string) {
	if !k.said[line] {
		k.said[line] = true
		k.settings.Log(line)
	}
}
