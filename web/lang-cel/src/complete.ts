// Completion and hover help from a provider. The provider is asked with a place
// and answers later: in the page it is the engine in its worker.
//
// Positions are UTF-16 units, as everywhere in CodeMirror.

import {
  closeCompletion,
  completionStatus,
  snippet,
  type Completion,
  type CompletionContext,
  type CompletionResult,
  type CompletionSource,
} from "@codemirror/autocomplete";
import { EditorState, Prec, type Extension } from "@codemirror/state";
import { hoverTooltip, keymap, type EditorView, type Tooltip } from "@codemirror/view";

/** What a suggestion is; each has its icon in the theme (`cm-completionIcon-…`). */
export type ItemKind =
  "variable" | "field" | "function" | "method" | "macro" | "type" | "keyword" | "value" | "snippet";

/** One suggestion. */
export interface CompletionItem {
  label: string;
  kind: ItemKind;
  /** A type or signature, in one line. */
  detail?: string;
  /** Longer help, paragraphs separated by blank lines. */
  doc?: string;
  /** What to insert; `${}` and `${name}` are places to fill in. The label if absent. */
  apply?: string;
  /** From -99 to 99: higher comes first. */
  boost?: number;
}

/** The suggestions for replacing the text from `from` to `to`. */
export interface CompletionAnswer {
  from: number;
  to: number;
  items: CompletionItem[];
}

/** What there is to say about the part of a text from `from` to `to`. */
export interface HoverAnswer {
  from: number;
  to: number;
  /** The name with its type, or a signature: shown as code. */
  title: string;
  doc?: string;
}

/** Asks for suggestions at an offset of the text with this name; null for none. */
export type CompletionProvider<Text extends string = string> = (
  text: Text,
  offset: number,
) => Promise<CompletionAnswer | null>;

/** Asks what is at an offset of the text with this name; null for nothing. */
export type HoverProvider<Text extends string = string> = (text: Text, offset: number) => Promise<HoverAnswer | null>;

/** Characters after which suggestions open by themselves. */
const opens = /[\w.?'"{[(,:]$/;

/** A number before the cursor: there is nothing that it could go on as. */
const number = /(?:^|[^\w.$])\d+$/;

/**
 * A completion source over `provider`. The provider reads its own copy of the
 * text, so the caller makes sure that it is up to date when asked.
 */
export function completionSource<Text extends string>(
  text: Text,
  provider: CompletionProvider<Text>,
): CompletionSource {
  return async (context) => {
    const byKey = context.view !== undefined && asked.delete(context.view);
    if (!context.explicit && !byKey && !opensAt(context)) return null;
    const answer = await provider(text, context.pos);
    if (context.aborted) return null;
    if (answer?.items.length) return toResult(answer);
    askAgain(context);
    return null;
  };
}

/**
 * What was typed while the provider had nothing to say gets a question of its own. CodeMirror keeps
 * waiting for one there (`pending`), but asks none before the next key.
 */
function askAgain({ state, view }: CompletionContext): void {
  if (view === undefined || view.state.doc === state.doc) return;
  setTimeout(() => {
    if (completionStatus(view.state) !== "pending") return;
    closeCompletion(view); // only what does not wait begins to
    view.dispatch({ userEvent: "input.type" });
  });
}

/** The editors in which suggestions were asked for with a key, until the source is asked. */
const asked = new WeakSet<EditorView>();

/**
 * Opens the suggestions without the 50 ms that startCompletion waits: as if
 * something had been typed, for which activateOnTypingDelay counts.
 */
function open(view: EditorView): boolean {
  if (completionStatus(view.state) === "active") return false;
  asked.add(view);
  view.dispatch({ userEvent: "input.type" });
  return true;
}

function opensAt(context: CompletionContext): boolean {
  const line = context.state.doc.lineAt(context.pos);
  const before = line.text.slice(0, context.pos - line.from);
  return opens.test(before) && !number.test(before);
}

function toResult(answer: CompletionAnswer): CompletionResult {
  return {
    from: answer.from,
    to: answer.to,
    options: answer.items.map(toOption),
    // Further letters of the same word narrow the list down without asking.
    validFor: /^[\w$]*$/,
  };
}

function toOption(item: CompletionItem): Completion {
  const { label, kind, detail, boost, doc, apply } = item;
  const option: Completion = { label, type: kind };
  if (detail !== undefined) option.detail = detail;
  if (boost !== undefined) option.boost = boost;
  if (doc) option.info = () => paragraphs(doc);
  if (apply !== undefined) option.apply = apply.includes("${") ? snippet(apply) : apply;
  return option;
}

/**
 * Adds the provider's suggestions to whatever else completes in the editor.
 * They come soonest with the options activateOnTypingDelay: 0 and defaultKeymap:
 * false (and completionKeymap given by hand, which then comes after ours).
 */
export function completeWith<Text extends string>(text: Text, provider: CompletionProvider<Text>): Extension {
  const data = [{ autocomplete: completionSource(text, provider) }];
  return [EditorState.languageData.of(() => data), Prec.high(keymap.of([{ key: "Ctrl-Space", run: open }]))];
}

/** A tooltip with the provider's answer, above the part that it speaks of. */
export function hoverHelp<Text extends string>(text: Text, provider: HoverProvider<Text>): Extension {
  return hoverTooltip(async (view, pos): Promise<Tooltip | null> => {
    const { doc } = view.state;
    const answer = await provider(text, pos);
    // The text may have changed while the answer was under way.
    if (!answer || view.state.doc != doc) return null;
    return { pos: answer.from, end: answer.to, above: true, create: () => ({ dom: hoverDom(answer) }) };
  });
}

function hoverDom(answer: HoverAnswer): HTMLElement {
  const dom = element("div", "cm-celHover");
  dom.append(element("code", "cm-celHoverTitle", answer.title));
  if (answer.doc) dom.append(paragraphs(answer.doc));
  return dom;
}

/** Text as paragraphs. It is set as text, never as markup. */
function paragraphs(text: string): HTMLElement {
  const dom = element("div", "cm-celDoc");
  for (const part of text.split(/\n\n+/)) dom.append(element("p", "", part));
  return dom;
}

function element(tag: string, className: string, text = ""): HTMLElement {
  const dom = document.createElement(tag);
  if (className) dom.className = className;
  dom.textContent = text;
  return dom;
}
