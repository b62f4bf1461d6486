// The texts of a scenario, by their names.

import type { AnyText } from "./protocol.ts";

/** A text with an editor of its own; a diagnostic may also be about the settings ("scenario"). */
export type TextName = Exclude<AnyText, "scenario">;

/** The context in which the text of the expression is YAML: a schema with its rules, and values of it. */
export const RULES = "rule";

/** The texts, in the order of their keys. */
export const TEXTS: readonly TextName[] = ["policies", "request", "cluster", "expression"];

/** What they are called. */
export const NAMES: Readonly<Record<TextName, string>> = {
  policies: "Policies",
  request: "Request",
  cluster: "Cluster",
  expression: "Expression",
};

/** The text with a name; undefined when there is none. */
export function textNamed(name: string | undefined): TextName | undefined {
  return TEXTS.find((text) => text === name);
}

/** The note above a result while a text cannot be read; rest: it is the result of what can be read. */
export function brokenNote(text: AnyText, rest: boolean): string {
  const shown = rest ? "This result leaves the broken document out." : "This is the last valid result.";
  return `${text === "scenario" ? "A setting" : NAMES[text]} has a syntax error. ${shown}`;
}
