// Wrapped lines continue at their own indent. In YAML the indent has a meaning, so a second row at
// the left edge would look like another level.

import type { Extension, Range } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet, type ViewUpdate } from "@codemirror/view";

/** Deeper lines hang as this many characters; so much narrower is the text. */
const DEEPEST = 24;

const ROWS = Array.from({ length: DEEPEST + 1 }, (_, n) => Decoration.line({ class: `cm-hang-${String(n)}` }));

/** How far the rows after the first are in, in characters: the indent, and the dash of an item. */
export function hangOf(line: string): number {
  return Math.min(/^ *(?:- +)*/.exec(line)?.[0].length ?? 0, DEEPEST);
}

const rows = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = visible(view);
    }
    update(update: ViewUpdate): void {
      if (update.docChanged || update.viewportChanged) this.decorations = visible(update.view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function visible(view: EditorView): DecorationSet {
  const found: Range<Decoration>[] = [];
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      const line = view.state.doc.lineAt(at);
      const row = ROWS[hangOf(line.text.slice(0, 2 * DEEPEST))];
      if (row !== undefined) found.push(row.range(line.from));
      at = line.to + 1;
    }
  }
  return Decoration.set(found);
}

export const hangingLines: Extension = [
  rows,
  // Only notes have an indent of their own, as blocks would begin over the text before them. Text has
  // none: where a selection is typed over, a browser would keep it as an inline style, which the page's
  // policy forbids.
  EditorView.theme({
    ...Object.fromEntries(
      ROWS.map((_, n) => [
        `.cm-line.cm-hang-${String(n)}`,
        { paddingLeft: `calc(${String(n)}ch + 0.25rem)`, textIndent: `-${String(n)}ch` },
      ]),
    ),
    ".cm-line .cm-celLineNotes": { textIndent: "0" },
  }),
];
