// The list of what this browser keeps of the reader's work, to go back to; and the
// switch that keeps nothing.

import { button, make } from "./elements.ts";
import { keepNothing, keepsNothing, MOST, removeState, states, type State } from "./kept.ts";
import { notice } from "./notice.ts";
import { TEXTS } from "./texts.ts";

/** How much of a line stands for a title, in characters. */
const LONGEST = 60;

export interface KeptEvents {
  /** Shows a state; what is there now is kept. */
  restore(state: State): void;
  /** Keeps what is there now, so that it is in the list. */
  keep(): void;
}

export class KeptDialog {
  readonly #events: KeptEvents;
  readonly #dialog = make("dialog", { id: "kept-dialog", attributes: { "aria-labelledby": "kept-title" } });
  readonly #note = make("p", { class: "muted" });
  readonly #list = make("ol", { class: "kept-list" });
  readonly #nothing = make("input", { id: "keep-nothing" });

  constructor(events: KeptEvents) {
    this.#events = events;
    this.#nothing.type = "checkbox";
    this.#nothing.addEventListener("change", () => {
      keepNothing(this.#nothing.checked);
      if (!this.#nothing.checked) events.keep();
      this.#show();
    });
    this.#dialog.append(
      make("h2", { id: "kept-title", text: "Earlier work" }),
      this.#note,
      this.#list,
      make("label", { class: "check" }, this.#nothing, " Keep nothing on this machine"),
      make("p", {
        class: "muted",
        text: "Then what is kept is erased at once, and your texts are gone when you leave or reload the page. Theme and layout are still remembered.",
      }),
      make(
        "div",
        { class: "buttons" },
        button("Close", () => this.#dialog.close(), "quiet"),
      ),
    );
    document.body.append(this.#dialog);
  }

  open(): void {
    this.#events.keep();
    this.#show();
    if (!this.#dialog.open) this.#dialog.showModal();
  }

  #show(): void {
    const kept = states();
    this.#nothing.checked = keepsNothing();
    this.#note.textContent = this.#nothing.checked
      ? "Nothing is kept."
      : kept.length === 0
        ? "Nothing is kept yet: your texts are from the first change on, in this browser and nowhere else."
        : `The last ${String(MOST)} states of your texts, in this browser and nowhere else.`;
    this.#list.replaceChildren(...kept.map((state) => this.#item(state)));
  }

  #item(state: State): HTMLElement {
    const name = titleOf(state);
    const open = button("", () => {
      this.#dialog.close();
      this.#events.restore(state);
      notice(`This is "${name}" of ${timeOf(state.at)}. What was there is in the list.`);
    });
    open.className = "kept-open";
    open.append(
      make("span", { class: "kept-name", text: name }),
      make("span", { class: "kept-about", text: `${timeOf(state.at)} · ${contentOf(state)}` }),
    );
    const remove = button("Remove", () => {
      removeState(state.id);
      this.#show();
      this.#nothing.focus();
    });
    remove.className = "quiet";
    remove.ariaLabel = `Remove ${name}, ${timeOf(state.at)}`;
    return make("li", {}, open, remove);
  }
}

/** The title; without one the first document that has a kind, or the first line. */
function titleOf({ scenario }: State): string {
  if (scenario.title) return scenario.title;
  for (const text of TEXTS) {
    const kind = /^kind:\s*["']?(\w+)/m.exec(scenario[text] ?? "")?.[1];
    const name = /^\s*name:\s*["']?([\w.-]+)/m.exec(scenario[text] ?? "")?.[1];
    if (kind !== undefined) return name === undefined ? kind : `${kind} ${name}`;
  }
  const line = TEXTS.map((text) => (scenario[text] ?? "").trim()).find((text) => text !== "");
  return line === undefined ? "Without a title" : (line.split("\n")[0] ?? "").slice(0, LONGEST);
}

function timeOf(at: number): string {
  const when = new Date(at);
  const today = when.toDateString() === new Date().toDateString();
  return when.toLocaleString(undefined, today ? { timeStyle: "short" } : { dateStyle: "medium", timeStyle: "short" });
}

/** What is in a state: its texts by length, and its tests. */
function contentOf({ scenario, cases }: State): string {
  const parts = TEXTS.filter((text) => scenario[text]).map((text) => {
    const lines = (scenario[text] ?? "").trimEnd().split("\n").length;
    return `${text} ${lines === 1 ? "1 line" : `${lines.toLocaleString("en")} lines`}`;
  });
  if (cases.length > 0) parts.push(cases.length === 1 ? "1 test" : `${String(cases.length)} tests`);
  return parts.length === 0 ? "empty" : parts.join(", ");
}
