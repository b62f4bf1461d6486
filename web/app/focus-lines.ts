// Lines in focus: those are marked, the others are quieter, and what is far from
// them is folded away until the reader asks for it. Lines that are pointed at are
// only marked.

import { foldEffect } from "@codemirror/language";
import { StateEffect, StateField, type EditorState, type Text } from "@codemirror/state";
import { Decoration, EditorView, type DecorationSet } from "@codemirror/view";

/** How many lines around those in focus are not folded. */
const AROUND = 2;

const inFocus = Decoration.line({ class: "cm-inFocus" });
const pointed = Decoration.line({ class: "cm-pointed" });
const aside = Decoration.line({ class: "cm-aside" });

/** Whether a line, counted from 1, is at most so many lines from one of the ranges. */
function near(ranges: readonly [number, number][], line: number, distance: number): boolean {
  return ranges.some(([first, last]) => line >= first - distance && line <= last + distance);
}

function marks(doc: Text, ranges: readonly [number, number][]): DecorationSet {
  const list = Array.from({ length: doc.lines }, (_, i) =>
    (near(ranges, i + 1, 0) ? inFocus : aside).range(doc.line(i + 1).from),
  );
  return Decoration.set(list);
}

/** The parts of a text that are far from the lines in focus. */
export function farParts(doc: Text, ranges: readonly [number, number][]): { from: number; to: number }[] {
  const parts: { from: number; to: number }[] = [];
  let start: number | undefined;
  for (let n = 1; n <= doc.lines + 1; n++) {
    const far = n <= doc.lines && !near(ranges, n, AROUND);
    if (far) start ??= n;
    else if (start !== undefined) {
      const [from, to] = [doc.line(start).from, doc.line(n - 1).to];
      if (n - start > 1) parts.push({ from, to }); // a single line is as short as its mark
      start = undefined;
    }
  }
  return parts;
}

const setMarks = StateEffect.define<DecorationSet>();

/** The lines that are marked. */
export const markedLines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update: (set, { changes, effects }) => effects.find((e) => e.is(setMarks))?.value ?? set.map(changes),
  provide: (field) => EditorView.decorations.from(field),
});

/** What makes an editor show these lines. */
export function focusEffects({ doc }: EditorState, ranges: readonly [number, number][]): StateEffect<unknown>[] {
  return [setMarks.of(marks(doc, ranges)), ...farParts(doc, ranges).map((part) => foldEffect.of(part))];
}

/** What makes an editor tint the lines between two positions; none of them without positions. */
export function pointEffect({ doc }: EditorState, from = 0, to = from): StateEffect<unknown> {
  const lines = [];
  for (let at = from; at < Math.min(to, doc.length); at = doc.lineAt(at).to + 1)
    lines.push(pointed.range(doc.lineAt(at).from));
  return setMarks.of(Decoration.set(lines));
}
