package eval

import (
	"fmt"
	"strings"

	celconfig "k8s.io/apiserver/pkg/apis/cel"
)

// MaxMessageBytes is the longest message that a messageExpression may give.
const MaxMessageBytes = celconfig.MaxEvaluatedMessageExpressionSizeBytes

// MessageText is the text that a messageExpression gave, and why the server does
// not use it.
func MessageText(result Result) (text, why string) {
	if result.Value == nil {
		return "", "it fails"
	}
	text, _ = result.Value.Value().(string)
	text = strings.TrimSpace(text)
	switch {
	case text == "":
		why = "it is empty"
	case len(text) > MaxMessageBytes:
		why = fmt.Sprintf("it has more than %d bytes", MaxMessageBytes)
	case strings.Contains(text, "\n"):
		why = "it has a line break"
	default:
		return text, ""
	}
	return "", why
}
