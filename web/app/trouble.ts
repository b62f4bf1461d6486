// What the reader hears when the browser does not keep their work.

import type { Trouble } from "./kept.ts";
import { notice } from "./notice.ts";

const SENTENCES: Record<Exclude<Trouble, "nothing">, string> = {
  off: "This browser stores nothing for this site. Your work is lost when you close the tab. Share or download what you need.",
  full: "This browser's storage is full. Your work is lost when you close the tab. Share or download what you need, or remove earlier work.",
  newer:
    "Your earlier work was kept by a newer version of this page, and is unchanged. Reload the page; until then nothing new is kept.",
};

let shown: Trouble | undefined;

/** Says once why work is not kept. */
export function reportTrouble(trouble: Trouble | undefined): void {
  if (trouble === undefined || trouble === "nothing" || trouble === shown) return;
  shown = trouble;
  notice(SENTENCES[trouble]);
}
