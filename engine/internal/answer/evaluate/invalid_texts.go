package evaluate

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/preadmit/preadmit/engine/diag"
	"github.com/preadmit/preadmit/engine/internal/kube/untyped"
	"github.com/preadmit/preadmit/engine/internal/lazy"
	"github.com/preadmit/preadmit/engine/internal/repair/objecttext"
	"github.com/preadmit/preadmit/engine/internal/text/fieldpath"
)

// longestLabel is how many characters a label's value may have.
const longestLabel = 63

// notInValue is what no label's value has in it.
var notInValue = lazy.Regexp{Text: `[^A-Za-z0-9_.-]+`}

// trackingKeys are the labels into which Helm writes the name of a release, and Argo CD that of an application.
var trackingKeys = []string{"app.kubernetes.io/instance", "argocd.argoproj.io/instance"}

// labelValue explains a value that no label may have, and writes an allowed one wherever labels have it.
func (e *Evaluation) labelValue(d *diag.Diagnostic, cause metav1.StatusCause, texts []string) {
	sent, ok := e.Sent()
	var value string
	if json.Unmarshal([]byte(texts[1]), &value) != nil || !ok {
		return
	}
	all := labelsWith(nil, sent.Value, value)
	if len(all) == 0 {
		return
	}
	at := all[0]
	for _, path := range all { // the server's path of a template's labels leaves out metadata
		if strings.ReplaceAll(path.Parent().String(), "template.metadata.", "template.") == cause.Field {
			at = path
		}
	}
	d.Path = sent.Path(at.String())
	d.Span = sent.Document.Locate(d.Path)
	d.Detail = wrongLabel(at.Last(), value)
	if meant := asLabel(value); meant != "" {
		d.Fixes = sent.Fix("Change to "+meant, func(object map[string]any) {
			for _, path := range all {
				path.Set(object, meant)
			}
		})
	}
	if at.Parent().String() == "metadata.labels" {
		d.Fixes = append(d.Fixes, sent.Fix("Make it an annotation", func(object map[string]any) {
			at.Remove(object)
			untyped.Child(untyped.Child(object, "metadata"), "annotations")[at.Last()] = value
		})...)
	}
}

// selectorValue explains the value of a selector that no label may have.
func (e *Evaluation) selectorValue(d *diag.Diagnostic, cause metav1.StatusCause, _ []string) {
	sent, _ := e.Sent()
	wanted, _ := fieldpath.Parse(cause.Field).Child("matchLabels").Get(sent.Value)
	labels, _ := wanted.(map[string]any)
	for _, key := range slices.Sorted(maps.Keys(labels)) {
		if text, ok := labels[key].(string); ok && asLabel(text) != text {
			e.labelValue(d, cause, []string{"", shown(text)})
			return
		}
	}
}

// wrongLabel says why a label may not have a value, and what is usually done about it.
func wrongLabel(key, value string) string {
	said := fmt.Sprintf("A label's value has at most %d characters, and this one has %d.", longestLabel, len(value))
	switch wrong := notInValue.FindString(value); {
	case wrong != "":
		said = fmt.Sprintf("A label's value has letters, digits, '-', '_' and '.' only, and label %s has %q.", key, wrong)
	case len(value) <= longestLabel:
		said = fmt.Sprintf("A label's value begins and ends with a letter or digit. Label %s does not: a name that is cut off often ends with '-'.", key)
	}
	switch {
	case slices.Contains(trackingKeys, key):
		said += " Helm writes the release's name into this label, and Argo CD its application's, to find what it manages. Shorten that name, or let Argo CD track by annotation: application.resourceTrackingMethod in argocd-cm."
	case strings.Contains(value, "+"):
		said += ` Charts write a version's + as _: {{ .Chart.Version | replace "+" "_" }}.`
	default:
		said += " An annotation may have any text."
	}
	return said
}

// asLabel is the label's value that is nearest to a text.
func asLabel(text string) string {
	text, _, _ = strings.Cut(text, "@sha256:") // of an image: its tag says enough
	text = notInValue.ReplaceAllString(strings.ReplaceAll(text, "+", "_"), "-")
	return strings.Trim(text[:min(len(text), longestLabel)], "-_.")
}

// labelsWith are the labels with a value, of an object and below, and those that selectors want.
func labelsWith(path fieldpath.Path, value any, wanted string) (out []fieldpath.Path) {
	switch value := value.(type) {
	case []any:
		for i, item := range value {
			out = append(out, labelsWith(path.Index(i), item, wanted)...)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			if slices.Contains([]string{"labels", "matchLabels", "selector", "nodeSelector"}, path.Last()) && value[key] == wanted {
				out = append(out, path.Child(key))
			}
			out = append(out, labelsWith(path.Child(key), value[key], wanted)...)
		}
	}
	return out
}

// shorten offers a shorter text, cut between words.
func shorten(d *diag.Diagnostic, sent objecttext.Object, path fieldpath.Path, limit string) {
	text := fieldpath.As[string](path.Get(sent.Value))
	most, err := strconv.Atoi(limit)
	if err != nil || len(text) <= most {
		return
	}
	d.Detail = fmt.Sprintf("The text has %d characters.", len(text))
	short := text[:most]
	if i := strings.LastIndexAny(short, "-."); i > most/3 && text[most] != '-' {
		short = short[:i]
	}
	d.Fixes = set(sent, path, strings.TrimRight(short, "-."))
}

// schedule explains a schedule that does not have five fields, and adds or removes one.
func (e *Evaluation) schedule(d *diag.Diagnostic, cause metav1.StatusCause, _ []string) {
	d.Detail = "A schedule has five fields: minute, hour, day of the month, month and day of the week. It has none for seconds or years."
	sent, _ := e.Sent()
	path := fieldpath.Parse(cause.Field)
	value, _ := path.Get(sent.Value)
	text, _ := value.(string)
	switch fields := strings.Fields(text); len(fields) {
	case 4:
		d.Fixes = set(sent, path, text+" *")
	case 6: // Quartz and others begin with seconds
		d.Fixes = set(sent, path, strings.Join(fields[1:], " "))
	}
}

// set is the repair that writes a value into a field.
func set(sent objecttext.Object, path fieldpath.Path, value any) []diag.Fix {
	return sent.Fix(fmt.Sprintf("Change to %v", value), func(object map[string]any) { path.Set(object, value) })
}
