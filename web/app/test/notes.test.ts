// Which parts of an expression count as never evaluated.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Coverage, notesOf, type Ran } from "../notes.ts";
import { Offsets } from "../offsets.ts";
import type { Evaluation, ReportNode } from "../protocol.ts";

const part = (start: number, end: number, evaluated: boolean, children: ReturnType<typeof node>[] = []) => ({
  span: { start, end },
  evaluated,
  children,
});
const node = (start: number, end: number, evaluated: boolean) => ({
  span: { start, end },
  start,
  end,
  evaluated,
  cost: 0,
  kind: "call",
});

test("a part that ran under one binding is covered, the largest others are not", () => {
  const coverage = new Coverage();
  coverage.add(part(0, 30, true, [node(0, 10, true), node(12, 30, false), node(14, 20, false)]));
  assert.deepEqual(coverage.never(), [{ start: 12, end: 30 }]);
  coverage.add(part(0, 30, true, [node(12, 30, true), node(14, 20, false)]));
  assert.deepEqual(coverage.never(), [{ start: 14, end: 20 }]);
});

test("an expression that never ran is tinted as a whole", () => {
  const coverage = new Coverage();
  coverage.add(part(5, 9, false));
  assert.deepEqual(coverage.never(), [{ start: 5, end: 9 }]);
});

/** A run of the free expression, whose parts are nodes. */
const reportOf = (expression: string, children: ReportNode[], decisive?: { start: number; end: number }): Ran => ({
  steps: [],
  expression: {
    text: "expression",
    span: { start: 0, end: expression.length },
    expression,
    error: "no such key: labels",
    evaluated: true,
    cost: 3,
    children,
    ...(decisive && { decisive: { span: decisive, ...decisive } }),
  } as unknown as Evaluation,
});

test("the part that decided is marked as the report says, also where it failed", () => {
  // As in examples/no-such-key: the selection of a label has no value because the labels are missing.
  const text = "object.metadata.labels.team != ''";
  const failed: ReportNode = { ...node(0, 27, true), kind: "select", failed: true, children: [] };
  const notes = notesOf(reportOf(text, [failed], { start: 0, end: 22 }), "expression", new Offsets(text));
  const marks = notes.filter((n) => n.kind === "mark").map((n) => text.slice(n.from, n.to));
  assert.deepEqual(marks, ["object.metadata.labels"]);
  const none = notesOf(reportOf(text, [failed]), "expression", new Offsets(text));
  assert.equal(none.filter((n) => n.kind === "mark").length, 0);
});

test("a value is shown as the report writes it", () => {
  const text = "object";
  const part: ReportNode = {
    ...node(0, 6, true),
    kind: "variable",
    value: { a: "{…}" },
    shown: '{"a":{…}}',
    cut: true,
  };
  const notes = notesOf(reportOf(text, [part]), "expression", new Offsets(text));
  const tip = notes.find((n) => n.kind === "value");
  assert.ok(tip?.kind === "value" && tip.text.startsWith('{"a":{…}}'));
});

test("costs at the lines' ends add up where messages evaluate a variable again", () => {
  const text = "object";
  const again = { text: "policies", span: { start: 0, end: 6 }, evaluated: true, result: 5, cost: 5 };
  const other = { ...again, cost: 6 };
  const steps = [{ variables: [again, { ...again, list: "messages" }, other] }] as unknown as Ran["steps"];
  const notes = notesOf({ steps, expression: undefined }, "policies", new Offsets(text));
  assert.deepEqual(
    notes.flatMap((n) => (n.kind === "line" ? [n.text] : [])),
    ["5 · cost 16 in 3 runs"],
  );
});
