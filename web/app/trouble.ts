// What the reader hears when the browser does not keep their work.

import type { Trouble } from "./kept.ts";
import { notice } from "./notice.ts";

const SENTENCES: Record<Trouble, string> = {
  off: "This browser keeps nothing for this site: your work is gone when the tab is closed. Share or download what you need.",
  full: "The storage of this browser is full: your work is gone when the tab is closed. Share or download what you need, or remove earlier work.",
  newer:
    "Your earlier work was kept by a newer version of this page, and stays as it is. Reload the page; until then nothing new is kept.",
};

let shown: Trouble | undefined;

/** Says once why work is not kept. */
export function reportTrouble(trouble: Trouble | undefined): void {
  if (trouble === undefined || trouble === shown) return;
  shown = trouble;
  notice(SENTENCES[trouble]);
}
