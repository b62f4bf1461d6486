package foresee

import (
	"k8s.io/apiserver/pkg/authentication/user"

	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
)

// controller is a request of a component for objects that others made: a policy that asks who sends a request may
// forget it.
type controller struct {
	operation, group, resource string
	user, owner                string // see systemUser, and the kind of the object's owner
	what, component, then      string // see System
}

var controllers = []controller{
	{"CREATE", "", "pods", "sa:replicaset-controller", "ReplicaSet", "the Pods of Deployments", "the ReplicaSet controller", "Deployments get no Pods."},
	{"CREATE", "", "pods", "sa:statefulset-controller", "StatefulSet", "the Pods of StatefulSets", "the StatefulSet controller", "StatefulSets get no Pods."},
	{"CREATE", "", "pods", "sa:daemon-set-controller", "DaemonSet", "the Pods of DaemonSets", "the DaemonSet controller", "DaemonSets get no Pods."},
	{"CREATE", "", "pods", "sa:job-controller", "Job", "the Pods of Jobs", "the Job controller", "Jobs never start."},
	{"UPDATE", "", "pods", "sa:job-controller", "Job", "the release of the Pods of Jobs", "the Job controller", "Jobs never complete."},
	{"CREATE", "apps", "replicasets", "sa:deployment-controller", "Deployment", "the ReplicaSets of Deployments", "the Deployment controller", "Deployments get no Pods."},
	{"UPDATE", "apps", "replicasets", "sa:deployment-controller", "Deployment", "the scaling of ReplicaSets", "the Deployment controller", "Rollouts do not end."},
	{"CREATE", "batch", "jobs", "sa:cronjob-controller", "CronJob", "the Jobs of CronJobs", "the CronJob controller", "Schedules are missed."},
	{"DELETE", "", "pods", "node", "", "the deletion of Pods that ended", "kubelets", "Pods stay Terminating."},
	{"DELETE", "", "pods", "sa:replicaset-controller", "ReplicaSet", "the deletion of Pods by controllers", "the ReplicaSet controller", "Deployments cannot scale down or roll out."},
	{"DELETE", "", "pods", "sa:job-controller", "Job", "the deletion of Pods by controllers", "the Job controller", "The Pods of Jobs stay."},
	{"DELETE", "", "pods", "sa:generic-garbage-collector", "ReplicaSet", "the deletion of what owners leave behind", "the garbage collector", "ReplicaSets and Pods of deleted Deployments stay."},
	{"DELETE", "", "pods", "sa:pod-garbage-collector", "", "the deletion of Pods of lost nodes", "the Pod garbage collector", "Pods of lost nodes stay."},
	{"DELETE", "apps", "replicasets", "sa:deployment-controller", "Deployment", "the deletion of old ReplicaSets", "the Deployment controller", "Old ReplicaSets stay."},
	{"DELETE", "apps", "replicasets", "sa:generic-garbage-collector", "Deployment", "the deletion of what owners leave behind", "the garbage collector", "ReplicaSets and Pods of deleted Deployments stay."},
	{"DELETE", "batch", "jobs", "sa:cronjob-controller", "CronJob", "the deletion of old Jobs", "the CronJob controller", "Old Jobs stay."},
	{"DELETE", "batch", "jobs", "sa:generic-garbage-collector", "CronJob", "the deletion of what owners leave behind", "the garbage collector", "Jobs of deleted CronJobs stay."},
}

// Controllers are the requests of components like one at an endpoint, by users of their own; none where the expressions
// do not read who sends a request.
func (s *Source) Controllers(e Endpoint, like *Request) []System {
	var out []System
	if !s.readsUser() || e.SubResource != "" || e.Name != "" {
		return nil
	}
	for _, c := range controllers {
		if c.operation != e.Operation || c.group != e.Resource.Group || c.resource != e.Resource.Resource {
			continue
		}
		one := System{Request: *like, What: c.what, Component: c.component, Then: c.then}
		one.User = systemUser(c.user)
		for _, object := range []*map[string]any{&one.Object, &one.OldObject} {
			if *object != nil {
				*object, _ = untyped.Copy(*object).(map[string]any)
				c.mark((*object)["metadata"].(map[string]any))
			}
		}
		out = append(out, one)
	}
	return out
}

// By is the same request of another user.
func (s *System) By(who *user.DefaultInfo) *Request {
	out := s.Request
	out.User = who
	return &out
}

// mark writes into the metadata of an object what it has when the component sends the request.
func (c *controller) mark(metadata map[string]any) {
	if c.owner == "" { // a Pod that ended
		metadata["deletionTimestamp"], metadata["deletionGracePeriodSeconds"] = systemTime, int64(0)
		return
	}
	version := "apps/v1"
	if c.owner == "Job" || c.owner == "CronJob" {
		version = "batch/v1"
	}
	metadata["ownerReferences"] = []any{map[string]any{"apiVersion": version, "kind": c.owner, "name": "a", "uid": uid, "controller": true, "blockOwnerDeletion": true}}
}
