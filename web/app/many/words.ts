// What verdicts are called, and how they look, in the table and in the tests.

import type { Row, State, Cell } from "../protocol.ts";

/** The colours of verdicts, as classes of styles/many.css. */
export type Tone = "denied" | "admitted" | "mutated" | "warned" | "idle";

export interface Word {
  text: string;
  tone: Tone;
  /** A sign beside the word, for those who do not see the colour. */
  sign: string;
}

const SIGNS: Record<Tone, string> = { denied: "✕", admitted: "✓", mutated: "Δ", warned: "!", idle: "–" };

function word(text: string, tone: Tone): Word {
  return { text, tone, sign: SIGNS[tone] };
}

const STATES: Record<State, Word> = {
  denied: word("Denied", "denied"),
  policyRefused: word("Policy rejected", "warned"),
  undecided: word("Undecided", "warned"),
  noRequest: word("No request", "warned"),
  noPolicyRan: word("No policy ran", "warned"),
  noPolicies: word("No policies", "warned"),
  mutated: word("Admitted, mutated", "mutated"),
  admitted: word("Admitted", "admitted"),
};

const UNREADABLE = word("Unreadable", "warned");
const SKIPPED = word("Skipped", "idle");

/** The verdict on a row. Only a request that a policy had a say in is green. */
export function verdictOf(row: Pick<Row, "state" | "skipped" | "problem">): Word {
  if (row.problem !== undefined) return UNREADABLE;
  if (row.skipped !== undefined) return SKIPPED;
  return STATES[row.state ?? "undecided"];
}

/** The verdicts, the gravest first. */
export const VERDICTS: readonly Word[] = [
  STATES.denied,
  STATES.policyRefused,
  UNREADABLE,
  STATES.undecided,
  STATES.noRequest,
  STATES.noPolicyRan,
  STATES.noPolicies,
  STATES.mutated,
  STATES.admitted,
  SKIPPED,
];

/** The states of a cell, the gravest first, with their colours. */
const TONES: Record<Cell["state"], Tone> = {
  refused: "warned",
  denied: "denied",
  "error ignored": "warned",
  mutated: "mutated",
  warned: "warned",
  audited: "warned",
  admitted: "admitted",
  unchanged: "admitted",
  excluded: "idle",
  "not called": "idle",
  skipped: "idle",
  "not matched": "idle",
};

const GRAVITY = Object.keys(TONES);

/** The state of a cell as a word; a policy that a request does not meet has none. */
export function wordOf(cell: Cell | undefined): Word {
  return cell === undefined ? word("", "idle") : word(cell.state, TONES[cell.state]);
}

/** How grave the state of a cell is: the smaller, the graver. */
export function gravity(cell: Cell | undefined): number {
  return cell === undefined ? GRAVITY.length : GRAVITY.indexOf(cell.state);
}
