// The languages of the editors: YAML with CEL inside, and CEL alone.

import type { Extension } from "@codemirror/state";
import { cel, yamlWithCel } from "@preadmit/lang-cel";

import { RULES, type TextName } from "./texts.ts";

/** The language of a text; context says what the expression is. */
export function languageOf(text: TextName, context = ""): Extension {
  return text === "expression" && context !== RULES ? cel() : yamlWithCel();
}
