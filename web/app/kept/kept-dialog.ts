// What this browser keeps of the reader's work: scenarios with names above, earlier work
// below, and the switch that keeps nothing.

import { button, make } from "../elements.ts";
import { keepNothing, keepsNothing } from "../kept.ts";
import { notice } from "../notice.ts";
import { forgetRuns } from "../runs.ts";
import { EarlierPanel } from "./earlier-panel.ts";
import type { KeptEvents, KeptPanel, Open } from "./kept-panel.ts";
import { NamedPanel } from "./named-panel.ts";

export class KeptDialog {
  readonly #events: KeptEvents;
  readonly #dialog = make("dialog", { id: "kept-dialog", attributes: { "aria-labelledby": "kept-title" } });
  readonly #nothing = make("input", { id: "keep-nothing" });
  readonly #panels: readonly KeptPanel[];

  constructor(events: KeptEvents) {
    this.#events = events;
    this.#nothing.type = "checkbox";
    this.#nothing.addEventListener("change", () => this.#keepNothing());
    const saved = make("section", { id: "kept-named" });
    const earlier = make("section", { id: "kept-earlier", attributes: { "aria-labelledby": "kept-earlier-title" } });
    earlier.append(make("h3", { id: "kept-earlier-title", text: "Earlier work" }));
    const open: Open = (work, words) => {
      this.#dialog.close();
      events.restore(work);
      notice(words);
    };
    this.#panels = [new NamedPanel(saved, events, open), new EarlierPanel(earlier, events, open)];
    this.#dialog.append(
      make("h2", { id: "kept-title", text: "On this machine" }),
      saved,
      earlier,
      make("label", { class: "check" }, this.#nothing, " Keep nothing on this machine"),
      make("p", {
        class: "muted",
        text: "This erases everything stored in this browser, including saved scenarios. Your text will not survive a reload. Theme and layout are still remembered.",
      }),
      make(
        "div",
        { class: "buttons share-close" },
        button("Close", () => this.#dialog.close(), "quiet"),
      ),
    );
    document.body.append(this.#dialog);
  }

  /** Opens the dialog; what is there now is in its list. */
  open(): void {
    this.#events.keep();
    this.#show();
    if (!this.#dialog.open) this.#dialog.showModal();
    for (const panel of this.#panels) panel.focus?.();
  }

  #keepNothing(): void {
    if (this.#nothing.checked) forgetRuns();
    keepNothing(this.#nothing.checked);
    if (!this.#nothing.checked) this.#events.keep();
    this.#show();
  }

  #show(): void {
    this.#nothing.checked = keepsNothing();
    for (const panel of this.#panels) panel.show();
  }
}
