package bridge

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Files is the reply to files: a scenario as it lies on disk.
type Files struct {
	Files map[string]string `json:"files"`
	Txtar string            `json:"txtar"`
}

// files turns a scenario into files, for downloads.
func files(_ context.Context, s scenario.Scenario) (Files, error) {
	list, err := s.Files()
	if err != nil {
		return Files{}, err
	}
	txtar, err := s.Txtar()
	if err != nil {
		return Files{}, err
	}
	out := Files{Files: map[string]string{}, Txtar: string(txtar)}
	for name, content := range list {
		out.Files[name] = string(content)
	}
	return out, nil
}

// Opened is the reply to open.
type Opened struct {
	Scenario scenario.Scenario `json:"scenario"`
	Problems []string          `json:"problems,omitempty"`
	// Manifests says that the files were single manifests and not those of a
	// scenario: Scenario has only the texts that they are.
	Manifests bool `json:"manifests,omitempty"`
}

// open makes a scenario of files that were dropped on the page: a txtar
// archive, the files of a folder by their names, or manifests.
func open(_ context.Context, dropped map[string]string) (Opened, error) {
	var s scenario.Scenario
	var problems []diag.Diagnostic
	if !known(dropped) {
		return Opened{Scenario: sorted(dropped), Manifests: true}, nil
	}
	if archive, ok := dropped["scenario.txtar"]; ok && len(dropped) == 1 {
		s, problems = scenario.FromTxtar([]byte(archive))
	} else {
		list := map[string][]byte{}
		for name, content := range dropped {
			list[name] = []byte(content)
		}
		s, problems = scenario.FromFiles(list)
	}
	out := Opened{Scenario: s}
	for _, p := range problems {
		out.Problems = append(out.Problems, p.Summary)
	}
	return out, nil
}

// known reports whether a file has a name that files of scenarios have.
func known(dropped map[string]string) bool {
	for name := range dropped {
		if name == "scenario.txtar" || slices.Contains(scenario.FileNames(), name) {
			return true
		}
	}
	return false
}

// sorted puts manifests into the texts where their first objects belong.
func sorted(dropped map[string]string) scenario.Scenario {
	var s scenario.Scenario
	for _, name := range slices.Sorted(maps.Keys(dropped)) {
		text := &s.Cluster
		docs, _ := scenario.ParseDocuments(diag.Cluster, dropped[name]) // what cannot be read is told in its place
		switch {
		case len(docs) == 0:
			text = &s.Request
		case strings.HasPrefix(docs[0].APIVersion, "admissionregistration.k8s.io/"):
			text = &s.Policies
		case slices.Contains(clusterKinds, docs[0].Kind):
		case s.Request == "" && len(docs) == 1:
			text = &s.Request
		}
		if *text != "" {
			*text = strings.TrimRight(*text, "\n") + "\n---\n"
		}
		*text += dropped[name]
	}
	return s
}

// clusterKinds are the kinds that policies look up and nobody sends to try one.
var clusterKinds = []string{"Namespace", "CustomResourceDefinition", "WebhookResponse", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding"}
