// The work that the page shows, and where it is kept: in this tab's history, so
// that back and forward work, and among the states in local storage (kept.ts), so
// that nothing is lost by a reload.

import { keepsNothing, keepState, nextState, states, workOf, type State, type Trouble, type Work } from "./kept.ts";
import type { Scenario } from "./protocol.ts";
import { TEXTS } from "./texts.ts";

export type { Work } from "./kept.ts";

export function same(a: Scenario, b: Scenario): boolean {
  const known = (s: Scenario): string =>
    JSON.stringify([
      s.title ?? "",
      ...TEXTS.map((t) => s[t] ?? ""),
      s.kubernetes ?? "",
      s.expressionContext ?? "",
      s.options ?? {},
      s.now ?? "",
      s.beforeValidation ?? {},
    ]);
  return known(a) === known(b);
}

function sameWork(a: Work, b: Work): boolean {
  return same(a.scenario, b.scenario) && JSON.stringify(a.cases) === JSON.stringify(b.cases);
}

/** The work of the address, while nobody has changed it. */
let untouched: Work | undefined;

/** What was opened, whatever has become of it. */
let begun: Scenario | undefined;

/** Where nothing may be kept on the machine, the history of this tab is kept here; its entries have numbers. */
const entries = new Map<number, Work>();
let numbers = 0;

/** Records what was opened. It is not yet the reader's work: it takes no earlier work's place. */
export function opened(work: Work): void {
  untouched = work;
  begun = work.scenario;
  nextState();
}

/** What was opened last; undefined before anything was. */
export function lastOpened(): Scenario | undefined {
  return begun;
}

/** Whether the reader has changed what was opened. */
export function isChanged(): boolean {
  return untouched === undefined;
}

/** Whether a scenario is another that nobody has changed, or only emptied texts of. */
export function isUntouched(scenario: Scenario, opened: Scenario): boolean {
  const filled = { ...scenario };
  for (const text of TEXTS) if ((scenario[text] ?? "").trim() === "") filled[text] = opened[text] ?? "";
  return same(filled, opened);
}

/**
 * Keeps the current work: for a reload, and for coming back in the history. An
 * address names one scenario, so the first change of it begins a new entry. Gives the
 * reason when the work will not outlast the tab.
 */
export function keep(work: Work, now = Date.now()): Trouble | undefined {
  let trouble: Trouble | undefined;
  if (untouched === undefined || !sameWork(work, untouched)) {
    if (untouched !== undefined && location.hash !== "") push(work, "");
    untouched = undefined;
    trouble = keepState(work, location.hash, now);
  }
  try {
    history.replaceState(entry(work), "");
  } catch {
    // Too large for the browser's history: storage holds the work.
  }
  return trouble;
}

/** What the history remembers: the work, or the number of an entry of this page. */
function entry(work: Work): unknown {
  if (!keepsNothing()) return { scenario: work.scenario, cases: work.cases };
  entries.set(++numbers, work);
  return { entry: numbers };
}

/** The work of the last visit; undefined when there is none. */
export function kept(): State | undefined {
  return keepsNothing() ? undefined : states()[0];
}

/** The work of the current history entry. */
export function fromHistory(): Work | undefined {
  const state = history.state as { entry?: unknown } | null;
  return typeof state?.entry === "number" ? entries.get(state.entry) : workOf(state);
}

/** Begins a new entry of the history, with an address of its own. */
export function push(work: Work, hash: string): void {
  const address = location.pathname + hash;
  try {
    history.pushState(entry(work), "", address);
  } catch {
    history.pushState(null, "", address);
  }
}
