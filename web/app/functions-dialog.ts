// The functions of CEL that the chosen version has, to look up and to insert into the
// expression.

import { button, make } from "./elements.ts";
import type { Function as CELFunction } from "./protocol.ts";

export interface FunctionsEvents {
  /** The version that is chosen. */
  kubernetes(): string;
  list(kubernetes: string): Promise<readonly CELFunction[]>;
  /** Puts code where the cursor of the expression is; the place it is for, where that is not any. */
  insert(code: string, context: string | undefined): void;
}

/** The call as it is inserted: the names of parameters stay for the reader to replace. */
export function callOf({ apply, method }: CELFunction): string {
  return (method === true ? "." : "") + apply.replace(/\$\{([^}]*)\}/g, "$1");
}

export class FunctionsDialog {
  readonly #events: FunctionsEvents;
  readonly #dialog = make("dialog", {
    id: "functions-dialog",
    class: "functions-dialog",
    attributes: { "aria-labelledby": "functions-title" },
  });
  readonly #title = make("h2", { id: "functions-title" });
  readonly #search = make("input", {
    id: "functions-search",
    attributes: { "aria-label": "Search functions", autocomplete: "off", spellcheck: "false" },
  });
  readonly #count = make("output", { class: "muted", attributes: { for: "functions-search" } });
  readonly #list = make("div", { class: "functions-list" });
  #functions: readonly CELFunction[] = [];

  constructor(events: FunctionsEvents) {
    this.#events = events;
    this.#search.type = "search";
    this.#search.placeholder = "quantity, first match, label";
    this.#search.addEventListener("input", () => this.#show());
    this.#dialog.append(
      this.#title,
      make("p", { class: "functions-tools" }, this.#search, this.#count),
      this.#list,
      make(
        "div",
        { class: "buttons" },
        make("a", { text: "As a page", attributes: { href: "/docs/cel/" } }),
        button("Close", () => this.#dialog.close(), "quiet"),
      ),
    );
    document.body.append(this.#dialog);
  }

  async open(): Promise<void> {
    const kubernetes = this.#events.kubernetes();
    this.#functions = await this.#events.list(kubernetes);
    this.#title.textContent = `CEL functions in Kubernetes ${kubernetes}`;
    this.#show();
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#search.select();
  }

  #show(): void {
    const found = this.#functions.filter((f) =>
      hasWords(`${f.name} ${f.area} ${f.doc} ${f.example}`.toLowerCase(), this.#search.value),
    );
    this.#count.textContent = found.length === 1 ? "1 function" : `${String(found.length)} functions`;
    const sections: HTMLElement[] = [];
    for (const area of new Set(found.map((f) => f.area))) {
      sections.push(
        make("h3", { text: area }),
        make("ul", {}, ...found.filter((f) => f.area === area).map((f) => this.#item(f))),
      );
    }
    this.#list.replaceChildren(...sections);
    this.#list.scrollTop = 0;
  }

  #item(f: CELFunction): HTMLElement {
    const use = (code: string): void => {
      this.#dialog.close();
      this.#events.insert(code, f.context);
    };
    const insert = button("Insert", () => use(callOf(f)), "quiet");
    insert.ariaLabel = `Insert ${f.name}`;
    const example = button("Example", () => use(f.example), "quiet");
    example.ariaLabel = `Insert the example for ${f.name}`;
    const since = f.since === undefined ? "" : `Since ${f.since}.`;
    return make(
      "li",
      {},
      make("code", { class: "function-name", text: `${f.method === true ? "." : ""}${f.name}${f.signature}` }),
      make("span", { class: "function-use" }, insert, example),
      make("p", { text: f.doc }),
      make("p", { class: "muted" }, make("code", { text: f.example }), ` Costs ${f.cost}. ${since}`.trimEnd()),
    );
  }
}

/** Whether a text has every one of the words, in any order and case. */
function hasWords(text: string, query: string): boolean {
  return query
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}
