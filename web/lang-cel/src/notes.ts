// What the engine found, drawn beside and under the text: results and costs at
// the ends of lines, the part that failed, parts that were never evaluated, and
// values on hover. Notes move with the text while it is edited, and are replaced
// when a new result comes.
//
// Positions are UTF-16 units.

import {
  StateEffect,
  StateField,
  type EditorState,
  type Extension,
  type Range,
  type Transaction,
} from "@codemirror/state";
import { Decoration, EditorView, hoverTooltip, WidgetType, type DecorationSet, type Tooltip } from "@codemirror/view";

/** How a note is meant; the theme gives each its colour, the text says it too. */
export type Tone = "ok" | "bad" | "warn" | "error" | "muted";

/** A note at the end of a line: a result and its cost. */
export interface LineNote {
  kind: "line";
  from: number;
  to: number;
  /** The line, from 1; the line of `to` if absent. */
  line?: number;
  text: string;
  tone: Tone;
}

/** An underlined part: the one that failed. */
export interface MarkNote {
  kind: "mark";
  from: number;
  to: number;
  text?: string;
  tone: Tone;
}

/** A part that was never evaluated. */
export interface UnevaluatedNote {
  kind: "unevaluated";
  from: number;
  to: number;
}

/** A value that shows when the pointer rests on the part. */
export interface ValueNote {
  kind: "value";
  from: number;
  to: number;
  /** One line for each value, the value first: `3 int · cost 2`. */
  text: string;
}

export type Note = LineNote | MarkNote | UnevaluatedNote | ValueNote;

interface Notes {
  decorations: DecorationSet;
  /** Values by the part they belong to; positions follow the edits. */
  values: DecorationSet;
}

const setNotesEffect = StateEffect.define<readonly Note[]>();

/** The transaction that shows these notes instead of those shown so far. */
export function setNotes(notes: readonly Note[]): { effects: StateEffect<readonly Note[]> } {
  return { effects: setNotesEffect.of(notes) };
}

const none: Notes = { decorations: Decoration.none, values: Decoration.none };

/** Whether a transaction puts another text in the place of the whole: no note is about that. */
function replacesAll(tr: Transaction): boolean {
  let all = false;
  tr.changes.iterChangedRanges((from, to) => {
    all ||= from == 0 && to == tr.startState.doc.length && to > 0;
  });
  return all;
}

const notesField = StateField.define<Notes>({
  create: () => none,
  update(shown, tr) {
    for (const effect of tr.effects) if (effect.is(setNotesEffect)) return drawn(tr.state, effect.value);
    if (!tr.docChanged) return shown;
    if (replacesAll(tr)) return none;
    return { decorations: shown.decorations.map(tr.changes), values: shown.values.map(tr.changes) };
  },
  provide: (field) => EditorView.decorations.from(field, (notes) => notes.decorations),
});

/** The notes as decorations. Parts outside the text are left out: it has changed since. */
function drawn(state: EditorState, notes: readonly Note[]): Notes {
  const decorations: Range<Decoration>[] = [],
    values: Range<Decoration>[] = [];
  const byLine = new Map<number, LineNote[]>();
  for (const note of notes) {
    if (note.from < 0 || note.to > state.doc.length || note.from > note.to) continue;
    if (note.kind == "line") {
      const line = note.line ?? lastLine(state, note);
      if (line >= 1 && line <= state.doc.lines) byLine.set(line, [...(byLine.get(line) ?? []), note]);
    } else if (note.from < note.to) {
      if (note.kind == "value") values.push(Decoration.mark({ note }).range(note.from, note.to));
      else decorations.push(markOf(note).range(note.from, note.to));
    }
  }
  for (const [line, list] of byLine) {
    decorations.push(Decoration.widget({ widget: new LineEnd(list), side: 1 }).range(state.doc.line(line).to));
  }
  return { decorations: Decoration.set(decorations, true), values: Decoration.set(values, true) };
}

/** The line that a part ends in; a block scalar ends behind the break of its last line. */
function lastLine(state: EditorState, { from, to }: { from: number; to: number }): number {
  const text = state.sliceDoc(from, to);
  return state.doc.lineAt(from + text.trimEnd().length).number;
}

function markOf(note: MarkNote | UnevaluatedNote): Decoration {
  if (note.kind == "unevaluated")
    return Decoration.mark({ class: "cm-celUnevaluated", attributes: { title: "not evaluated" } });
  return Decoration.mark({
    class: `cm-celMark cm-cel-${note.tone}`,
    ...(note.text ? { attributes: { title: note.text } } : {}),
  });
}

