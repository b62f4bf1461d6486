// The problems in the texts: the line that unfolds to all of them, and the way from one to the next.

import { byID } from "./dom.ts";
import type { Diagnostic } from "./protocol.ts";
import { TEXTS, type TextName } from "./texts.ts";

/** Shows the list of problems where it was opened, and lets Escape close it: it lies over the result. */
export function installProblemList(): void {
  const place = byID("problems", HTMLElement);
  const opened = (): HTMLDetailsElement | null => place.querySelector(".problems-fold[open]");
  // On a phone it opens below the edge of the screen.
  place.addEventListener("toggle", () => opened()?.scrollIntoView({ block: "nearest" }), true);
  place.addEventListener("keydown", (event) => {
    const fold = opened();
    if (event.key !== "Escape" || fold === null) return;
    fold.open = false;
    fold.querySelector("summary")?.focus();
  });
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
