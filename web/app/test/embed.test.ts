import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { Text } from "@codemirror/state";

import { ATTRIBUTES, lineRanges } from "../embed-attributes.ts";
import { farParts } from "../focus-lines.ts";

test("the documentation lists the attributes that there are", () => {
  const documented = [...readFileSync("../docs/embedding.md", "utf8").matchAll(/^\| `([a-z]+)` \|/gm)].map((m) => m[1]);
  assert.deepEqual(documented.toSorted(), [...ATTRIBUTES].toSorted());
});

test("lines are read as people write them", () => {
  assert.deepEqual(lineRanges("12"), [[12, 12]]);
  assert.deepEqual(lineRanges("3-5, 12"), [
    [3, 5],
    [12, 12],
  ]);
  assert.deepEqual(lineRanges("5-3"), [[5, 5]]);
  for (const text of ["", "a", "1-", "1,,2", "-3"]) assert.equal(lineRanges(text), undefined, text);
});

test("what is far from the lines in focus is folded, single lines are not", () => {
  const doc = Text.of(Array.from({ length: 20 }, (_, i) => `line ${i + 1}`));
  const folded = (ranges: [number, number][]): string[] =>
    farParts(doc, ranges).map(({ from, to }) => `${doc.lineAt(from).number}-${doc.lineAt(to).number}`);
  assert.deepEqual(folded([[10, 11]]), ["1-7", "14-20"]);
  assert.deepEqual(
    folded([
      [1, 4],
      [18, 18],
    ]),
    ["7-15"],
  );
  assert.deepEqual(
    folded([
      [4, 5],
      [11, 17],
    ]),
    [],
  );
  assert.deepEqual(folded([[99, 99]]), ["1-20"]);
});
