// The side-by-side diff of two YAML texts. A module of its own, because few
// visits need it.

import { MergeView } from "@codemirror/merge";
import { syntaxHighlighting } from "@codemirror/language";
import { EditorState, type Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { yaml } from "@codemirror/lang-yaml";

import { editorTheme, highlighting } from "./editor-theme.ts";

export function mergeView(host: HTMLElement, before: string, after: string): void {
  const root = host.attachShadow({ mode: "open" });
  const extensions = (label: string): Extension[] => [
    yaml(),
    syntaxHighlighting(highlighting),
    editorTheme,
    EditorState.readOnly.of(true),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
  ];
  new MergeView({
    a: { doc: before, extensions: extensions("Before admission") },
    b: { doc: after, extensions: extensions("After admission") },
    root,
    parent: root,
    collapseUnchanged: { margin: 3, minSize: 6 },
  });
}
