// What a permalink looks like, for those who need not read it: the codec (link.ts) is
// loaded when a link is opened or made.

import type { TextName } from "./texts.ts";

/** Where the reader was who made a link. */
export interface Seen {
  /** The text that was open, and what was selected in it, in bytes. */
  text: TextName;
  start: number;
  end: number;
  /** The tab of the result. */
  view: string;
}

/** Whether a fragment is a permalink of this or a later version. */
export function isLink(hash: string): boolean {
  return /^#\d+\//.test(hash);
}
