// The last states of the texts, to go back to.

import { button, make } from "../elements.ts";
import { keepsNothing, MOST, removeState, states, type State, type Work } from "../kept.ts";
import type { KeptPanel } from "./kept-dialog.ts";
import { contentOf, rowButton, timeOf, titleOf } from "./kept-words.ts";

export class StatesPanel implements KeptPanel {
  readonly #open: (work: Work, words: string) => void;
  readonly #note = make("p", { class: "muted", attributes: { tabindex: "-1" } });
  readonly #list = make("ol", { class: "kept-list" });

  constructor(place: HTMLElement, open: (work: Work, words: string) => void) {
    this.#open = open;
    place.append(this.#note, this.#list);
  }

  show(): void {
    const kept = states();
    this.#note.textContent = keepsNothing()
      ? "Nothing is kept."
      : kept.length === 0
        ? "Nothing is kept yet. Your text is kept from the first change on, only in this browser."
        : `The last ${String(MOST)} states of your texts, only in this browser.`;
    this.#list.replaceChildren(...kept.map((state) => this.#item(state)));
  }

  #item(state: State): HTMLElement {
    const name = titleOf(state);
    const open = rowButton(name, `${timeOf(state.at)} · ${contentOf(state)}`, () =>
      this.#open(state, `This is "${name}" of ${timeOf(state.at)}. The previous text is in the list.`),
    );
    const remove = button(
      "Remove",
      () => {
        removeState(state.id);
        this.show();
        this.#note.focus();
      },
      "quiet",
    );
    remove.ariaLabel = `Remove ${name}, ${timeOf(state.at)}`;
    return make("li", {}, open, remove);
  }
}
