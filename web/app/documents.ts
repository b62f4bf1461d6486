// The list of documents beside the editor: what the texts hold, and what became of each. A row
// shows its document. The engine makes the rows (render/html/documents.templ).

import { byID } from "./dom.ts";
import { replace } from "./result.ts";
import { NAMES, textNamed, type TextName } from "./texts.ts";

/** A row for each text, in the order of the list, while nothing is known of its documents. */
const TEXT_ROWS = (["request", "policies", "cluster", "expression"] as const)
  .map(
    (text) =>
      `<section class="docs-group" data-docs="${text}">${text === "expression" ? "" : `<h2>${NAMES[text]}</h2>`}<ul><li>` +
      `<button type="button" class="doc is-empty" id="tab-${text}" data-doc="${text}" data-start="0">` +
      `<span class="doc-name">…</span></button></li></ul></section>`,
  )
  .join("");

/** Where the list is a row (styles/documents.css). */
const NARROW = window.matchMedia("(max-width: 75rem)");

/** What is seen of the document before the current one, in pixels. */
const MARGIN = 80;

export interface DocumentsEvents {
  /** A text was chosen, also one that was. */
  onSelect(text: TextName): void;
  /** A row was chosen, whose document starts at an offset; at 0 where the text has no document yet. */
  onDocument(text: TextName, start: number): void;
}

/** The list, and which text is in the editor. */
export class Documents {
  readonly #list = byID("documents", HTMLElement);
  readonly #events: DocumentsEvents;
  #selected: TextName = "policies";
  #current: HTMLElement | undefined;
  /** Where the cursor is in each text, in bytes. */
  readonly #cursors = new Map<TextName, number>();

  constructor(events: DocumentsEvents) {
    this.#events = events;
    this.#list.addEventListener("click", ({ target }) => {
      const row = (target as Element).closest<HTMLElement>("[data-doc]");
      const text = textNamed(row?.dataset["doc"]);
      if (row === null || text === undefined) return;
      this.select(text);
      const start = startOf(row);
      this.#cursors.set(text, start);
      this.#mark();
      events.onDocument(text, start);
    });
    this.#list.addEventListener("keydown", (event) => {
      const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
      if (step === 0) return;
      const rows = [...this.#list.querySelectorAll<HTMLElement>("[data-doc]")].filter((row) => row.checkVisibility());
      event.preventDefault();
      rows[rows.findIndex((row) => row === document.activeElement) + step]?.focus();
    });
    this.#mark();
  }

  /** The text that is in the editor. */
  get selected(): TextName {
    return this.#selected;
  }

  /** Shows a text. */
  select(name: string, focus = false): void {
    const text = textNamed(name);
    if (text === undefined) return;
    this.#selected = text;
    for (const panel of document.querySelectorAll<HTMLElement>(".inputs > .text-panel"))
      panel.classList.toggle("is-selected", panel.id === `panel-${text}`);
    this.#mark();
    if (focus) this.#list.querySelector<HTMLElement>("[aria-current]")?.focus();
    this.#events.onSelect(text);
  }

  /** Shows what the engine says of the documents. */
  show(html: string): void {
    for (const row of this.#list.querySelectorAll("[aria-current]")) row.removeAttribute("aria-current");
    replace(this.#list, html);
    this.#mark();
  }

  /** Lists the texts alone: what is there is that of another scenario, until there is a new one. */
  wait(): void {
    this.#cursors.clear();
    this.show(TEXT_ROWS);
  }

  /** The cursor of a text is elsewhere. */
  follow(text: TextName, cursor: number): void {
    this.#cursors.set(text, cursor);
    if (text === this.#selected) this.#mark();
  }

  /** The row that decided the request; undefined where none did. */
  get decisive(): { text: TextName; start: number } | undefined {
    const row = this.#list.querySelector<HTMLElement>(".doc.is-decisive");
    const text = textNamed(row?.dataset["doc"]);
    return row === null || text === undefined ? undefined : { text, start: startOf(row) };
  }

  /** Marks the document that is in the editor. */
  #mark(): void {
    const cursor = this.#cursors.get(this.#selected) ?? 0;
    let current: HTMLElement | undefined;
    for (const row of this.#list.querySelectorAll<HTMLElement>("[data-doc]")) {
      if (row.dataset["doc"] !== this.#selected) continue;
      if (current === undefined || startOf(row) <= cursor) current = row;
    }
    for (const row of this.#list.querySelectorAll("[aria-current]"))
      if (row !== current) row.removeAttribute("aria-current");
    if (current === undefined) return;
    current.setAttribute("aria-current", "true");
    if (current === this.#current || !NARROW.matches) return;
    // On a narrow screen the list is one row: its current document is in sight.
    this.#current = current;
    this.#list.scrollLeft += current.getBoundingClientRect().left - this.#list.getBoundingClientRect().left - MARGIN;
  }
}

/** Where the document of a row starts in its text. Where it ends is not in the list, as each key changes that. */
function startOf(row: HTMLElement): number {
  return Number(row.dataset["start"]);
}

/** Moves the focus to the next of list, editor and result. */
export function nextPane(backwards: boolean, focus: (text: TextName) => void): void {
  const stops = [
    ...document.querySelectorAll<HTMLElement>("#documents [aria-current]"),
    ...[...document.querySelectorAll<HTMLElement>(".inputs .editor[data-editor]")].filter(
      (h) => h.offsetParent !== null,
    ),
    ...document.querySelectorAll<HTMLElement>("#view-tabs [aria-selected=true]"),
  ];
  const at = stops.findIndex((s) => s === document.activeElement);
  const next = stops.at((at + (backwards ? (at < 0 ? 0 : -1) : 1)) % stops.length);
  const text = textNamed(next?.dataset["editor"]);
  if (text === undefined) next?.focus();
  else focus(text);
}
