package language_test

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/a-h/templ/lsp/protocol"
	"github.com/preadmit/preadmit/engine/edit/names"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the transcripts")

// TestTranscripts plays the sessions of testdata. The comment of an archive has a step in each
// line, with a place as "before|after"; transcript.txt is what the editor gets.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) < 4 {
		t.Fatalf("%d sessions, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			dir, want := t.TempDir(), -1
			for i, f := range archive.Files {
				if f.Name == "transcript.txt" {
					want = i
					continue
				}
				if err := os.WriteFile(filepath.Join(dir, f.Name), f.Data, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			e := started(t, dir)
			var got strings.Builder
			for step := range strings.Lines(string(archive.Comment)) {
				if step = strings.TrimSpace(step); step != "" && !strings.HasPrefix(step, "#") {
					fmt.Fprintf(&got, "> %s\n%s", step, e.plays(step))
				}
			}
			if want >= 0 && string(archive.Files[want].Data) == got.String() {
				return
			}
			if !*update {
				t.Fatalf("the transcript differs (-update writes it):\n%s", got.String())
			}
			if want < 0 {
				archive.Files, want = append(archive.Files, txtar.File{Name: "transcript.txt"}), len(archive.Files)
			}
			archive.Files[want].Data = []byte(got.String())
			if err := os.WriteFile(file, txtar.Format(archive), 0o666); err != nil {
				t.Fatal(err)
			}
		})
	}
}

// plays makes one step: a verb, a file and a place.
func (e *editor) plays(step string) string {
	verb, rest, _ := strings.Cut(step, " ")
	name, marked, _ := strings.Cut(rest, " ")
	var b strings.Builder
	switch verb {
	case "open":
		e.opens(name)
	case "type": // FILE before|after => text
		marked, with, _ := strings.Cut(marked, " => ")
		before, after, _ := strings.Cut(marked, "|")
		at := strings.Index(e.texts[name], before+after)
		if at < 0 {
			e.t.Fatalf("%s has no %s", name, before+after)
		}
		e.changes(name, at+len(before), at+len(before), with)
	case "problems":
		for _, d := range e.problems(name) {
			fmt.Fprintf(&b, "%s %v [%v] %s\n", places(d.Range), d.Severity, d.Code, indented(d.Message))
			for _, r := range d.RelatedInformation {
				fmt.Fprintf(&b, "  %s %s %s\n", filepath.Base(string(r.Location.URI)), places(r.Location.Range), r.Message)
			}
		}
	case "complete":
		var list protocol.CompletionList
		e.call(protocol.MethodTextDocumentCompletion, protocol.CompletionParams{TextDocumentPositionParams: e.place(name, marked)}, &list)
		for i, item := range list.Items {
			if i == 8 {
				fmt.Fprintf(&b, "and %d more\n", len(list.Items)-i)
				break
			}
			fmt.Fprintf(&b, "%s %v %q %s\n", places(item.TextEdit.TextEdit.Range), item.Kind, item.TextEdit.TextEdit.NewText, item.Detail)
		}
	case "signature":
		var found *protocol.SignatureHelp
		e.call(protocol.MethodTextDocumentSignatureHelp, protocol.SignatureHelpParams{TextDocumentPositionParams: e.place(name, marked)}, &found)
		if found == nil {
			return "nothing\n"
		}
		for _, s := range found.Signatures {
			argument := "no parameter"
			if n := int(found.ActiveParameter); n < len(s.Parameters) {
				argument = s.Parameters[n].Label
			}
			fmt.Fprintf(&b, "%s at %s\n%s\n", s.Label, argument, s.Documentation.(map[string]any)["value"])
		}
	case "hover":
		var found *protocol.Hover
		e.call(protocol.MethodTextDocumentHover, protocol.HoverParams{TextDocumentPositionParams: e.place(name, marked)}, &found)
		if found == nil {
			return "nothing\n"
		}
		fmt.Fprintf(&b, "%s\n%s\n", places(*found.Range), found.Contents.Value)
	case "actions":
		at := e.place(name, marked)
		var found []protocol.CodeAction
		e.call(protocol.MethodTextDocumentCodeAction, protocol.CodeActionParams{TextDocument: at.TextDocument, Range: protocol.Range{Start: at.Position, End: at.Position}, Context: protocol.CodeActionContext{Diagnostics: []protocol.Diagnostic{}}}, &found)
		for _, a := range found {
			fmt.Fprintf(&b, "%s: %s\n", a.Kind, a.Title)
			for _, uri := range slices.Sorted(maps.Keys(a.Edit.Changes)) {
				for _, edit := range a.Edit.Changes[uri] {
					fmt.Fprintf(&b, "  %s %s %q\n", filepath.Base(string(uri)), places(edit.Range), edit.NewText)
				}
			}
		}
	case "symbols":
		var found []protocol.DocumentSymbol
		e.call(protocol.MethodTextDocumentDocumentSymbol, protocol.DocumentSymbolParams{TextDocument: protocol.TextDocumentIdentifier{URI: e.uri(name)}}, &found)
		for _, s := range found {
			fmt.Fprintf(&b, "%s %s: %s\n", places(s.Range), s.Detail, s.Name)
			for _, c := range s.Children {
				fmt.Fprintf(&b, "  %s %s: %s\n", places(c.Range), c.Detail, c.Name)
			}
		}
	default:
		return e.playsNames(verb, name, marked, step)
	}
	return b.String()
}

