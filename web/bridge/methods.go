package bridge

import (
	"context"
	"encoding/json"
	"fmt"
	"reflect"
)

// Method is a call that the page can make. scripts/protocol generates web/app/protocol.ts from the
// list, so that the page uses these types.
type Method struct {
	Name string
	// Params is the call's parameter type, and Result its result type. A nil pointer becomes null.
	Params, Result reflect.Type

	// answer reads the parameters and the separate texts.
	answer func(ctx context.Context, d *json.Decoder, texts []string) (any, error)
}

// taker are parameters that accept separate texts.
type taker interface {
	// take returns false if there is no such text.
	take(name, text string) bool
}

// Methods are all calls, identified by Name.
var Methods = []Method{
	method("evaluate", evaluate),
	method("render", render),
	method("unfold", unfold),
	method("notes", notes),
	method("repairs", tryRepairs),
	method("object", object),
	method("compare", compare),
	method("picture", drawPicture),
	method("versions", versionRows),
	method("whatIf", whatIf),
	method("limits", searchLimits),
	method("examples", findExamples),
	method("foresee", foresee),
	method("complete", complete),
	method("hover", hover),
	method("functions", functions),
	method("fieldDocs", fieldDocs),
	method("request/form", requestForm),
	method("request/strip", strip),
	method("propose", proposePolicies),
	method("files", files),
	method("open", open),
	method("paste", paste),
	method("fixAll", fixAll),
	method("format", format),
	method("secrets", findSecrets),
	method("answer", answer),
	method("table/read", readTable),
	method("table/run", runTable),
	method("table/case", tableCase),
	method("cases/pin", pin),
	method("cases/run", runCases),
	method("cases/coverage", coverCases),
	method("cases/files", caseFiles),
	method("cases/open", openCases),
}

func method[P, R any](name string, answer func(context.Context, P) (R, error)) Method {
	return Method{
		Name:   name,
		Params: reflect.TypeFor[P](),
		Result: reflect.TypeFor[R](),
		answer: func(ctx context.Context, d *json.Decoder, texts []string) (any, error) {
			var params P
			if err := d.Decode(&params); err != nil {
				return nil, fmt.Errorf("the parameters of %s: %w", name, err)
			}
			for i := 0; i+1 < len(texts); i += 2 {
				if to, ok := any(&params).(taker); !ok || !to.take(texts[i], texts[i+1]) {
					return nil, fmt.Errorf("%s takes no text %q beside its parameters", name, texts[i])
				}
			}
			return answer(ctx, params)
		},
	}
}
