// Where in a Kubernetes manifest CEL is written. The rule is the field's path in
// its kind, not its name: a ConfigMap may well have a key called "expression".

import type { Input, SyntaxNode } from "@lezer/common";
import { celFields } from "./fields.js";

/** A document's identity, as far as it decides where CEL is written. */
interface Kind {
  group: string | null;
  kind: string;
}

/** How the path of each field looks. */
const places = celFields.map((field) => ({ ...field, pattern: pattern(field.path) }));

/** The last names that any place ends with: a quick test before the walk. */
const lastNames = new Set(celFields.map(({ path }) => path.slice(path.lastIndexOf(".") + 1)));

function pattern(path: string): RegExp {
  return new RegExp(`^${path.replace(/[.[\]]/g, "\\$&").replace("**", ".*")}$`);
}

/** Whether the scalar `node` of a YAML tree is a CEL expression. */
export function isCelPlace(node: SyntaxNode, input: Input): boolean {
  const last = keyOf(node, input);
  if (!last || !lastNames.has(last)) return false;
  const { path, mappings } = pathOf(node, input);
  const kind = kindOf(mappings[0], input);
  // `kind: List` carries whole objects under `items`, as kubectl get prints them.
  if (kind?.kind.endsWith("List") && path.startsWith("items[].")) {
    return isPlaceIn(kindOf(mappings[1], input), path.slice("items[].".length));
  }
  return isPlaceIn(kind, path);
}

/** Rules that are tried without a definition: a document of no kind, with a schema. */
const ALONE: Kind = { kind: "CustomResourceDefinition", group: "apiextensions.k8s.io" };

function isPlaceIn(at: Kind | null, path: string): boolean {
  if (!at) return path.startsWith("schema.") && isPlaceIn(ALONE, `spec.${path}`);
  return places.some((p) => p.kinds.includes(at.kind) && (at.group ?? p.group) == p.group && p.pattern.test(path));
}

/** The key that a scalar is the value of, or null where it is not a pair's value. */
function keyOf(node: SyntaxNode, input: Input): string | null {
  let up = node.parent;
  while (up && (up.name == "Tagged" || up.name == "Anchored")) up = up.parent;
  return up && up.name == "Pair" ? pairKey(up, input) : null;
}

/** The path of a scalar in its document, and the mappings around it, outermost first. */
function pathOf(node: SyntaxNode, input: Input): { path: string; mappings: SyntaxNode[] } {
  let path = "";
  const mappings: SyntaxNode[] = [];
  for (let up = node.parent; up && up.name != "Document"; up = up.parent) {
    // A key is no value, even where a key is a mapping itself.
    if (up.name == "Key") return { path: "", mappings: [] };
    const rest = path && !path.startsWith("[") ? "." + path : path;
    if (up.name == "Item") path = "[]" + rest;
    else if (up.name == "Pair") path = (pairKey(up, input) ?? "?") + rest;
    else if (up.name == "BlockMapping" || up.name == "FlowMapping") mappings.unshift(up);
  }
  return { path, mappings };
}

function kindOf(mapping: SyntaxNode | undefined, input: Input): Kind | null {
  if (!mapping) return null;
  let kind: string | null = null,
    apiVersion: string | null = null;
  for (const pair of mapping.getChildren("Pair")) {
    const key = pairKey(pair, input);
    if (key == "kind") kind = scalarText(pair.lastChild, input);
    else if (key == "apiVersion") apiVersion = scalarText(pair.lastChild, input);
  }
  if (!kind) return null;
  const slash = apiVersion?.indexOf("/") ?? -1;
  return { kind, group: apiVersion == null ? null : slash < 0 ? "" : apiVersion.slice(0, slash) };
}

function pairKey(pair: SyntaxNode, input: Input): string | null {
  const key = pair.getChild("Key");
  return key && scalarText(key.lastChild, input);
}

/** The text of a short scalar; escapes do not occur in the names we look for. */
function scalarText(node: SyntaxNode | null, input: Input): string | null {
  if (!node) return null;
  const text = input.read(node.from, node.to);
  if (node.name == "Literal") return text;
  if (node.name == "QuotedLiteral") return text.slice(1, -1);
  return null;
}

/**
 * The kinds of all documents of a text in short. When it changes, a field that
 * was not CEL may have become CEL far away from the edit.
 */
export function kindsOf(text: string): string {
  return (text.match(/["']?\b(?:kind|apiVersion)["']?\s*:[^\n,}]*|^---.*$/gm) ?? []).join("\n");
}
