// A comparison of two runs: each gate on the two paths links to its differences.

import { pointAt } from "./result.ts";

/** Follows the gates of the comparisons that are shown inside an element, now or later. */
export function leadToDifferences(host: HTMLElement): void {
  host.addEventListener("click", ({ target }) => {
    const gate = (target as Element).closest<HTMLElement>("[data-leads-to]");
    const comparison = gate?.closest(".what-if");
    const name = gate?.dataset["leadsTo"];
    const differs = comparison?.querySelector<HTMLElement>(`[data-differs="${name ?? ""}"]`);
    if (differs === null || differs === undefined) return;
    differs.focus({ preventScroll: true });
    pointAt(differs);
  });
}
