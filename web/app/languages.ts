// The languages of the editors: YAML with CEL inside, and CEL alone.

import type { Extension } from "@codemirror/state";
import { cel, yamlWithCel } from "@preadmit/lang-cel";

import type { TextName } from "./texts.ts";

export function languageOf(text: TextName): Extension {
  return text === "expression" ? cel() : yamlWithCel();
}
