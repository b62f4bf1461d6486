// What the reader hears when the browser does not keep their work.

import type { Trouble } from "./kept.ts";
import { notice } from "./notice.ts";

const SENTENCES: Record<Exclude<Trouble, "nothing">, string> = {
  off: "This browser stores nothing for this site. Your work is lost when you close the tab. Share or download what you need.",
  full: "This browser's storage is full. Your work is lost when you close the tab. Share or download what you need, or remove earlier work.",
  newer:
    "Your earlier work was kept by a newer version of this page, and is unchanged. Reload the page; until then nothing new is kept.",
};

/** What the reader hears when a list of their own cannot be written. */
export const NOT_SAVED: Record<Trouble, string> = {
  off: "This browser stores nothing for this site, so nothing was saved. Share or download what you need.",
  full: "This browser's storage is full. Nothing was saved. Remove kept work, or download the scenario under Share.",
  newer: "A newer version of this page wrote this list, so nothing was saved. Reload the page.",
  nothing: "Nothing was saved, because you chose to keep nothing on this machine.",
};

let shown: Trouble | undefined;

/** Says once why work is not kept. */
export function reportTrouble(trouble: Trouble | undefined): void {
  if (trouble === undefined || trouble === "nothing" || trouble === shown) return;
  shown = trouble;
  notice(SENTENCES[trouble]);
}