/** The notes of one line, after its end. */
class LineEnd extends WidgetType {
  constructor(readonly notes: readonly LineNote[]) {
    super();
  }

  override eq(other: LineEnd): boolean {
    return (
      this.notes.length == other.notes.length &&
      this.notes.every((note, i) => note.text == other.notes[i]?.text && note.tone == other.notes[i]?.tone)
    );
  }

  /** Lets the editor handle a click: a page may lead to the result. */
  override ignoreEvent(): boolean {
    return false;
  }

  toDOM(): HTMLElement {
    const dom = document.createElement("span");
    dom.className = "cm-celLineNotes";
    for (const note of this.notes) {
      const part = document.createElement("span");
      part.className = `cm-celLineNote cm-cel-${note.tone}`;
      part.textContent = note.text;
      dom.append(part);
    }
    return dom;
  }
}

/** The values of the smallest part around a position; null where there is none. */
export function valueAt(state: EditorState, pos: number): ValueNote | null {
  let best: ValueNote | null = null;
  state.field(notesField, false)?.values.between(pos, pos, (from, to, value) => {
    if (!best || to - from < best.to - best.from) best = { ...value.spec.note, from, to };
  });
  return best;
}

const valueTooltip = hoverTooltip((view, pos): Tooltip | null => {
  const value = valueAt(view.state, pos);
  if (!value) return null;
  return {
    pos: value.from,
    end: value.to,
    above: true,
    create: () => {
      const dom = document.createElement("div");
      dom.className = "cm-celValue";
      for (const line of value.text.split("\n")) dom.appendChild(document.createElement("div")).textContent = line;
      return { dom };
    },
  };
});

/**
 * How notes look. Colours are custom properties of the page with fallbacks; the
 * theme becomes a constructable style sheet, so no inline style is needed.
 */
const notesTheme = EditorView.baseTheme({
  ".cm-celLineNotes": {
    paddingInlineStart: "2ch",
    userSelect: "none",
    display: "inline-block",
    maxWidth: "100%",
    boxSizing: "border-box",
    overflowWrap: "anywhere",
  },
  ".cm-celLineNote": { opacity: "0.9", fontSize: "0.92em" },
  ".cm-celLineNote + .cm-celLineNote::before": { content: '" · "' },
  ".cm-cel-ok": { color: "var(--cel-ok, #1a7f37)" },
  ".cm-cel-bad": { color: "var(--cel-bad, #b42318)" },
  ".cm-cel-warn": { color: "var(--cel-warn, #8a5a00)" },
  ".cm-cel-error": { color: "var(--cel-error, #8e2f9e)" },
  ".cm-cel-muted": { color: "var(--cel-muted, #667085)" },
  "&dark .cm-cel-ok": { color: "var(--cel-ok, #56d364)" },
  "&dark .cm-cel-bad": { color: "var(--cel-bad, #ff8b80)" },
  "&dark .cm-cel-warn": { color: "var(--cel-warn, #e3b341)" },
  "&dark .cm-cel-error": { color: "var(--cel-error, #d2a8ff)" },
  "&dark .cm-cel-muted": { color: "var(--cel-muted, #98a2b3)" },
  ".cm-celMark": {
    color: "inherit !important",
    textDecorationLine: "underline",
    textDecorationStyle: "wavy",
    textDecorationSkipInk: "none",
    textUnderlineOffset: "3px",
  },
  // An expression that is false is no mistake: it gets another line than one that fails.
  ".cm-celMark.cm-cel-bad": {
    textDecoration: "underline solid var(--cel-bad, #d92d20) 2px",
    textUnderlineOffset: "4px",
  },
  ".cm-celMark.cm-cel-error": { textDecorationColor: "var(--cel-error, #8e2f9e)" },
  ".cm-celMark.cm-cel-warn": { textDecorationColor: "var(--cel-warn, #b54708)" },
  ".cm-celUnevaluated": { backgroundColor: "var(--cel-unevaluated, rgba(127, 127, 127, 0.16))", opacity: "0.75" },
  ".cm-celValue, .cm-celHover": {
    padding: "4px 8px",
    maxWidth: "60ch",
    whiteSpace: "pre-wrap",
    overflowWrap: "anywhere",
  },
  ".cm-celDoc p": { margin: "4px 0 0" },
});

/** Shows the notes that `setNotes` sets. */
export function notes(): Extension {
  return [notesField, valueTooltip, notesTheme];
}
