// One text editor. CodeMirror mounts its styles in the shadow root of the host
// as constructed style sheets; in the document itself it would need a <style>
// element, which the Content-Security-Policy forbids.

import { defaultKeymap, history, historyKeymap, isolateHistory, undo } from "@codemirror/commands";
import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
  completionStatus,
} from "@codemirror/autocomplete";
import {
  bracketMatching,
  codeFolding,
  foldGutter,
  foldKeymap,
  indentOnInput,
  indentUnit,
  syntaxHighlighting,
} from "@codemirror/language";
import { lintGutter, setDiagnostics } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import {
  Annotation,
  Compartment,
  EditorSelection,
  EditorState,
  type Extension,
  type Text,
  type Transaction,
} from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  placeholder,
  type Rect,
  type ViewUpdate,
} from "@codemirror/view";

import { notes, setNotes, type Note } from "@preadmit/lang-cel";

import { whenDrawn, whenIdle, whenSeen } from "./dom.ts";
import { editorTheme, highlighting } from "./editor-theme.ts";
import { hangingLines } from "./hanging-lines.ts";
import { focusEffects, markedLines, pointEffect } from "./focus-lines.ts";
import { Offsets } from "./offsets.ts";
import { indentWithTab, LEAVING, leaving } from "./leaving.ts";
import { lintOf, type ProblemActions } from "./problem-lint.ts";
import type { Diagnostic, Span } from "./protocol.ts";
import { foldServerFields, serverParts } from "./server-fields.ts";

/** Marks changes that the page made itself, not the user. */
const ours = Annotation.define<boolean>();

/** Where the verdict stays at the top of the screen, over the texts (styles/phone.css). */
const PHONE = window.matchMedia("(max-width: 56rem)");

/** The narrowest explanation of a suggestion that is readable, in pixels. */
const READABLE = 200;

/** Keeps what explains a suggestion in one place, whichever it is: beside the list, or below it where there is no room. */
function positionInfo(
  _view: EditorView,
  list: Rect,
  _option: Rect,
  _info: Rect,
  space: Rect,
): { style: string; class: string } {
  const [left, right] = [list.left - space.left, space.right - list.right];
  const below = Math.max(left, right) < READABLE;
  const side = right < READABLE && !below ? "left" : "right";
  const top = below ? list.bottom - list.top : 0;
  const width = below ? space.right - list.left : side === "left" ? left : right;
  return {
    style: `top: ${top}px; max-width: ${Math.min(400, width)}px`,
    class: `cm-completionInfo-${side}${below ? "-narrow" : ""}`,
  };
}

/** Up to this length a text counts as seen as a whole, in UTF-16 units. */
const SHORT = 20_000;

export interface EditorOptions {
  host: HTMLElement;
  /** What a screen reader calls it. */
  label: string;
  text: string;
  /** Shown while there is no text. */
  hint: string;
  /** The language; another may take its place. */
  language: Extension;
  /** What helps with it. */
  help?: Extension;
  readOnly?: boolean;
  /** While the editor is not on the screen it is not made before that, unless it is needed. */
  later?: Promise<void>;
  /** Called when the reader asks for the result of what is at an offset, in bytes. */
  onResult?(offset: number): void;
  /** Called when the cursor is elsewhere, with its offset in bytes. */
  onCursor?(offset: number): void;
  /** Called when the reader sees another part of the text. */
  onSight?(): void;
  /**
   * Called for each change by the user, with the text as it is after it; pasted distinguishes a paste from
   * typing, of which it is called before the editor has drawn it.
   */
  onChange(pasted: boolean): void;
  /** Called after a paste, before onChange. */
  onPaste?(paste: PastedText): void;
}

/** A paste: the text before it, what was pasted, and what is around it now. */
export interface PastedText {
  was: string;
  before: string;
  text: string;
  after: string;
}

