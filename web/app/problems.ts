// The problems in the texts: how many each tab has, and the way from one to the next.

import type { Diagnostic } from "./protocol.ts";
import { TEXTS, type TextName } from "./texts.ts";

/** Shows the number of problems on each tab. */
export function showBadges(all: readonly Diagnostic[]): void {
  for (const badge of document.querySelectorAll<HTMLElement>("[data-badge]")) {
    const problems = all.filter((d) => d.text === badge.dataset["badge"]);
    badge.textContent = problems.length > 0 ? String(problems.length) : "";
    badge.title = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    badge.classList.toggle(
      "is-error",
      problems.some((d) => d.severity === "error"),
    );
  }
}

/** The problem that comes after a place, or before it, in the order of the texts; around the ends. */
export function problemFrom(
  problems: readonly Diagnostic[],
  text: TextName,
  position: number,
  backwards: boolean,
): Diagnostic | undefined {
  const order = (name: string, start: number): number => TEXTS.findIndex((t) => t === name) * 2 ** 32 + start;
  const of = (d: Diagnostic): number => order(d.text, d.span.start);
  const here = order(text, position);
  const sorted = [...problems].sort((a, b) => of(a) - of(b));
  return backwards
    ? (sorted.findLast((d) => of(d) < here) ?? sorted.at(-1))
    : (sorted.find((d) => of(d) > here) ?? sorted[0]);
}
