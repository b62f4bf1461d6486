package cli

import (
	"cmp"
	"slices"
	"strings"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/report/codes"
)

// SARIF 2.1.0 (OASIS), as far as code scanning reads it.
type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool    sarifTool     `json:"tool"`
	Results []sarifResult `json:"results"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"semanticVersion,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID               string    `json:"id"`
	ShortDescription sarifText `json:"shortDescription"`
	FullDescription  sarifText `json:"fullDescription"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifResult struct {
	RuleID    string          `json:"ruleId"`
	Level     string          `json:"level"`
	Message   sarifText       `json:"message"`
	Locations []sarifLocation `json:"locations"`
}

type sarifLocation struct {
	Physical sarifPhysical `json:"physicalLocation"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn"`
}

const sarifSchema = "https://json.schemastore.org/sarif-2.1.0.json"

// sarifOf writes checks as one run. A problem on several versions is one result.
func sarifOf(list []checkOf) sarifLog {
	run := sarifRun{Tool: sarifTool{sarifDriver{Name: "preadmit", Rules: []sarifRule{}}}, Results: []sarifResult{}}
	seen := map[string]bool{}
	for _, c := range list {
		for _, d := range c.Diagnostics {
			if seen[d.String()] {
				continue
			}
			seen[d.String()] = true
			run.Results = append(run.Results, sarifResultOf(d))
			if entry, ok := codes.Find(d.Code); ok && !slices.ContainsFunc(run.Tool.Driver.Rules, func(r sarifRule) bool { return r.ID == d.Code }) {
				run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{d.Code, sarifText{entry.Title}, sarifText{entry.Meaning}})
			}
		}
	}
	return sarifLog{Schema: sarifSchema, Version: "2.1.0", Runs: []sarifRun{run}}
}

// annotationsOf writes the results as GitHub workflow commands, each with its code as the title.
func annotationsOf(run sarifRun) string {
	var b strings.Builder
	for _, r := range run.Results {
		level := map[string]string{"note": "notice"}[r.Level]
		place := r.Locations[0].Physical
		b.WriteString(annotation(cmp.Or(level, r.Level), place.Artifact.URI, place.Region.StartLine, r.RuleID, r.Message.Text))
	}
	return b.String()
}

func sarifResultOf(d diag.Diagnostic) sarifResult {
	level := map[diag.Severity]string{diag.Error: "error", diag.Warning: "warning", diag.Info: "note"}[d.Severity]
	message := d.Summary
	if d.Detail != "" {
		message += "\n" + d.Detail
	}
	return sarifResult{RuleID: d.Code, Level: level, Message: sarifText{message}, Locations: []sarifLocation{{sarifPhysical{
		Artifact: sarifArtifact{d.File}, Region: sarifRegion{StartLine: max(d.Line, 1), StartColumn: max(d.Column, 1)},
	}}}}
}