export class Editor {
  readonly #options: EditorOptions;
  readonly #language = new Compartment();
  readonly #history = new Compartment();
  /** Made when it is first needed, else in tasks of its own: four at once would be a long one. */
  #made: EditorView | undefined;
  /** The state that it will begin with, made in a task before. */
  #prepared: { text: string; state: EditorState } | undefined;
  /** What it is to show of a result once it is made. */
  readonly #pending = new Map<"problems" | "notes", (view: EditorView) => void>();
  /** The text until then. */
  #text: string;
  #offsets: { text: string; offsets: Offsets } | undefined;
  /** What the view is about to show: a key was pressed. */
  #typed: Text | undefined;
  /** The text of a document of the view, which never changes: putting it together takes long. */
  #flat: { doc: Text; text: string } | undefined;
  /** The problems that are shown, and the text that they are of. */
  #problems: { list: readonly Diagnostic[]; doc: Text } | undefined;

  constructor(options: EditorOptions) {
    this.#options = options;
    this.#text = options.text;
    if (options.host.checkVisibility()) whenDrawn(() => this.#prepare());
    else {
      whenSeen(options.host, () => void this.#view);
      void (options.later ?? Promise.resolve()).then(() => whenIdle(() => this.#prepare()));
    }
  }

  /** Makes it in two tasks. */
  #prepare(): void {
    if (this.#made !== undefined) return;
    this.#prepared = { text: this.#text, state: this.#state() };
    setTimeout(() => void this.#view);
  }

  get #view(): EditorView {
    if (this.#made === undefined) {
      this.#made = this.#make();
      for (const show of this.#pending.values()) show(this.#made);
      this.#pending.clear();
    }
    return this.#made;
  }

  #make(): EditorView {
    const { host } = this.#options;
    const root = host.shadowRoot ?? host.attachShadow({ mode: "open" });
    // Once the view is known: what an editor begins with may be an object of a running cluster.
    queueMicrotask(() => this.#foldServer());
    const prepared = this.#prepared;
    this.#prepared = undefined;
    const state = prepared?.text === this.#text ? prepared.state : this.#state();
    const dispatchTransactions = (all: readonly Transaction[], view: EditorView): void => {
      try {
        this.#tell(all);
        view.update(all);
      } finally {
        this.#typed = undefined;
      }
    };
    return new EditorView({ root, parent: root, state, dispatchTransactions });
  }

  /** Tells of what was typed before it is drawn, which takes as long as a small answer. */
  #tell(all: readonly Transaction[]): void {
    if (!isChange(all) || isWhole(all)) return;
    this.#typed = all.at(-1)?.newDoc;
    this.#options.onChange(false);
  }

  /** What the view begins with. */
  #state(): EditorState {
    const options = this.#options;
    return EditorState.create({
      doc: this.#text,
      extensions: [
        this.#results(options),
        this.#language.of(options.language),
        this.#history.of(history()),
        extensions(options),
        EditorView.updateListener.of((update) => {
          const pasted = update.transactions.some((t) => t.isUserEvent("input.paste")) && pastedText(update);
          // No transaction may be made while another one is on its way.
          if (pasted)
            queueMicrotask(() => this.#foldServer(pasted.before.length, this.text.length - pasted.after.length));
          if (update.viewportChanged) options.onSight?.();
          if (update.selectionSet && options.onCursor !== undefined) options.onCursor(this.cursor);
        }),
      ],
    });
  }

  /** Shows something now, or when the editor is made. */
  #whenMade(what: "problems" | "notes", show: (view: EditorView) => void): void {
    if (this.#made === undefined) this.#pending.set(what, show);
    else show(this.#made);
  }

  /** Folds what a server has added, in a part of the text. */
  #foldServer(from?: number, to?: number): void {
    const effects = foldServerFields(this.#view.state, from, to);
    if (effects.length > 0) this.#view.dispatch({ effects });
  }

  /** The way from an expression to its result: a click on the note at its line, or Alt+Enter. */
  #results(options: EditorOptions): Extension {
    const show = (position: number): boolean => {
      options.onResult?.(this.offsets.toBytes(position));
      return options.onResult !== undefined;
    };
    return [
      keymap.of([{ key: "Alt-Enter", run: (view) => show(view.state.selection.main.head) }]),
      EditorView.domEventHandlers({
        mousedown: (event, view) => {
          const note = (event.target as Element).closest(".cm-celLineNotes");
          return note !== null && show(view.posAtDOM(note));
        },
      }),
    ];
  }

  get text(): string {
    if (this.#made === undefined) return this.#text;
    const doc = this.#typed ?? this.#made.state.doc;
    if (this.#flat?.doc !== doc) this.#flat = { doc, text: doc.toString() };
    return this.#flat.text;
  }

  /** Takes the text for one of another language. */
  setLanguage(language: Extension): void {
    this.#options.language = language;
    this.#prepared = undefined; // it has the language before
    this.#made?.dispatch({ effects: this.#language.reconfigure(language) });
  }

  /** Replaces the whole text without counting as a change by the user. */
  setText(text: string): void {
    if (text === this.text) return;
    this.#text = text;
    this.#pending.clear(); // it was of the text before
    if (this.#made === undefined) return;
    this.#made.dispatch({
      changes: { from: 0, to: this.#made.state.doc.length, insert: text },
      selection: { anchor: 0 },
      annotations: ours.of(true),
      effects: this.#history.reconfigure([]), // what can be undone was of the text before
    });
    this.#made.scrollDOM.scrollTop = 0; // CodeMirror's scrollIntoView would move the page as well
    this.#made.dispatch({ effects: this.#history.reconfigure(history()) });
    this.#foldServer();
  }

  /** Makes the text another one by changing only where they differ, as one step of the history. */
  change(text: string): void {
    const old = this.text;
    let from = 0;
    while (from < old.length && from < text.length && old[from] === text[from]) from++;
    let tail = 0;
    while (
      tail < old.length - from &&
      tail < text.length - from &&
      old[old.length - 1 - tail] === text[text.length - 1 - tail]
    )
      tail++;
    if (from === old.length && from === text.length) return;
    this.#view.dispatch({
      changes: { from, to: old.length - tail, insert: text.slice(from, text.length - tail) },
      annotations: isolateHistory.of("full"),
      userEvent: "input.fix",
    });
    this.#foldServer(from, text.length - tail);
  }

  /** Applies edits whose spans count bytes, as one step of the history. */
  applyEdits(edits: readonly { span: Span; new: string }[]): void {
    const offsets = this.offsets;
    this.#view.dispatch({
      changes: edits.map((e) => ({
        from: offsets.toUnits(e.span.start),
        to: offsets.toUnits(e.span.end),
        insert: e.new,
      })),
      annotations: isolateHistory.of("full"),
      userEvent: "input.fix",
    });
  }

  /** Takes back the last step of the history, which can then be done again. */
  undo(): void {
    undo(this.#view);
  }

  /** What is selected, in bytes; empty is the cursor. */
  get selection(): Span {
    const { from, to } = this.#view.state.selection.main;
    return { start: this.offsets.toBytes(from), end: this.offsets.toBytes(to) };
  }

  /** The place of the cursor, in bytes. */
  get cursor(): number {
    return this.offsets.toBytes(this.#view.state.selection.main.head);
  }

  /** Whether a list of completions is open or has been asked for: the word before the cursor is half written. */
  get completing(): boolean {
    return this.#made !== undefined && completionStatus(this.#made.state) !== null;
  }

  focus(): void {
    this.#view.focus();
  }

  /** Selects a span and brings it into view. */
  reveal(span: Span): void {
    const offsets = this.offsets;
    const range = EditorSelection.range(offsets.toUnits(span.start), offsets.toUnits(span.end));
    this.#view.dispatch({
      selection: EditorSelection.create([range]),
      effects: EditorView.scrollIntoView(range, { y: "center" }),
    });
    this.focus();
  }

  /** Brings an offset, in bytes, to the top of the editor; the focus and the page stay where they are. */
  showFrom(offset: number): void {
    // CodeMirror's own scrollIntoView would move the page as well, away from the answer.
    this.#view.scrollDOM.scrollTop = this.#view.lineBlockAt(this.offsets.toUnits(offset)).top;
  }

  /** Tints the lines of a span; those of no span are as before. */
  point(span?: Span | null): void {
    const [from, to] = [span?.start, span?.end].map((at) => at && this.offsets.toUnits(at));
    this.#made?.dispatch({ effects: pointEffect(this.#made.state, from, to) });
  }

  /** Brings lines, counted from 1, into focus: the others are quieter, those far away folded. */
  focusLines(ranges: readonly [number, number][]): void {
    const { doc } = this.#view.state;
    const there = ranges.filter(([first]) => first <= doc.lines);
    const first = there[0]?.[0];
    if (first === undefined) return; // nothing of it is in this text
    this.#view.dispatch({ effects: focusEffects(this.#view.state, there) });
    this.#view.dispatch({ effects: EditorView.scrollIntoView(doc.line(first).from, { y: "nearest", yMargin: 40 }) });
  }

  /** Shows problems at their places. */
  showProblems(problems: readonly Diagnostic[], actions: ProblemActions = {}): void {
    this.#whenMade("problems", (view) => {
      const { doc } = view.state;
      const shown = this.#problems?.list ?? [];
      const same = shown.length === problems.length && problems.every((d, i) => d === shown[i]);
      if (same && (shown.length === 0 || this.#problems?.doc === doc)) return; // the reply has left them out
      this.#problems = { list: problems, doc };
      const offsets = this.offsets;
      view.dispatch(
        setDiagnostics(
          view.state,
          problems.map((d) => lintOf(d, offsets, actions)),
        ),
      );
    });
  }

  /** Shows results at the ends of the lines of their expressions. */
  showNotes(list: readonly Note[]): void {
    this.#whenMade("notes", (view) => view.dispatch(setNotes(list)));
  }

  /** The part of the text that the reader sees, in bytes, or with as much around it; all of a short one. */
  sight(around: boolean): Span | undefined {
    const { length } = this.text;
    const { offsets } = this;
    if (length <= SHORT) return { start: 0, end: offsets.toBytes(length) };
    if (this.#made === undefined || !this.#options.host.checkVisibility()) return undefined;
    const { from, to } = this.#made.viewport;
    const more = around ? to - from : 0;
    return { start: offsets.toBytes(from - more), end: offsets.toBytes(to + more) };
  }

  get offsets(): Offsets {
    const text = this.text;
    if (this.#offsets?.text !== text) this.#offsets = { text, offsets: new Offsets(text) };
    return this.#offsets.offsets;
  }
}

function extensions(options: EditorOptions): Extension[] {
  return [
    lineNumbers(),
    foldGutter({ markerDOM: foldMarker }),
    codeFolding({ preparePlaceholder: hidden, placeholderDOM: foldPlaceholder }),
    lintGutter(),
    highlightSpecialChars(),
    drawSelection(),
    indentOnInput(),
    indentUnit.of("  "),
    EditorState.tabSize.of(2),
    bracketMatching(),
    closeBrackets(),
    // The engine answers within a frame. The default keymap has the highest
    // precedence, so its Ctrl+Space, which waits 50 ms, would come before ours.
    autocompletion({ activateOnTypingDelay: 0, defaultKeymap: false, positionInfo }),
    EditorView.scrollMargins.of(() => (PHONE.matches ? { top: 56 } : null)),
    highlightActiveLine(),
    highlightActiveLineGutter(),
    highlightSelectionMatches(),
    search({ top: true }),
    keymap.of([
      ...completionKeymap, // first: the arrows move in the list while there is one
      ...closeBracketsKeymap,
      ...defaultKeymap.filter((k) => k.key !== "Mod-Enter"), // evaluates the scenario
      ...searchKeymap,
      ...historyKeymap,
      ...foldKeymap,
      indentWithTab,
    ]),
    EditorState.readOnly.of(options.readOnly === true),
    options.help ?? [],
    syntaxHighlighting(highlighting),
    editorTheme,
    notes(),
    markedLines,
    placeholder(() => hint(options.hint)),
    EditorView.contentAttributes.of({ "aria-label": options.label, tabindex: "0" }),
    // Tab leaves a text that cannot be changed.
    options.readOnly === true ? [] : [leaving, EditorView.contentAttributes.of({ "aria-description": LEAVING })],
    EditorView.lineWrapping,
    hangingLines,
    EditorView.updateListener.of((update) => {
      const { transactions } = update;
      if (!isChange(transactions) || !isWhole(transactions)) return; // typing was told of before
      if (transactions.some((t) => t.isUserEvent("input.paste"))) {
        const paste = pastedText(update);
        if (paste !== undefined) options.onPaste?.(paste);
      }
      options.onChange(true);
    }),
  ];
}

/** Whether transactions change the text, and the page did not make them itself. */
function isChange(all: readonly Transaction[]): boolean {
  return all.some((t) => t.docChanged) && !all.some((t) => t.annotation(ours));
}

/** Whether a change is whole, and not a part of what is being typed. */
function isWhole(all: readonly Transaction[]): boolean {
  return all.some((t) => t.isUserEvent("input.paste") || t.isUserEvent("input.drop") || t.isUserEvent("input.fix"));
}

/** What was pasted at one place; undefined for several at once. */
function pastedText(update: ViewUpdate): PastedText | undefined {
  const found: PastedText[] = [];
  update.changes.iterChanges((_from, _to, from, to, inserted) => {
    found.push({
      was: update.startState.doc.toString(),
      before: update.state.sliceDoc(0, from),
      text: inserted.toString(),
      after: update.state.sliceDoc(to),
    });
  });
  return found.length === 1 ? found[0] : undefined;
}

/** A placeholder of several lines; those that begin with two blanks are code. */
function hint(text: string): HTMLElement {
  const element = document.createElement("span");
  for (const line of text.split("\n")) {
    const row = document.createElement("span");
    row.textContent = line.trimStart() || "\u200b"; // an empty row keeps its height
    row.className = line.startsWith("  ") ? "cm-hint-line cm-hint-code" : "cm-hint-line";
    element.append(row);
  }
  return element;
}

/** What a fold hides. */
interface Hidden {
  lines: number;
  /** What a server has added, if it is that. */
  fields: readonly string[];
}

function hidden(state: EditorState, range: { from: number; to: number }): Hidden {
  const first = state.doc.lineAt(range.from);
  const lines = state.doc.lineAt(range.to).number - first.number;
  const whole = range.from === first.from; // all of a line, or only the rest of it
  const part = serverParts(state.doc).find(({ from, to }) => from === range.from && to === range.to);
  return { lines: whole ? lines + 1 : lines, fields: whole ? (part?.fields ?? []) : [] };
}

function foldPlaceholder(_: EditorView, unfold: (event: Event) => void, { lines, fields }: Hidden): HTMLElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "cm-foldPlaceholder";
  const count = `${String(lines)} ${lines === 1 ? "line" : "lines"}`;
  button.textContent = `… ${fields.length > 0 ? fields.join(", ") : count}`;
  button.ariaLabel = `Unfold ${fields.length > 0 ? fields.join(", ") : count}`;
  button.addEventListener("click", unfold);
  return button;
}

function foldMarker(open: boolean): HTMLElement {
  const marker = document.createElement("span");
  marker.className = open ? "fold-marker" : "fold-marker is-folded";
  marker.title = open ? "Fold" : "Unfold";
  return marker;
}
