// The texts of a scenario, by their names.

import type { AnyText } from "./protocol.ts";

/** A text with an editor of its own; a diagnostic may also be about the settings ("scenario"). */
export type TextName = Exclude<AnyText, "scenario">;

/** The texts, in the order of their tabs. */
export const TEXTS: readonly TextName[] = ["policies", "request", "cluster", "expression"];

/** The text with a name; undefined when there is none. */
export function textNamed(name: string | undefined): TextName | undefined {
  return TEXTS.find((text) => text === name);
}
