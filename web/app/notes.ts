// What the editors show about the last evaluation: the result and cost at the
// end of each expression's line, the part that decided, the parts that never
// ran, and the value of a part under the pointer. This module chooses; lang-cel
// draws.

import type { Note, Tone } from "@preadmit/lang-cel";

import type { Offsets } from "./offsets.ts";
import type { Evaluation, ReportNode, Span, Step } from "./protocol.ts";
import type { TextName } from "./texts.ts";

/** One expression that was evaluated somewhere in a text. */
interface Run {
  kind: "condition" | "variable" | "mutation" | "validation" | "message" | "audit" | "expression";
  evaluation: Evaluation;
  denies: boolean;
}

/** What was evaluated: the expressions of the steps, and the free expression. */
export interface Ran {
  steps: readonly Step[];
  expression: Evaluation | undefined;
}

/** The notes that there are for one text. */
export function notesOf(ran: Ran, text: TextName, offsets: Offsets): Note[] {
  const notes: Note[] = [];
  const seen = new Map<string, { note: Note & { kind: "line" }; times: number; cost: number }>();
  const coverage = new Coverage();
  for (const run of runs(ran)) {
    const e = run.evaluation;
    if (e.text !== text || e.span.end <= e.span.start) continue;
    coverage.add(e);
    if (!e.evaluated && e.error === undefined) continue;
    // A policy with several bindings or params runs its expressions again, and messages do so with its
    // variables. The same result is one note, with the cost of all runs.
    const key = `${e.span.start} ${resultOf(e)}`;
    const again = seen.get(key);
    if (again !== undefined) {
      again.cost += e.cost;
      again.note.text = summarise(e, again.cost, ++again.times);
      continue;
    }
    const from = offsets.toUnits(e.span.start);
    const to = offsets.toUnits(e.span.end);
    const tone = toneOf(run);
    const note = { kind: "line" as const, from, to, text: summarise(e, e.cost), tone };
    seen.set(key, { note, times: 1, cost: e.cost });
    notes.push(note);
    if (tone === "bad" || tone === "error") {
      if (e.decisive) notes.push({ kind: "mark", ...unitSpan(e.decisive, offsets), tone });
    }
    values(e.children ?? [], offsets, notes);
  }
  for (const span of coverage.never())
    notes.push({ kind: "unevaluated", from: offsets.toUnits(span.start), to: offsets.toUnits(span.end) });
  return notes;
}

/** Which parts ran in any of the runs of their expression: bindings and params repeat it. */
export class Coverage {
  readonly #ran = new Set<string>();
  readonly #left = new Map<string, Span>();

  add(part: { span: Span; evaluated: boolean; error?: string; children?: ReportNode[] }): void {
    const key = `${part.span.start} ${part.span.end}`;
    if (part.evaluated || part.error !== undefined) this.#ran.add(key);
    else this.#left.set(key, part.span);
    for (const child of part.children ?? []) this.add(child);
  }

  /** The parts that no run has evaluated; those inside of others are left out. */
  never(): Span[] {
    const spans = [...this.#left].filter(([key]) => !this.#ran.has(key)).map(([, span]) => span);
    spans.sort((a, b) => a.start - b.start || b.end - a.end);
    const outer: Span[] = [];
    for (const span of spans) {
      if (span.end > (outer.at(-1)?.end ?? -1)) outer.push(span);
    }
    return outer;
  }
}

function runs({ steps, expression }: Ran): Run[] {
  const out: Run[] = [];
  const add = (kind: Run["kind"], evaluation: Evaluation, denies = false): void => {
    out.push({ kind, evaluation, denies });
    for (const variable of evaluation.variables ?? []) add("variable", variable);
  };
  if (expression !== undefined) add("expression", expression);
  for (const step of steps) {
    for (const e of step.conditions ?? []) add("condition", e);
    for (const e of step.variables ?? []) add("variable", e);
    for (const e of step.mutations ?? []) add("mutation", e);
    for (const e of step.validations ?? []) {
      add("validation", e, e.decision === "deny");
      if (e.messageExpression) add("message", e.messageExpression);
    }
    for (const e of step.auditAnnotations ?? []) add("audit", e);
  }
  return out;
}

function toneOf(run: Run): Tone {
  const e = run.evaluation;
  if (e.error !== undefined) return "error";
  if (run.denies) return "bad";
  if (run.kind === "condition" && e.result === false) return "warn";
  if (e.result === true && (run.kind === "condition" || run.kind === "validation")) return "ok";
  return "muted";
}

function unitSpan(part: { span: Span }, offsets: Offsets): { from: number; to: number } {
  return { from: offsets.toUnits(part.span.start), to: offsets.toUnits(part.span.end) };
}

function values(nodes: readonly ReportNode[], offsets: Offsets, notes: Note[]): void {
  for (const node of nodes) {
    if (!node.evaluated) continue;
    const place = unitSpan(node, offsets);
    notes.push({ kind: "value", ...place, text: tip(node) });
    values(node.children ?? [], offsets, notes);
  }
}

/** What a part gave, what that means for the data, and in a loop each run with the number of its item. */
function tip(node: ReportNode): string {
  const value = limited(node.shown ?? JSON.stringify(node.value ?? null), 240);
  const lines = [node.error ?? (node.failed ? "no value: a part of it failed" : value)];
  const facts = [node.type, `cost ${node.cost}`, node.count === undefined ? "" : `ran ${node.count} times`];
  lines.push(facts.filter((f) => f).join(" · "));
  if (node.note) lines.push(node.note);
  const shown = node.values ?? [];
  shown.forEach((v, i) => {
    const text = node.shownValues?.[i] || JSON.stringify(v ?? null);
    lines.push(`  ${(node.at?.[i] ?? []).join(".")}: ${limited(text, 100)}`);
  });
  if (node.count !== undefined && shown.length > 0 && shown.length < node.count)
    lines.push(`  ${node.count - shown.length} more are left out`);
  return lines.join("\n");
}

/** A value as JSON, cut to limit characters. */
function brief(value: unknown, limit: number): string {
  return limited(JSON.stringify(value) ?? "null", limit);
}

function limited(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/** A result in a few words, and what its runs cost together. */
function summarise(e: Evaluation, cost: number, times = 1): string {
  if (cost < 0) return resultOf(e);
  const how = times > 1 ? ` in ${times} runs` : e.cached ? ", then cached" : "";
  return [resultOf(e), `cost ${cost.toLocaleString("en")}${how}`].filter(Boolean).join(" · ");
}

/** The value, its type where it is long, or the word error. */
function resultOf(e: Evaluation): string {
  if (e.error !== undefined) return "error";
  const scalar = typeof e.result !== "object" || e.result === null;
  return e.result !== undefined && scalar ? brief(e.result, 48) : (e.type ?? "");
}
