// The codec of links on the vectors that the Go codec is tested on.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { decodeLink, encodeLink, LinkError, salvageLink, seenIn } from "../link.ts";
import type { Scenario } from "../protocol.ts";

interface Vector {
  name: string;
  by?: "go" | "fflate";
  content?: [string, string, string, string, string];
  repeatPolicies?: number;
  link: string;
  error?: string;
}

const vectors = JSON.parse(readFileSync("../engine/scenario/testdata/links.json", "utf8")) as Vector[];

function scenarioOf(v: Vector): Scenario {
  const [settings, policies, request, cluster, expression] = v.content ?? ["", "", "", "", ""];
  const scenario: Scenario = JSON.parse(settings) as Scenario;
  const texts = { policies: policies.repeat(v.repeatPolicies ?? 1), request, cluster, expression };
  for (const name of ["policies", "request", "cluster", "expression"] as const) {
    if (texts[name] !== "") scenario[name] = texts[name];
  }
  return scenario;
}

assert.ok(vectors.length >= 20, "the vectors are there");

for (const v of vectors) {
  test(v.error === undefined ? `opens: ${v.name}` : `refuses: ${v.name}`, () => {
    if (v.error !== undefined) {
      assert.throws(
        () => decodeLink(v.link),
        (error) => error instanceof LinkError && error.code === v.error,
      );
      return;
    }
    assert.deepEqual(decodeLink(v.link), scenarioOf(v));
  });
}

for (const v of vectors.filter((v) => v.by === "fflate")) {
  test(`writes: ${v.name}`, () => {
    assert.deepEqual(decodeLink(encodeLink(scenarioOf(v))), scenarioOf(v));
  });
}

test("a whole address opens as well, with the breaks that mail adds", () => {
  const link = encodeLink({ kubernetes: "1.36", expression: "1 + 1 == 2" });
  const broken = `https://example.com/${link.slice(0, 12)}\n  ${link.slice(12)}`;
  assert.deepEqual(decodeLink(broken), { kubernetes: "1.36", expression: "1 + 1 == 2" });
});

test("texts that no link can carry are refused", () => {
  assert.throws(
    () => encodeLink({ policies: "a\0b" }),
    (e) => e instanceof LinkError && e.code === "link-content",
  );
  assert.throws(
    () => encodeLink({ policies: "\ud800" }),
    (e) => e instanceof LinkError && e.code === "link-content",
  );
  assert.throws(
    () => encodeLink({ policies: "x".repeat(1 << 20) }),
    (e) => e instanceof LinkError && e.code === "link-too-large",
  );
});

test("a link is looked at wholly before any of it is used", () => {
  for (const strange of [
    { options: { plugins: 5 } },
    { options: { plugins: [5] } },
    { options: { plugins: { enable: "Priority" } } },
    { options: { defaulting: "yes" } },
    { description: 5 },
    { tags: [null] },
    { beforeValidation: { remove: {} } },
    { beforeValidation: { set: [] } },
  ]) {
    const link = encodeLink(strange as unknown as Scenario);
    assert.throws(
      () => decodeLink(link),
      (e) => e instanceof LinkError && e.code === "link-damaged",
      JSON.stringify(strange),
    );
  }
  for (const fine of [
    { kubernetes: "1.36", options: { plugins: ["Priority"] } },
    { kubernetes: "1.36", options: { plugins: { disable: ["Priority"] } }, beforeValidation: { set: { "/a": null } } },
  ] satisfies Scenario[]) {
    assert.deepEqual(decodeLink(encodeLink(fine)), fine);
  }
});

test("of a link that was cut, the beginning can be read", () => {
  const policies = Array.from(
    { length: 60 },
    (_, i) => `line ${String(i)} of policies: ${String((i * 7919) % 1000)}\n`,
  ).join("");
  const scenario = { kubernetes: "1.33", policies, request: "kind: Pod\n" };
  const link = encodeLink(scenario);
  for (let length = 40; length < link.length; length += 7) {
    const cut = link.slice(0, length);
    assert.throws(() => decodeLink(cut), LinkError);
    const read = salvageLink(cut);
    if (read === undefined) continue;
    assert.ok(policies.startsWith(read.scenario.policies ?? "?") || read.cut === "request", cut);
  }
  const most = salvageLink(link.slice(0, -6));
  assert.equal(most?.scenario.policies, policies);
  assert.equal(most.scenario.kubernetes, "1.33");
  assert.equal(most.cut, "request");
  for (const nothing of ["#1/", "#1/abc", "#2/abc", "#new", "", `#1/${"A".repeat(400)}`]) salvageLink(nothing);
  assert.equal(salvageLink("#1/OumhasKq"), undefined);
});

test("a link may say where its maker was, and readers that do not know of it read the same", () => {
  const scenario = { kubernetes: "1.33", policies: "a: 1\n", request: "kind: Pod\n" };
  const plain = encodeLink(scenario);
  const seen = { text: "request", start: 3, end: 9, view: "diff" } as const;
  const link = encodeLink(scenario, seen);
  assert.deepEqual(decodeLink(link), decodeLink(plain));
  assert.deepEqual(seenIn(link), seen);
  assert.equal(seenIn(plain), undefined);
  assert.equal(link.slice(0, 20), plain.slice(0, 20), "it is the same link up to its end");
  // Cut within those words it is the scenario all the same; whatever is changed in them counts for nothing.
  for (let cut = 1; cut < link.length - plain.length; cut++) {
    const part = link.slice(0, -cut);
    if (part.length % 4 === (link.indexOf("/") + 1 + 1) % 4) continue; // no base64
    assert.equal(seenIn(part), undefined);
    assert.deepEqual(decodeLink(part), decodeLink(plain));
  }
  for (const wrong of [
    { ...seen, text: "nothing" },
    { ...seen, start: 10 },
    { ...seen, view: "<b>" },
  ])
    assert.equal(seenIn(encodeLink(scenario, wrong as typeof seen)), undefined);
});
