package evaluate

import (
	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/scenario"
)

// Texts are those of the scenario, by the names that spans use.
func (e *Evaluation) Texts() map[diag.Text]string {
	return map[diag.Text]string{
		diag.Policies:   e.Scenario.Policies,
		diag.Request:    e.Scenario.Request,
		diag.Cluster:    e.Scenario.Cluster,
		diag.Expression: e.Scenario.Expression,
	}
}

// Parsed are the documents of a text, as they were read for this run.
func (e *Evaluation) Parsed(text diag.Text) []*scenario.Document {
	if docs, ok := e.Compiled.Documents[text]; ok {
		return docs
	}
	if _, read := e.documents[text]; !read && text == diag.Request {
		docs, _ := e.Store.Texts.Documents(text, e.Scenario.Request) // its problems are in the report already
		e.KeepDocuments(text, docs)
	}
	return e.documents[text]
}

// KeepDocuments keeps the documents of a text for this run.
func (e *Evaluation) KeepDocuments(text diag.Text, docs []*scenario.Document) {
	if e.documents == nil {
		e.documents = map[diag.Text][]*scenario.Document{}
	}
	e.documents[text] = docs
}
