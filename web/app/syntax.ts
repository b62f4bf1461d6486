// What the parts of YAML and CEL are to the eye: the editors give each group a
// colour (editor-theme.ts), the static pages a class (tools/colour.ts).

import { tags as t, type Tag } from "@lezer/highlight";

/** A group of parts that look alike. */
export type SyntaxGroup = "key" | "text" | "number" | "operator" | "function" | "comment";

export const SYNTAX: Record<SyntaxGroup, readonly Tag[]> = {
  key: [t.definition(t.propertyName), t.propertyName],
  text: [t.string, t.special(t.string), t.content],
  number: [t.number, t.bool, t.null],
  operator: [t.keyword, t.operatorKeyword, t.operator, t.logicOperator, t.compareOperator],
  function: [t.function(t.variableName), t.function(t.propertyName), t.macroName, t.typeName, t.tagName, t.className],
  comment: [t.comment, t.lineComment],
};
