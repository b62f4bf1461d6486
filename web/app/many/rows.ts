// The rows of the table: which are shown and in which order, and how they are
// written into a file.

import type { Row } from "../protocol.ts";
import type { Column } from "./grid.ts";
import { gravity, verdictOf, VERDICTS } from "./words.ts";

export interface Order {
  key: string;
  down: boolean;
}

export interface Filter {
  /** Words that a row has to have, in any of its texts. */
  words: string;
  /** The verdict, by its word; empty for all. */
  verdict: string;
}

/**
 * The rows with their verdicts. When the policies change, a row keeps its old verdict,
 * marked as such, until it has another one.
 */
export class Verdicts {
  readonly rows: Row[] = [];
  /** So many rows, from the first, have been evaluated since the last begin. */
  fresh = 0;
  /** Since the rows were evaluated something has changed. */
  changed = false;

  /** All rows are evaluated anew. */
  begin(): void {
    this.fresh = 0;
    this.changed = false;
  }

  /** The next rows have come. */
  take(rows: readonly Row[]): void {
    for (const row of rows) this.rows[this.fresh++] = row;
  }

  /** Whether a row has the verdict of other policies than those that there are. */
  isOld(number: number): boolean {
    return this.changed || number >= this.fresh;
  }

  /** How many rows are old. */
  get old(): number {
    return this.changed ? this.rows.length : this.rows.length - Math.min(this.fresh, this.rows.length);
  }
}

/** The columns before those of the policies. */
export const FIXED: readonly Column[] = [
  { key: "#", title: "#", hint: "" },
  { key: "request", title: "Request", hint: "" },
  { key: "verdict", title: "Verdict", hint: "" },
];

/** Whether a column is of what the reader gave, not of a built-in plugin or a check of the server. */
const given = ({ hint }: Column): boolean => hint === "" || /(AdmissionPolicy|WebhookConfiguration)$/.test(hint);

/**
 * A column for each policy and webhook that any row has met, in the order in which they
 * come, and behind them one for each built-in plugin.
 */
export function policyColumns(rows: readonly Row[], known: readonly Column[]): readonly Column[] {
  const columns = [...known];
  const keys = new Set(columns.map((c) => c.key));
  for (const { cells } of rows) {
    for (const { kind, name } of cells ?? []) {
      const key = `${kind}/${name}`;
      if (keys.has(key)) continue;
      keys.add(key);
      columns.push({ key, title: name, hint: kind });
    }
  }
  return [...columns.filter(given), ...columns.filter((column) => !given(column))];
}

/** The name of what a row asks about. */
export function nameOf(row: Row): string {
  const name = [row.namespace, row.name].filter(Boolean).join("/");
  return name || row.kind || placeOf(row);
}

/** Where a row comes from. */
export function placeOf(row: Row): string {
  return row.file === undefined ? `line ${String(row.line)}` : `${row.file}:${String(row.line)}`;
}

function textOf(row: Row): string {
  return [
    row.operation,
    row.kind,
    row.subResource,
    nameOf(row),
    row.user,
    placeOf(row),
    verdictOf(row).text,
    row.message,
    row.problem,
    row.skipped,
    ...(row.cells ?? []).map((c) => `${c.name} ${c.state}`),
  ]
    .join(" ")
    .toLowerCase();
}

/** The numbers of the rows that pass a filter, in an order. */
export function chosen(rows: readonly Row[], { words, verdict }: Filter, { key, down }: Order): number[] {
  const wanted = words.toLowerCase().split(/\s+/).filter(Boolean);
  const numbers: number[] = [];
  for (const [number, row] of rows.entries()) {
    if (verdict !== "" && verdictOf(row).text !== verdict) continue;
    if (wanted.length > 0) {
      const text = textOf(row);
      if (!wanted.every((word) => text.includes(word))) continue;
    }
    numbers.push(number);
  }
  if (key === "#") return down ? numbers.reverse() : numbers;
  const value = sortKey(rows, key);
  const values = new Map(numbers.map((n) => [n, value(n)]));
  numbers.sort((a, b) => {
    const [x, y] = [values.get(a) ?? 0, values.get(b) ?? 0];
    const order = typeof x === "string" && typeof y === "string" ? x.localeCompare(y) : Number(x) - Number(y);
    return (down ? -order : order) || a - b;
  });
  return numbers;
}

/** What rows are ordered by: names, or how grave a verdict is, the gravest first. */
function sortKey(rows: readonly Row[], key: string): (row: number) => string | number {
  const row = (n: number): Row => rows[n] ?? { line: 0 };
  if (key === "request") return (n) => nameOf(row(n));
  if (key === "verdict") return (n) => VERDICTS.indexOf(verdictOf(row(n)));
  return (n) => gravity(row(n).cells?.find((c) => `${c.kind}/${c.name}` === key));
}

/** How many rows have each verdict, the gravest first; those that no row has are left out. */
export function counts(rows: readonly Row[]): [string, number][] {
  const found = new Map<string, number>();
  for (const row of rows) {
    const { text } = verdictOf(row);
    found.set(text, (found.get(text) ?? 0) + 1);
  }
  return VERDICTS.flatMap(({ text }) => {
    const count = found.get(text);
    return count === undefined ? [] : [[text, count] satisfies [string, number]];
  });
}

/** One JSON document a line; old verdicts say that they are. */
export function ndjson(verdicts: Verdicts, numbers: readonly number[]): string {
  const written = (n: number): object => ({ ...verdicts.rows[n], ...(verdicts.isOld(n) && { old: true }) });
  return numbers.map((n) => `${JSON.stringify(written(n))}\n`).join("");
}
