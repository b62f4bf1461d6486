package report

// Versions is one scenario on every Kubernetes version, made by package
// versions from the reports of all of them.
type Versions struct {
	// Rows has one entry for each version, oldest first.
	Rows []VersionRow `json:"rows"`
	// Groups joins neighbouring versions that give the same in everything.
	Groups []VersionGroup `json:"groups"`
}

// VersionRow is what one version makes of the scenario.
type VersionRow struct {
	// Version is the minor version, such as "1.37".
	Version string `json:"version"`
	// Verdict is admitted, mutated (and admitted), denied, undecided or "no request". Code,
	// Reason and Message are those of the Outcome.
	Verdict string `json:"verdict"`
	Code    int    `json:"code,omitempty"`
	Reason  string `json:"reason,omitempty"`
	Message string `json:"message,omitempty"`
	// Refused are the documents that cannot be created on this version.
	Refused []RefusedDocument `json:"refused,omitempty"`
	// Cost is what all expressions cost together, in CEL cost units.
	Cost int64 `json:"cost"`
	// Differs says what is not as on the version before: outcome, refusal,
	// warning, annotation, step, error, object, cost. Empty for the oldest
	// version.
	Differs []string `json:"differs,omitempty"`
	// Reasons say why. A consequence of another difference has no reason of its
	// own.
	Reasons []VersionReason `json:"reasons,omitempty"`
}

// VersionReason is a change between two versions that makes a difference here.
type VersionReason struct {
	// Since is the version from which it is so.
	Since string `json:"since"`
	Text  string `json:"text"`
	// Explains names what is different because of it.
	Explains []string `json:"explains,omitempty"`
}

// RefusedDocument is a document that the server does not create, with the
// server's text.
type RefusedDocument struct {
	Kind    string `json:"kind"`
	Name    string `json:"name"`
	Message string `json:"message"`
}

// VersionGroup is a run of versions without a difference, From and To included.
// The rest is as in the rows of these versions; Refused counts documents.
type VersionGroup struct {
	From    string `json:"from"`
	To      string `json:"to"`
	Verdict string `json:"verdict"`
	Refused int    `json:"refused"`
	Cost    int64  `json:"cost"`
}
