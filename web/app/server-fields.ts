// What a server has added to an object that was read from a cluster: who wrote which
// field, the copy of the last kubectl apply, uid and resourceVersion, the status. It is
// half of such a text and nearly never what it is about, so the editor folds it.

import { foldEffect } from "@codemirror/language";
import type { EditorState, StateEffect, Text } from "@codemirror/state";

/** A part of a text that is folded, and what it has. */
export interface ServerPart {
  from: number;
  to: number;
  fields: readonly string[];
}

/** Fields whose value is folded away. */
const BLOCKS = new Set(["managedFields", "kubectl.kubernetes.io/last-applied-configuration", "status"]);

/** Fields of metadata that are one line each, and are folded with it. */
const LINES = new Set(["uid", "resourceVersion", "creationTimestamp", "generation", "selfLink"]);

/** A line of YAML, or of JSON that is not all on one line. */
interface Line {
  from: number;
  to: number;
  indent: number;
  /** The key that the line begins with. */
  key: string | undefined;
  /** Whether an item of a list begins here, or what a bracket closes ends. */
  item: boolean;
  closes: boolean;
  empty: boolean;
  /** The number of the line of the field that this one is in, -1 for none. */
  parent: number;
}

const SHAPE = /^( *)((?:- +)*)(?:"([^"]+)"|'([^']+)'|([\w./-]+))?\s*(:(?=\s|$))?/;

function linesOf(doc: Text): Line[] {
  const lines: Line[] = [];
  /** The fields that are open, by the indent of their keys. */
  const open: { indent: number; line: number }[] = [];
  for (let n = 1; n <= doc.lines; n++) {
    const { from, to, text } = doc.line(n);
    const [, blanks = "", dashes = "", double, single, plain, colon] = SHAPE.exec(text) ?? [];
    const rest = text.slice(blanks.length);
    const indent = blanks.length + dashes.length;
    const line: Line = {
      from,
      to,
      indent,
      key: colon === undefined ? undefined : (double ?? single ?? plain),
      item: dashes !== "" || rest.startsWith("-"),
      closes: /^[\]}]/.test(rest),
      empty: rest === "" || rest.startsWith("#"),
      parent: -1,
    };
    if (rest.startsWith("---")) open.length = 0;
    else if (!line.empty) {
      // The dash of a list may be as far to the left as the key of the list.
      const edge = line.item ? blanks.length + 1 : indent;
      while (open.length > 0 && (open.at(-1)?.indent ?? 0) >= edge) open.pop();
      line.parent = open.at(-1)?.line ?? -1;
      if (line.key !== undefined) open.push({ indent, line: lines.length });
    }
    lines.push(line);
  }
  return lines;
}

/** The last line of the value that begins at a line. */
function endOf(lines: readonly Line[], start: number): number {
  const indent = lines[start]?.indent ?? 0;
  let end = start;
  for (let i = start + 1; i < lines.length; i++) {
    const line = lines[i];
    if (line === undefined) break;
    if (line.empty) continue;
    if (isIn(lines, i, start) || (line.closes && line.indent === indent)) end = i;
    else break;
  }
  return end;
}

function isIn(lines: readonly Line[], line: number, field: number): boolean {
  for (let at = lines[line]?.parent ?? -1; at >= 0; at = lines[at]?.parent ?? -1) if (at === field) return true;
  return false;
}

/** The parts of a text that a server has added, for each object that was read from a cluster. */
export function serverParts(doc: Text): ServerPart[] {
  const lines = linesOf(doc);
  const fields = fieldsOf(lines);
  const parts: ServerPart[] = [];
  for (const [at, line] of lines.entries()) {
    if (line.key !== "metadata") continue;
    const inside = fields.get(at) ?? [];
    const keys = new Set(inside.map((n) => lines[n]?.key));
    // A uid is what only a server gives; one alone may be what a reader wrote.
    if (!keys.has("uid") || !(keys.has("resourceVersion") || keys.has("creationTimestamp"))) continue;
    const annotations = inside.find((n) => lines[n]?.key === "annotations") ?? -1;
    const status = beside(lines, at, "status");
    for (const n of [...inside, ...(fields.get(annotations) ?? []), ...(status < 0 ? [] : [status])]) {
      const field = lines[n]?.key ?? "";
      const end = endOf(lines, n);
      const [first, last] = [lines[n], lines[end]];
      if (first === undefined || last === undefined) continue;
      if (BLOCKS.has(field) && end > n) {
        const line = doc.lineAt(first.from);
        parts.push({ from: line.to, to: last.to, fields: [field] });
      } else if (LINES.has(field) && end === n) parts.push({ from: first.from, to: first.to, fields: [field] });
    }
  }
  // A single line is as short as its mark.
  return merged(parts.sort((a, b) => a.from - b.from)).filter(
    ({ from, to }) => doc.lineAt(from).number < doc.lineAt(to).number,
  );
}

/** The lines with the fields of each field, by its line: a text may have thousands of objects. */
function fieldsOf(lines: readonly Line[]): Map<number, number[]> {
  const out = new Map<number, number[]>();
  for (const [n, { key, parent }] of lines.entries()) {
    if (key === undefined || parent < 0) continue;
    const known = out.get(parent);
    if (known === undefined) out.set(parent, [n]);
    else known.push(n);
  }
  return out;
}

/** The line of another field of the same object, or -1: where the lines between are further in, or fields of it. */
function beside(lines: readonly Line[], at: number, key: string): number {
  const { indent = 0, parent = -1 } = lines[at] ?? {};
  for (const step of [1, -1]) {
    // The line that begins an item of a list is its first field.
    let over = step < 0 && (lines[at]?.item ?? false);
    for (let n = at + step; !over && n >= 0 && n < lines.length; n += step) {
      const line = lines[n];
      if (line === undefined || line.empty) continue;
      over = (line.item && line.indent === indent) || line.indent < indent;
      if (over && step > 0) break;
      if (line.key === key && line.parent === parent && line.indent === indent) return n;
    }
  }
  return -1;
}

/** Neighbours become one. */
function merged(parts: readonly ServerPart[]): ServerPart[] {
  const out: ServerPart[] = [];
  for (const part of parts) {
    const last = out.at(-1);
    if (last !== undefined && part.from <= last.to + 1)
      out[out.length - 1] = {
        from: last.from,
        to: Math.max(last.to, part.to),
        fields: [...last.fields, ...part.fields],
      };
    else out.push(part);
  }
  return out;
}

/** What folds the server's fields of a text, or of the part of it that is new. */
export function foldServerFields(state: EditorState, from = 0, to = state.doc.length): StateEffect<unknown>[] {
  const cursor = state.selection.main.head;
  return serverParts(state.doc)
    .filter((part) => part.from >= from && part.to <= to && !(cursor > part.from && cursor < part.to))
    .map(({ from, to }) => foldEffect.of({ from, to }));
}
