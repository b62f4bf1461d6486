// The parts of the text of rules.

import assert from "node:assert/strict";
import { test } from "node:test";

import { isRules, placeOf, RULES_DRAFT, withPart } from "../rules-text.ts";

test("the draft has a schema and a value; an old value begins as the present one", () => {
  assert.ok(isRules(RULES_DRAFT));
  assert.equal(placeOf(RULES_DRAFT, "oldSelf"), undefined);
  const updated = withPart(RULES_DRAFT, "oldSelf");
  assert.ok(updated.startsWith(RULES_DRAFT));
  assert.equal(updated.slice(RULES_DRAFT.length), "oldSelf:\n  replicas: 5\n  maxReplicas: 3\n");
  assert.equal(withPart(updated, "oldSelf"), updated);
  assert.equal(withPart(updated, "self"), updated);
});

test("a value on one line, and one that is missing", () => {
  assert.equal(withPart("schema: {}\nself: {a: 1}", "oldSelf"), "schema: {}\nself: {a: 1}\noldSelf: {a: 1}\n");
  assert.equal(withPart("schema: {}", "self"), "schema: {}\nself:\n  ");
  assert.equal(withPart("schema: {}\n", "oldSelf"), "schema: {}\noldSelf:\n  ");
});

test("an expression is no text of rules", () => {
  assert.ok(!isRules("object.schema == 'a'"));
  assert.ok(!isRules("a:\n  schema: 1\n"));
});
