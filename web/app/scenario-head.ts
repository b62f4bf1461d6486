// The head of the scenario: its title, which can be edited in place, what it is
// about, and the first example's invitation. The tab of the browser says the
// verdict.

import { byID } from "./dom.ts";
import { describe } from "./markup.ts";
import type { Scenario } from "./protocol.ts";
import { TEXTS, textNamed } from "./texts.ts";

const UNTITLED = "Your scenario";
const NO_TITLE = "Untitled scenario";

/** Longer titles are cut: they have to fit a line. */
const MAX_TITLE = 200;

export class ScenarioHead {
  readonly #heading = byID("scenario-title", HTMLElement);
  readonly #input = byID("title-input", HTMLInputElement);
  readonly #rename = byID("rename", HTMLButtonElement);
  readonly #shared = byID("shared-label", HTMLElement);
  readonly #description = byID("scenario-description", HTMLElement);
  readonly #onTitle: (title: string) => void;
  /** What the page says of its first example, with the invitation. */
  readonly #first = { title: this.#heading.textContent, about: [...this.#description.children] };
  #verdict = "";

  constructor(onTitle: (title: string) => void) {
    this.#onTitle = onTitle;
    this.#rename.addEventListener("click", () => this.#edit());
    this.#input.addEventListener("blur", () => this.#close(true));
    this.#input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      this.#close(event.key === "Enter");
      this.#rename.focus();
    });
  }

  /** The title that the page came with, which is that of its first example. */
  get title(): string {
    const text = this.#heading.textContent;
    return text === UNTITLED || text === NO_TITLE ? "" : text;
  }

  /** Shows another scenario; shared says that it came in a link of somebody else. */
  show(scenario: Scenario, shared: boolean): void {
    this.#input.hidden = true;
    this.#heading.hidden = false;
    const empty = !TEXTS.some((t) => scenario[t]);
    this.#shared.hidden = !shared || empty; // of a link that cannot be read there is nothing to show
    this.#heading.textContent = scenario.title || (this.#shared.hidden ? UNTITLED : NO_TITLE);
    const [about, ...more] = describe(empty ? "" : (scenario.description ?? ""));
    const { title, about: first } = this.#first;
    // The texts of the first example come back without its description after a reload.
    const isFirst = scenario.title === title && (about ?? first[0])?.textContent === first[0]?.textContent;
    this.#description.replaceChildren(...(isFirst ? first : about ? [about] : []), ...more);
  }

  /** Hides the invitation when a place that it leads to is gone, and keeps its places current. */
  follow(texts: Scenario): void {
    const guide = this.#description.querySelector<HTMLElement>(".guide");
    if (guide === null) return;
    const encoder = new TextEncoder();
    let gone = false;
    for (const button of guide.querySelectorAll<HTMLElement>("button[data-before]")) {
      const { text = "", before = "" } = button.dataset;
      const whole = texts[textNamed(text) ?? "policies"] ?? "";
      const at = whole.indexOf(before);
      if (at < 0) {
        gone = true;
        continue;
      }
      const start = at + before.length;
      const word = /^[^\s,\]]*/.exec(whole.slice(start))?.[0] ?? "";
      const bytes = encoder.encode(whole.slice(0, start)).length;
      button.dataset["start"] = String(bytes);
      button.dataset["end"] = String(bytes + encoder.encode(word).length);
    }
    guide.hidden = gone;
  }

  /** Says the verdict in the tab of the browser, and the title, which tells several of them apart. */
  verdict(words: string): void {
    this.#verdict = words;
    this.#name();
  }

  #name(): void {
    document.title = [this.#verdict, this.title, "Preadmit"].filter((part) => part !== "").join(" – ");
  }

  #edit(): void {
    this.#input.value = this.title;
    this.#input.maxLength = MAX_TITLE;
    this.#input.hidden = false;
    this.#heading.hidden = true;
    this.#rename.hidden = true;
    this.#input.focus();
    this.#input.select();
  }

  #close(take: boolean): void {
    if (this.#input.hidden) return;
    const title = this.#input.value.trim();
    const changed = take && title !== this.title;
    this.#input.hidden = true;
    this.#heading.hidden = false;
    this.#rename.hidden = false;
    if (!changed) return;
    this.#heading.textContent = title || UNTITLED;
    if (this.#verdict !== "") this.#name();
    this.#onTitle(title);
  }
}
