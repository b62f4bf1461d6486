// The text of rules that are tried without a definition: YAML with a schema, a value of
// it, and the value before.

/** Rules to begin with: a schema with a rule, and a value that breaks it. */
export const RULES_DRAFT = `schema:
  type: object
  properties:
    replicas: {type: integer}
    maxReplicas: {type: integer}
  x-kubernetes-validations:
  - rule: self.replicas <= self.maxReplicas
    message: replicas must not exceed maxReplicas
self:
  replicas: 5
  maxReplicas: 3
`;

/** The fields of the text, in their order. */
const PARTS = ["schema", "self", "oldSelf"] as const;
export type Part = (typeof PARTS)[number];

export function isPart(name: string | undefined): name is Part {
  return PARTS.some((part) => part === name);
}

/** Whether a text is one of rules. */
export function isRules(text: string): boolean {
  return placeOf(text, "schema") !== undefined;
}

/** Where the field of a part begins. */
export function placeOf(text: string, part: Part): number | undefined {
  return new RegExp(`^["']?${part}["']?\\s*:`, "m").exec(text)?.index;
}

/** A text with a part that is missing, at its end: an old value begins as the present one. */
export function withPart(text: string, part: Part): string {
  if (placeOf(text, part) !== undefined) return text;
  const start = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  const self = part === "oldSelf" ? /^self[ \t]*:[^\n]*\n(?:[ \t-][^\n]*\n|\n)*/m.exec(start)?.[0] : undefined;
  return start + (self === undefined ? `${part}:\n  ` : self.replace("self", "oldSelf"));
}
