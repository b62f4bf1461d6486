// Which parts of an expression count as never evaluated.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Coverage } from "../notes.ts";

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
