// The outcome in words, as the page shows it.

import type { Tone } from "./embed-code.ts";

export const TONES: readonly Tone[] = ["admitted", "mutated", "denied", "none"];

export interface ShownOutcome {
  verdict: string;
  message: string;
  /** Colours the verdict. */
  tone: Tone;
}

/** What the page shows now. */
export function shownOutcome(): ShownOutcome {
  const outcome = document.querySelector("#outcome .outcome");
  const text = (selector: string): string =>
    (outcome?.querySelector(selector)?.textContent ?? "").replace(/\s+/g, " ").trim();
  const tone = TONES.find((t) => outcome?.classList.contains(`is-${t}`));
  return { verdict: text(".verdict strong"), message: text(".message"), tone: tone ?? "none" };
}
