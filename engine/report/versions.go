package report

// Versions compares one scenario on every Kubernetes version. Package versions builds it from their
// reports.
type Versions struct {
	// Rows has one entry for each version, oldest first.
	Rows []VersionRow `json:"rows"`
	// Groups joins adjacent versions with the same result.
	Groups []VersionGroup `json:"groups"`
}

// VersionRow is one version's result for the scenario.
type VersionRow struct {
	// Version is the minor version, such as "1.37".
	Version string `json:"version"`
	// Verdict is admitted, mutated (and admitted), denied, undecided or "no request". Code, Reason
	// and Message are the Outcome's.
	Verdict string `json:"verdict"`
	Code    int    `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Refused are the documents that cannot be created on this version.
	Refused []RefusedDocument `json:"refused,omitempty"`
	// Cost is the total cost of all expressions, in CEL cost units.
	Cost int64 `json:"cost"`
	// Differs lists differences from the previous version: outcome, refusal, warning, annotation,
	// step, error, object, cost. It is empty for the oldest version.
	Differs []string `json:"differs,omitempty"`
	// Reasons explain them. A consequence of another difference has no reason of its own.
	Reasons []VersionReason `json:"reasons,omitempty"`
}

// VersionReason is a change between two versions that makes a difference here.
type VersionReason struct {
	// Since is the first version with the change.
	Since string `json:"since"`
	Text  string `json:"text"`
	// Explains names the resulting differences.
	Explains []string `json:"explains,omitempty"`
}

// RefusedDocument is a rejected document, with the server's text.
type RefusedDocument struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Message string `json:"message"`
}

// VersionGroup is a run of versions without a difference, From and To included. The other fields
// are those of the versions' rows; Refused counts documents.
type VersionGroup struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Verdict string `json:"verdict"`
	Refused int    `json:"refused"`
	Cost    int64  `json:"cost"`
}
