// The scenario that the page shows, and where it is kept: in this tab's
// history, so that back and forward work, and in local storage, so that nothing
// is lost by a reload.

import type { Scenario } from "./protocol.ts";
import { isScenario } from "./schema.ts";
import { TEXTS } from "./texts.ts";

const KEY = "preadmit.work";

/** What is kept of a visit. */
interface Kept {
  scenario: Scenario;
  /** The part of the address behind the #, when the scenario came from there. */
  hash: string;
}

/** A scenario read from storage, which may hold anything. */
function checked(value: unknown): Scenario | undefined {
  if (isScenario(value) || typeof value !== "object" || value === null) return isScenario(value) ? value : undefined;
  // Settings of another version must not cost the reader the texts.
  const texts = Object.fromEntries(Object.entries(value).filter(([key]) => (TEXTS as readonly string[]).includes(key)));
  return isScenario(texts) && Object.keys(texts).length > 0 ? texts : undefined;
}

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

/** The scenario of the address, while nobody has changed it. */
let untouched: Scenario | undefined;

/** Records what was opened. It is not work: it takes no earlier work's place. */
export function opened(scenario: Scenario): void {
  untouched = scenario;
}

/** Whether a scenario is what was opened. */
export function isUntouched(scenario: Scenario): boolean {
  return untouched !== undefined && same(scenario, untouched);
}

/**
 * Keeps the current work: for a reload, and for coming back in the history. An
 * address names one scenario, so the first change of it begins a new entry.
 */
export function keep(scenario: Scenario): void {
  if (untouched === undefined || !same(scenario, untouched)) {
    if (untouched !== undefined && location.hash !== "") push(scenario, "");
    untouched = undefined;
    const kept: Kept = { scenario, hash: location.hash };
    try {
      localStorage.setItem(KEY, JSON.stringify(kept));
    } catch {
      // Storage is off or full: the history entry below still holds the work.
    }
  }
  try {
    history.replaceState({ scenario }, "");
  } catch {
    // Too large for the browser's history: storage holds the work.
  }
}

/** The work of the last visit; undefined when there is none. */
export function kept(): Kept | undefined {
  try {
    const value = JSON.parse(localStorage.getItem(KEY) ?? "null") as { scenario?: unknown; hash?: unknown } | null;
    const scenario = checked(value?.scenario);
    return scenario && { scenario, hash: String(value?.hash ?? "") };
  } catch {
    return undefined; // storage is off, or holds what an older version wrote
  }
}

/** The scenario of the current history entry. */
export function fromHistory(): Scenario | undefined {
  const state = history.state as { scenario?: unknown } | null;
  return checked(state?.scenario);
}

/** Begins a new entry of the history, with an address of its own. */
export function push(scenario: Scenario, hash: string): void {
  const address = location.pathname + hash;
  try {
    history.pushState({ scenario }, "", address);
  } catch {
    history.pushState(null, "", address);
  }
}
