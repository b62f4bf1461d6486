import assert from "node:assert/strict";
import { test } from "node:test";

import { hangOf } from "../hanging-lines.ts";

test("a wrapped line goes on below its own text", () => {
  for (const [line, want] of [
    ["kind: Pod", 0],
    ["  name: web", 2],
    ["  - expression: a", 4],
    ["- - a", 4],
    ["  -", 2],
    ["", 0],
    [" ".repeat(60) + "deep", 24],
  ] as const)
    assert.equal(hangOf(line), want, line);
});