// playsNames makes a step that is about names, or about what is shown between the lines.
func (e *editor) playsNames(verb, name, marked, step string) string {
	var b strings.Builder
	file := protocol.TextDocumentIdentifier{URI: e.uri(name)}
	switch verb {
	case "definition", "references":
		var found []protocol.Location
		params := map[string]any{"textDocument": file, "position": e.place(name, marked).Position, "context": map[string]any{"includeDeclaration": true}}
		e.call("textDocument/"+verb, params, &found)
		for _, l := range found {
			fmt.Fprintf(&b, "%s %s\n", filepath.Base(string(l.URI)), places(l.Range))
		}
	case "highlight":
		var found []protocol.DocumentHighlight
		e.call(protocol.MethodTextDocumentDocumentHighlight, e.place(name, marked), &found)
		for _, h := range found {
			fmt.Fprintln(&b, places(h.Range))
		}
	case "rename": // FILE before|after => name
		marked, to, _ := strings.Cut(marked, " => ")
		at := e.place(name, marked)
		var can *protocol.Range
		e.call(protocol.MethodTextDocumentPrepareRename, at, &can)
		if can == nil {
			return "cannot be renamed\n"
		}
		var edit protocol.WorkspaceEdit
		if err := protocol.Call(e.t.Context(), e.conn, protocol.MethodTextDocumentRename, protocol.RenameParams{TextDocumentPositionParams: at, NewName: to}, &edit); err != nil {
			return err.Error() + "\n"
		}
		for _, uri := range slices.Sorted(maps.Keys(edit.Changes)) {
			for _, change := range edit.Changes[uri] {
				fmt.Fprintf(&b, "%s %s %q\n", filepath.Base(string(uri)), places(change.Range), change.NewText)
			}
		}
	case "tokens":
		var found protocol.SemanticTokens
		e.call(protocol.MethodSemanticTokensFull, protocol.SemanticTokensParams{TextDocument: file}, &found)
		lines, line, character := strings.Split(e.texts[name], "\n"), uint32(0), uint32(0)
		for t := range slices.Chunk(found.Data, 5) {
			if line += t[0]; t[0] > 0 {
				character = 0
			}
			character += t[1]
			fmt.Fprintf(&b, "%d:%d %s %s\n", line, character, names.Classes[t[3]], string(utf16.Decode(utf16.Encode([]rune(lines[line]))[character:character+t[2]])))
		}
	case "folding":
		var found []protocol.FoldingRange
		e.call(protocol.MethodTextDocumentFoldingRange, protocol.FoldingRangeParams{TextDocumentPositionParams: protocol.TextDocumentPositionParams{TextDocument: file}}, &found)
		for _, f := range found {
			fmt.Fprintf(&b, "%d-%d\n", f.StartLine, f.EndLine)
		}
	case "lenses":
		var found []protocol.CodeLens
		e.call(protocol.MethodTextDocumentCodeLens, protocol.CodeLensParams{TextDocument: file}, &found)
		for _, l := range found {
			fmt.Fprintf(&b, "%d %s\n", l.Range.Start.Line, l.Command.Title)
		}
	case "hints":
		var found []struct {
			Position protocol.Position
			Label    string
		}
		e.call("textDocument/inlayHint", map[string]any{"textDocument": file, "range": protocol.Range{End: protocol.Position{Line: 1000}}}, &found)
		for _, h := range found {
			fmt.Fprintf(&b, "%d:%d %s\n", h.Position.Line, h.Position.Character, h.Label)
		}
	case "command": // FILE NAME argument
		command, argument, _ := strings.Cut(marked, " ")
		arguments := []any{e.uri(name)}
		if argument != "" {
			arguments = append(arguments, argument)
		}
		var said string
		if err := protocol.Call(e.t.Context(), e.conn, protocol.MethodWorkspaceExecuteCommand, protocol.ExecuteCommandParams{Command: command, Arguments: arguments}, &said); err != nil {
			return err.Error() + "\n"
		}
		fmt.Fprintln(&b, strings.TrimSuffix(said, "\n"))
		for _, edit := range e.applied {
			fmt.Fprintln(&b, strings.ReplaceAll(edit, filepath.ToSlash(e.dir), ""))
		}
		e.applied = nil
	case "format": // FILE, or FILE before|after for a range
		params := map[string]any{"textDocument": file, "options": protocol.FormattingOptions{TabSize: 2, InsertSpaces: true}}
		method := protocol.MethodTextDocumentFormatting
		if marked != "" {
			method = protocol.MethodTextDocumentRangeFormatting
			at := e.place(name, marked).Position
			params["range"] = protocol.Range{Start: at, End: at}
		}
		var edits []protocol.TextEdit
		if err := protocol.Call(e.t.Context(), e.conn, method, params, &edits); err != nil {
			return err.Error() + "\n"
		}
		for _, edit := range edits {
			fmt.Fprintf(&b, "%s %q\n", places(edit.Range), edit.NewText)
		}
	default:
		e.t.Fatalf("no step %q", step)
	}
	return b.String()
}

func places(r protocol.Range) string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line, r.Start.Character, r.End.Line, r.End.Character)
}

func indented(text string) string { return strings.ReplaceAll(text, "\n", "\n  ") }
