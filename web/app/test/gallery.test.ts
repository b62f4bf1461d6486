import assert from "node:assert/strict";
import { test } from "node:test";

import { matches } from "../gallery.ts";

test("the gallery finds cards that have every word", () => {
  const text = "sidecar-apply add a sidecar mutated intermediate";
  assert.ok(matches(text, "Sidecar mut"));
  assert.ok(matches(text, "  "));
  assert.ok(!matches(text, "sidecar denied"));
});
