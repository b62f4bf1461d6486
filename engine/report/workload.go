package report

// Workload is the verdict on the last request that a controller makes for an object: the one for a
// Pod, or an earlier one that the server rejects.
type Workload struct {
	Made
	// Before lists the admitted objects that come first, in order: the ReplicaSet of a Deployment, the
	// Job of a CronJob, the claims of a StatefulSet.
	Before []Made `json:"before,omitempty"`
}

// Made is an object that a controller creates, with the verdict on it.
type Made struct {
	Kind    string         `json:"kind"`             // such as Pod
	User    string         `json:"user"`             // the controller's account
	Object  map[string]any `json:"object,omitempty"` // as the server would store it
	Outcome Outcome        `json:"outcome"`          // the controller's response
	Steps   []Step         `json:"steps"`            // what ran for it, in order
}

// Name begins a sentence about the object: "Its Pods", "Its ReplicaSet".
func (m *Made) Name() string {
	switch m.Kind {
	case "Pod", "PersistentVolumeClaim":
		return "Its " + m.Kind + "s"
	}
	return "Its " + m.Kind
}
