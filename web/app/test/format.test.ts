// The layout of texts.

import assert from "node:assert/strict";
import { test } from "node:test";

import { formatted } from "../format.ts";

test("YAML keeps its comments, empty lines and blocks", async () => {
  const text = `# head
kind:   Pod

metadata: {name: a,   labels: {x: y}} # c
spec:
    expression: |
      a
        && b
---
kind: B
`;
  const want = `# head
kind: Pod

metadata: {name: a, labels: {x: y}} # c
spec:
  expression: |
    a
      && b
---
kind: B
`;
  assert.equal(await formatted(text), want);
  assert.equal(await formatted(want), want);
});

test("JSON stays JSON, with its numbers", async () => {
  const names = Array.from({ length: 9 }, (_, i) => `"a text, ${String(i)}]"`).join(",");
  const text = `{"n":12345678901234567890,"x":1.0,"names":[${names}],"quoted":"d\\n\\"e,}"}`;
  const out = await formatted(text);
  assert.deepEqual(JSON.parse(out), JSON.parse(text));
  assert.match(out, /"n": 12345678901234567890,\n {2}"x": 1\.0,/);
});

test("what cannot be parsed is left to the caller", async () => {
  await assert.rejects(formatted("a: [\n"));
});
