// The checks of a lesson as tests of what the reader has written.

import assert from "node:assert/strict";
import { test } from "node:test";

import { casesOf, isPassed, whyNot, type Lesson } from "../lesson-check.ts";

const lesson: Lesson = {
  slug: "l",
  title: "L",
  start: { policies: "P0", request: "R0", cluster: "C0", kubernetes: "1.30" },
  solution: {},
  checks: [],
};
const written = { policies: "P1", request: "R1", cluster: "C1", kubernetes: "1.37" };

test("a check has its own request, and the version of the lesson, not that of the reader", () => {
  assert.deepEqual(casesOf({ name: "n", request: "R", expected: "e" }, lesson, written), [
    { name: "n", request: "R", expected: "e", settings: { kubernetes: "1.30" } },
  ]);
  assert.deepEqual(casesOf({ name: "n", expected: "e", kubernetes: "1.31", or: "f" }, lesson, written), [
    { name: "n", request: "R1", expected: "e", settings: { kubernetes: "1.31" } },
    { name: "n", request: "R1", expected: "f", settings: { kubernetes: "1.31" } },
  ]);
});

test("what a check takes as it was does not depend on the reader", () => {
  const [one] = casesOf({ name: "n", expected: "e", original: ["policies", "cluster"] }, lesson, written);
  assert.equal(one?.policies, "P0");
  assert.equal(one?.cluster, "C0");
});

test("one of the tests suffices, and a failure says what happened instead", () => {
  assert.equal(isPassed([{ status: "failed" }, { status: "noPolicy" }]), true);
  assert.equal(isPassed([{ status: "failed" }]), false);
  assert.equal(isPassed([]), false);
  assert.equal(whyNot({ status: "failed", state: "denied", message: "no" }), "It is denied: no");
  assert.equal(whyNot({ status: "failed", error: "broken" }), "broken");
  assert.equal(whyNot(undefined), "");
});
