// What the lists of the dialog "On this machine" have in common, and what they ask of the page.

import type { Work } from "../kept.ts";
import type { WhatIfParams, WhatIfReply } from "../protocol.ts";

export interface KeptEvents {
  /** Shows other work; what is there now is kept. */
  restore(work: Work): void;
  /** Keeps what is there now, so that it is in the list. */
  keep(): void;
  /** What is there now. */
  work(): Work;
  /** Renders what differs between two scenarios. */
  whatIf(params: WhatIfParams): Promise<WhatIfReply>;
}

/** One list of the dialog. */
export interface KeptPanel {
  /** Shows what is kept now. */
  show(): void;
  /** Puts the focus where the reader begins. */
  focus?(): void;
}

/** Shows kept work in place of what is there, and says so. */
export type Open = (work: Work, words: string) => void;
