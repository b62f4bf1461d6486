// The problems in the texts: the line that unfolds to all of them, and the way from one to the next.

import { byID } from "./dom.ts";
import type { Diagnostic } from "./protocol.ts";
import { TEXTS, type TextName } from "./texts.ts";

/** Lets Escape close the list of problems, which lies over the result. */
export function closeWithEscape(): void {
  byID("problems", HTMLElement).addEventListener("keydown", (event) => {
    const fold = byID("problems", HTMLElement).querySelector<HTMLDetailsElement>(".problems-fold[open]");
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
