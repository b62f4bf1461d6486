// Earlier work in one list, newest first: what each run came to and what was changed before
// it, and the states of texts that never came to a run of their own.

import { leadToDifferences } from "../differences.ts";
import { button, make } from "../elements.ts";
import { keepsNothing, removeState, states, type State } from "../kept.ts";
import { reasonOf } from "../reason.ts";
import { replace } from "../result.ts";
import { changeOf, forgetRuns, isOfVisit, removeRun, runs, runsTrouble, type Run, type RunChange } from "../runs.ts";
import { same } from "../store.ts";
import { NAMES } from "../texts.ts";
import type { KeptEvents, KeptPanel, Open } from "./kept-panel.ts";
import { contentOf, rowButton, timeOf, titleOf } from "./kept-words.ts";

const EMPTY = "Nothing yet. Preadmit keeps each result: change a text to add one.";

/** One row: a run, or a state of the texts that no run shows. */
type Entry = Run | State;

const isRun = (entry: Entry): entry is Run => "verdict" in entry;

/** Runs and states in one list, newest first, and each scenario once: as a run where it came to one. */
export function earlier(): Entry[] {
  const list: Entry[] = [];
  for (const entry of [...runs(), ...states()])
    if (!list.some(({ scenario }) => same(scenario, entry.scenario))) list.push(entry);
  return list.sort((a, b) => b.at - a.at);
}

export class EarlierPanel implements KeptPanel {
  readonly #events: KeptEvents;
  readonly #open: Open;
  readonly #note = make("p", { class: "muted", attributes: { tabindex: "-1" } });
  readonly #list = make("ol", { class: "kept-list is-earlier" });
  readonly #forget: HTMLButtonElement;

  constructor(place: HTMLElement, events: KeptEvents, open: Open) {
    this.#events = events;
    this.#open = open;
    this.#forget = button("Delete all earlier work", () => this.#deleteAll(), "small");
    place.append(this.#note, this.#list, this.#forget);
  }

  show(): void {
    const all = earlier();
    this.#note.textContent = all.length === 0 ? (keepsNothing() ? "Nothing is kept." : EMPTY) : where();
    this.#forget.hidden = all.length === 0;
    this.#list.hidden = all.length === 0;
    this.#list.replaceChildren(...all.map((entry, i) => this.#item(entry, all.slice(i + 1).find(isRun))));
  }

  #deleteAll(): void {
    for (const { id } of states()) removeState(id);
    forgetRuns();
    this.#shorter();
  }

  #shorter(): void {
    this.show();
    this.#note.focus();
  }

  #item(entry: Entry, before: Run | undefined): HTMLElement {
    const title = titleOf(entry);
    const when = timeOf(entry.at, "medium");
    const item = make("li", { class: isRun(entry) ? "run" : "" });
    if (isRun(entry)) {
      const verdict = make("strong", { class: `run-verdict is-${entry.tone}`, text: entry.verdict });
      const at = `${when}${isOfVisit(entry) ? "" : ", an earlier visit"}`;
      const about = entry.message === "" ? at : `${at} · ${entry.message}`;
      item.append(this.#row(entry, make("span", {}, verdict, ` ${title}`), about));
      const words = before === undefined ? "The first run." : changeWords(changeOf(entry, before), entry);
      item.append(this.#remove(entry, title, when), make("p", { class: "run-change", text: words }));
      if (before !== undefined) item.append(this.#difference(entry, before));
    } else item.append(this.#row(entry, title, `${when} · ${contentOf(entry)}`), this.#remove(entry, title, when));
    return item;
  }

  #row(entry: Entry, name: string | Node, about: string): HTMLElement {
    const words = `This is "${titleOf(entry)}" of ${timeOf(entry.at, "medium")}. The previous text is under Earlier work.`;
    return rowButton(name, about, () => this.#open(entry, words));
  }

  #remove(entry: Entry, title: string, when: string): HTMLElement {
    const remove = button(
      "Remove",
      () => {
        for (const state of states()) if (same(state.scenario, entry.scenario)) removeState(state.id);
        for (const run of runs()) if (same(run.scenario, entry.scenario)) removeRun(run.id);
        this.#shorter();
      },
      "quiet",
    );
    remove.ariaLabel = `Remove ${title}, ${when}`;
    return remove;
  }

  /** What differs from the run before, as What if shows it; made when it is unfolded. */
  #difference(run: Run, before: Run): HTMLElement {
    const body = make("div", { class: "run-difference", text: "Comparing…" });
    leadToDifferences(body);
    const fold = make("details", {}, make("summary", { text: "Compare with the run before" }), body);
    fold.addEventListener("toggle", () => {
      if (!fold.open || body.dataset["made"] !== undefined) return;
      body.dataset["made"] = "";
      const params = {
        left: before.scenario,
        name: `Before, ${timeOf(before.at, "medium")}`,
        right: run.scenario,
        rightName: `Then, ${timeOf(run.at, "medium")}`,
      };
      this.#events.whatIf(params).then(
        ({ html }) => replace(body, html),
        (error: unknown) => {
          delete body.dataset["made"]; // unfolding it again tries again
          body.textContent = reasonOf(error);
        },
      );
    });
    return fold;
  }
}

function where(): string {
  const trouble = runsTrouble();
  if (keepsNothing() || trouble === "nothing") return "The runs of this visit. They are kept nowhere.";
  if (trouble === "full") return "This browser's storage is full: the oldest runs are lost when you leave the page.";
  if (trouble !== undefined) return "The runs of this visit. This browser does not keep them.";
  return "Kept in this browser and nowhere else. A row opens the scenario as it was then.";
}

/** What is different from the run before, in words: what the reader changed, and what came of it. */
export function changeWords(change: RunChange, run: Run): string {
  const causes = change.texts.map((text) => NAMES[text]);
  if (change.kubernetes !== undefined)
    causes.push(`Kubernetes ${change.kubernetes} → ${run.scenario.kubernetes ?? ""}`);
  if (change.settings) causes.push("Settings");
  if (causes.length === 0) causes.push("the title");
  const effects: string[] = [];
  if (change.verdict !== undefined) effects.push(`${change.verdict} → ${run.verdict}`);
  if (change.message) effects.push(run.message === "" ? "no message any more" : "another message");
  if (change.object) effects.push(run.object === "" ? "no object any more" : "another object");
  if (effects.length === 0) effects.push("the same outcome");
  const list = new Intl.ListFormat("en", { type: "conjunction" });
  return `Changed: ${list.format(causes)}. Result: ${effects.join("; ")}.`;
}
