import assert from "node:assert/strict";
import { test } from "node:test";

import { FIXED, ndjson, policyColumns, Verdicts } from "../many/rows.ts";
import type { Row } from "../protocol.ts";

const row = (line: number, state: Row["state"]): Row => ({ line, ...(state !== undefined && { state }) });

test("rows keep their old verdicts until they have new ones", () => {
  const v = new Verdicts();
  v.take([row(1, "admitted"), row(2, "admitted")]);
  v.take([row(3, "denied")]);
  assert.deepEqual([v.rows.length, v.fresh, v.old], [3, 3, 0]);
  v.begin();
  assert.deepEqual([v.rows.length, v.old, v.isOld(0)], [3, 3, true]);
  v.take([row(1, "denied")]);
  assert.deepEqual([v.rows[0]?.state, v.isOld(0), v.isOld(1), v.old], ["denied", false, true, 2]);
});

test("a change makes all rows old, and its undoing none", () => {
  const v = new Verdicts();
  v.take([row(1, "admitted"), row(2, "admitted")]);
  v.changed = true;
  assert.deepEqual([v.old, v.isOld(0)], [2, true]);
  v.changed = false;
  assert.equal(v.old, 0);
});

test("an export says which verdicts are old", () => {
  const v = new Verdicts();
  v.take([row(1, "admitted"), row(2, "denied")]);
  v.begin();
  v.take([row(1, "denied")]);
  assert.equal(ndjson(v, [1, 0]), '{"line":2,"state":"denied","old":true}\n{"line":1,"state":"denied"}\n');
});

test("what the reader gave comes before the built-in plugins, whichever is met first", () => {
  const cell = (kind: string, name: string) => ({ kind, name, state: "admitted" as const });
  const plugin = cell("AdmissionPlugin", "Priority");
  const first = policyColumns([{ line: 1, cells: [plugin, cell("ValidatingAdmissionPolicy", "p")] }], FIXED);
  const then = policyColumns([{ line: 2, cells: [plugin, cell("MutatingWebhookConfiguration", "w")] }], first);
  assert.deepEqual(
    then.slice(FIXED.length).map(({ title }) => title),
    ["p", "w", "Priority"],
  );
});
