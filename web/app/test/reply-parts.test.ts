// Parts of replies that the engine leaves out, because the page has them.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Diagnostic, Evaluated } from "../protocol.ts";
import { completed } from "../reply-parts.ts";

const found = [{ code: "no-kind" }] as Diagnostic[];

function reply(problems: string, documents: string, diagnostics: Diagnostic[], html: [string, string]): Evaluated {
  const parts = { problems: html[0], documents: html[1] };
  return { report: { diagnostics }, html: parts, prints: { problems, documents } } as unknown as Evaluated;
}

test("what a reply leaves out is that of the earlier one", () => {
  const earlier = completed(reply("p", "d", found, ["list", "rows"]), undefined);
  const later = reply("p", "e", [], ["", "other rows"]);
  const parts = completed(later, earlier);
  assert.equal(later.report.diagnostics, found);
  assert.deepEqual([later.html.problems, later.html.documents], ["list", "other rows"]);
  assert.deepEqual(parts, { prints: later.prints, diagnostics: found, problems: "list", documents: "other rows" });
});

test("a reply that has none of a part is not filled from one with other prints", () => {
  const earlier = completed(reply("p", "d", found, ["list", "rows"]), undefined);
  const later = reply("q", "d", [], ["No problems", ""]);
  completed(later, earlier);
  assert.deepEqual([later.report.diagnostics, later.html.problems, later.html.documents], [[], "No problems", "rows"]);
});
