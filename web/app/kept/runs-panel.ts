// The history of runs: the outcome of each, when it was, what is different from the run
// before, and the way back to it.

import { leadToDifferences } from "../differences.ts";
import { button, make } from "../elements.ts";
import { keepsNothing, type Work } from "../kept.ts";
import { replace } from "../result.ts";
import { changeOf, forgetRuns, isOfVisit, MOST_RUNS, runs, runsTrouble, type Run, type RunChange } from "../runs.ts";
import { NAMES } from "../texts.ts";
import type { KeptEvents, KeptPanel } from "./kept-dialog.ts";
import { rowButton, timeOf, titleOf } from "./kept-words.ts";

const EMPTY = "No runs yet. Preadmit keeps each result: change a text to add one.";

export class RunsPanel implements KeptPanel {
  readonly #events: KeptEvents;
  readonly #open: (work: Work, words: string) => void;
  readonly #note = make("p", { class: "muted", attributes: { tabindex: "-1" } });
  readonly #list = make("ol", { class: "kept-list is-runs" });
  readonly #forget: HTMLButtonElement;

  constructor(place: HTMLElement, events: KeptEvents, open: (work: Work, words: string) => void) {
    this.#events = events;
    this.#open = open;
    this.#forget = button(
      "Delete all runs",
      () => {
        forgetRuns();
        this.show();
        this.#note.focus();
      },
      "small",
    );
    place.append(this.#note, this.#list, this.#forget);
  }

  show(): void {
    const all = runs();
    this.#note.textContent = all.length === 0 ? EMPTY : where();
    this.#forget.hidden = all.length === 0;
    this.#list.hidden = all.length === 0;
    this.#list.replaceChildren(...all.map((run, i) => this.#item(run, all[i + 1])));
  }

  #item(run: Run, before: Run | undefined): HTMLElement {
    const verdict = make("strong", { class: `run-verdict is-${run.tone}`, text: run.verdict });
    const name = make("span", {}, verdict, ` ${titleOf(run)}`);
    const when = `${timeOf(run.at, "medium")}${isOfVisit(run) ? "" : ", an earlier visit"}`;
    const open = rowButton(name, run.message === "" ? when : `${when} · ${run.message}`, () =>
      this.#open(
        run,
        `This is the run of ${timeOf(run.at, "medium")}: ${run.verdict}. The previous text is under Runs.`,
      ),
    );
    const item = make("li", { class: "run" }, open);
    const words = before === undefined ? "The first run." : changeWords(changeOf(run, before), run);
    item.append(make("p", { class: "run-change", text: words }));
    if (before !== undefined) item.append(this.#difference(run, before));
    return item;
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
          body.textContent = error instanceof Error ? error.message : String(error);
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
  return `The last ${String(MOST_RUNS)} runs, in this browser and nowhere else. A run opens the scenario as it was then.`;
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
