// Finding and copying in the documentation, and what the service worker gives without a
// network.

import assert from "node:assert/strict";
import { test } from "node:test";

import { worth } from "../copy-code.ts";
import { excerpt, PARTS, type Entry } from "../docs-search.ts";
import { finder } from "../find.ts";
import { scenarioIn } from "../sw/missing.ts";

const entries: Entry[] = [
  { page: "Surprises", path: "/docs/quirks/", text: "What policies do that one would not expect." },
  {
    page: "Surprises",
    title: "Bindings",
    path: "/docs/quirks/#bindings",
    text: "A policy without a binding does nothing.",
  },
  {
    page: "Diagnostics",
    title: "no-binding",
    path: "/docs/diagnostics/#no-binding",
    text: "Binding and policy do not meet.",
  },
  { page: "Policies in CI", path: "/docs/ci/", text: "Test on every change; a binding is tested too." },
];

test("what has every word comes first, its heading before its text; typos and synonyms are found", () => {
  const find = finder(entries, PARTS);
  const paths = (query: string): string[] => find(query).map(({ path }) => path);
  assert.deepEqual(paths("binding").slice(0, 2).sort(), ["/docs/diagnostics/#no-binding", "/docs/quirks/#bindings"]);
  assert.equal(paths("no-binding")[0], "/docs/diagnostics/#no-binding");
  assert.ok(paths("Surprises").includes("/docs/quirks/"));
  assert.equal(paths("bidnings")[0], "/docs/quirks/#bindings");
  assert.equal(paths("policy zebra").length > 0, true); // nothing has both
  assert.deepEqual(paths("zebra"), []);
  assert.deepEqual(paths("  "), []);
  const examples = finder(["No privileged containers", "A memory limit on each container", "Only one registry"], {
    text: { text: (title) => title, worth: 1 },
  });
  assert.equal(examples("block privileged")[0], "No privileged containers");
  assert.equal(examples("privleged")[0], "No privileged containers");
});

test("an excerpt is around the first word that is in the text", () => {
  const text = `${"far away ".repeat(40)}the binding is here ${"and more ".repeat(40)}`.trim();
  const piece = excerpt(text, "binding");
  assert.match(piece, /^… .*the binding is here.* …$/);
  assert.equal(excerpt("short", "page"), "short");
});

test("of a transcript the commands are copied", () => {
  assert.equal(worth("$ preadmit cel '1 + 1'\n2\ntype: int\n$ echo $?\n0\n"), "preadmit cel '1 + 1'\necho $?\n");
  assert.equal(worth("a: b\n"), "a: b\n");
});

test("without a network a scenario comes out of all of them", () => {
  const all = { leases: { policies: "p" } };
  assert.equal(scenarioIn("/examples/leases/scenario.json", all), '{"policies":"p"}');
  for (const path of ["/examples/other/scenario.json", "/examples/constructor/scenario.json", "/examples/leases/"])
    assert.equal(scenarioIn(path, all), undefined, path);
});
