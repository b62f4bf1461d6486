package request

import (
	"fmt"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/catalog"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
	"github.com/preadmit/preadmit/engine/report/codes"
	"github.com/preadmit/preadmit/engine/scenario"
)

// oldObjectSetting is the setting that holds the old object of a plain object's UPDATE.
const oldObjectSetting = "options.request.oldObject"

// oldObject returns the old object of a plain object's UPDATE: the settings' or the object itself.
func (p *parser) oldObject(texts *scenario.Reader, object map[string]any) map[string]any {
	if p.settings.OldObject == "" {
		p.derived("The old object is the same as the object.")
		return object
	}
	docs, diags := texts.Documents(diag.Request, p.settings.OldObject)
	if len(docs) != 1 || diag.HasErrors(diags) {
		p.diags = append(p.diags, ofOldObject(diag.Error, codes.NotARequest, "", "the old object cannot be read",
			"The old object must be one YAML or JSON document. Correct it, or leave it out to use the object itself."))
		return nil
	}
	p.r.ownOld = true
	switch got, want := KindOf(docs[0].Value), KindOf(object); {
	case got.Kind == "":
		p.diags = append(p.diags, ofOldObject(diag.Error, codes.NotARequest, "", "the old object has no kind",
			fmt.Sprintf("It must be an object like the request's, %s. Correct it, or leave it out to use the object itself.", plain(want))))
		return nil
	case got != want:
		p.diags = append(p.diags, ofOldObject(diag.Warning, codes.KindMismatch, "kind",
			fmt.Sprintf("the old object is %s, but the object is %s", plain(got), plain(want)), "In a real request the two are always the same."))
	}
	return docs[0].Value
}

// ofOldObject returns a problem of the settings' old object, whose path is the field's.
func ofOldObject(severity diag.Severity, code, path, summary, detail string) diag.Diagnostic {
	return diag.Diagnostic{Code: code, Severity: severity, Text: diag.Settings, Path: fieldpath.Join(oldObjectSetting, path), Summary: summary, Detail: detail}
}

// droppedOfOld reports the fields of the settings' old object that the server drops. The request's
// text has no place for them.
func droppedOfOld(dropped []catalog.Problem) (problems []diag.Diagnostic) {
	for _, d := range dropped {
		problems = append(problems, ofOldObject(diag.Warning, codes.UnknownField, d.Path, d.Message, ""))
	}
	return problems
}
