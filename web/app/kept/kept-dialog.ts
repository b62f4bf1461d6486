// What this browser keeps of the reader's work: scenarios with names, the history of
// runs, and the last states of the texts; and the switch that keeps nothing.

import { button, make } from "../elements.ts";
import { keepNothing, keepsNothing, type Work } from "../kept.ts";
import { notice } from "../notice.ts";
import type { WhatIfParams, WhatIfReply } from "../protocol.ts";
import { forgetRuns } from "../runs.ts";
import { installTabs, type Tabs } from "../tabs.ts";
import { NamedPanel } from "./named-panel.ts";
import { RunsPanel } from "./runs-panel.ts";
import { StatesPanel } from "./states-panel.ts";

export interface KeptEvents {
  /** Shows other work; what is there now is kept. */
  restore(work: Work): void;
  /** Keeps what is there now, so that it is in the list. */
  keep(): void;
  /** What is there now. */
  work(): Work;
  /** Renders what differs between two scenarios. */
  whatIf(params: WhatIfParams): Promise<WhatIfReply>;
}

/** One list of the dialog. */
export interface KeptPanel {
  /** Shows what is kept now. */
  show(): void;
  /** Puts the focus where the reader begins. */
  focus?(): void;
}

const NAMES = { named: "Saved", runs: "Runs", earlier: "Earlier work" };

export class KeptDialog {
  readonly #events: KeptEvents;
  readonly #dialog = make("dialog", { id: "kept-dialog", attributes: { "aria-labelledby": "kept-title" } });
  readonly #nothing = make("input", { id: "keep-nothing" });
  readonly #tabs: Tabs;
  readonly #panels: Readonly<Record<string, KeptPanel>>;

  constructor(events: KeptEvents) {
    this.#events = events;
    this.#nothing.type = "checkbox";
    this.#nothing.addEventListener("change", () => this.#keepNothing());
    const places = new Map(Object.keys(NAMES).map((name) => [`kept-${name}`, panelFor(`kept-${name}`)]));
    const list = make(
      "div",
      { id: "kept-tabs", class: "tabs", role: "tablist", attributes: { "aria-label": "What is kept" } },
      ...Object.entries(NAMES).map(([name, words], i) => tabFor(`kept-${name}`, words, i === 0)),
    );
    this.#dialog.append(
      make("h2", { id: "kept-title", text: "On this machine" }),
      list,
      ...places.values(),
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
    const open = (work: Work, words: string): void => {
      this.#dialog.close();
      events.restore(work);
      notice(words);
    };
    const place = (name: string): HTMLElement => places.get(`kept-${name}`) ?? this.#dialog;
    this.#panels = {
      "kept-named": new NamedPanel(place("named"), events, open),
      "kept-runs": new RunsPanel(place("runs"), events, open),
      "kept-earlier": new StatesPanel(place("earlier"), open),
    };
    this.#tabs = installTabs(list, () => this.#show());
    this.#tabs.select("kept-named");
  }

  /** Opens the dialog with one of its lists: named, runs or earlier. */
  open(name: string): void {
    this.#events.keep();
    this.#tabs.select(`kept-${name}`);
    this.#show();
    if (!this.#dialog.open) this.#dialog.showModal();
    this.#panels[this.#tabs.selected]?.focus?.();
  }

  #keepNothing(): void {
    if (this.#nothing.checked) forgetRuns();
    keepNothing(this.#nothing.checked);
    if (!this.#nothing.checked) this.#events.keep();
    this.#show();
  }

  #show(): void {
    this.#nothing.checked = keepsNothing();
    this.#panels[this.#tabs.selected]?.show();
  }
}

function tabFor(id: string, words: string, selected: boolean): HTMLElement {
  const tab = button(words, () => undefined);
  tab.id = `tab-${id}`;
  tab.role = "tab";
  tab.ariaSelected = String(selected);
  tab.setAttribute("aria-controls", id);
  return tab;
}

function panelFor(id: string): HTMLElement {
  return make("div", { id, class: "kept-panel", role: "tabpanel", attributes: { "aria-labelledby": `tab-${id}` } });
}
