// Scenarios with names and the history of runs, with a storage of the test's own.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { keepNothing, type Work } from "../kept.ts";
import { changeWords } from "../kept/kept-entries.ts";
import { named, putBack, removeNamed, renameNamed, saveNamed } from "../named.ts";
import type { Scenario } from "../protocol.ts";
import { changeOf } from "../kept/run-change.ts";
import { forgetRuns, isOfVisit, recordRun, removeRun, runs, runsTrouble } from "../runs.ts";
import type { ShownOutcome } from "../shown-outcome.ts";

let storage: Map<string, string>;
let room: number;

function work(scenario: Scenario): Work {
  return { scenario, cases: [] };
}

const denied: ShownOutcome = { verdict: "Denied", message: "too many replicas", tone: "denied" };
const admitted: ShownOutcome = { verdict: "Admitted", message: "", tone: "admitted" };

beforeEach(() => {
  storage = new Map();
  room = Infinity;
  Object.assign(globalThis, {
    localStorage: {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => {
        if (value.length > room) throw new DOMException("no room", "QuotaExceededError");
        storage.set(key, value);
      },
      removeItem: (key: string) => storage.delete(key),
    },
  });
  forgetRuns();
});

test("work is saved under a name, the last first; the same name takes its place", () => {
  saveNamed(work({ policies: "a" }), " limits ", 1);
  saveNamed(work({ policies: "b" }), "owners", 2);
  assert.deepEqual(
    named().map((n) => [n.name, n.scenario.policies]),
    [
      ["owners", "b"],
      ["limits", "a"],
    ],
  );
  const { replaced } = saveNamed(work({ policies: "c" }), "limits", 3);
  assert.equal(replaced?.scenario.policies, "a");
  assert.equal(named()[0]?.scenario.policies, "c");
  assert.equal(named().length, 2);
  assert.ok(replaced !== undefined && putBack(replaced) === undefined);
  assert.equal(named().find((n) => n.name === "limits")?.scenario.policies, "a");
});

test("a name is changed, but not to that of another; what is removed can be put back", () => {
  saveNamed(work({ policies: "a" }), "one", 1);
  saveNamed(work({ policies: "b" }), "two", 2);
  const one = named().find((n) => n.name === "one") ?? assert.fail("it is not there");
  assert.equal(renameNamed(one.id, "two"), "taken");
  assert.equal(renameNamed(one.id, "first"), undefined);
  assert.deepEqual(
    named().map((n) => n.name),
    ["two", "first"],
  );
  const first = named()[1] ?? assert.fail("it is not there");
  removeNamed(first.id);
  assert.equal(named().length, 1);
  putBack(first);
  assert.deepEqual(named()[1], first);
});

test("what cannot be saved is refused with the reason, and nothing is lost", () => {
  saveNamed(work({ policies: "a" }), "one", 1);
  room = 20;
  assert.equal(saveNamed(work({ policies: "x".repeat(50) }), "two", 2).trouble, "full");
  assert.equal(named().length, 1);
  room = Infinity;
  storage.set("preadmit.named", JSON.stringify({ version: 2, list: [] }));
  assert.equal(saveNamed(work({}), "two", 2).trouble, "newer");
  storage.set("preadmit.named", "{broken");
  assert.deepEqual(named(), []);
  assert.equal(storage.get("preadmit.named.unreadable"), "{broken");
  storage.set(
    "preadmit.named",
    JSON.stringify({ version: 1, list: [5, { name: "n", scenario: { policies: 7 } }, { name: "ok", scenario: {} }] }),
  );
  assert.deepEqual(
    named().map((n) => n.name),
    ["ok"],
  );
  keepNothing(true);
  assert.ok(![...storage.keys()].some((key) => key.startsWith("preadmit.named")));
  assert.equal(saveNamed(work({}), "two", 2).trouble, "nothing");
});

test("a run is another one when the outcome is, or after a while; the same texts are no run", () => {
  recordRun(work({ policies: "a" }), denied, "", 1000);
  recordRun(work({ policies: "a" }), denied, "", 2000);
  assert.equal(runs().length, 1);
  recordRun(work({ policies: "ab" }), denied, "", 3000); // half a word, with the same outcome
  assert.deepEqual(
    runs().map((r) => r.scenario.policies),
    ["ab"],
  );
  recordRun(work({ policies: "abc" }), denied, "", 100_000);
  recordRun(work({ policies: "abcd" }), admitted, "1e", 101_000);
  recordRun(work({ policies: "abcde" }), admitted, "2f", 102_000);
  assert.deepEqual(
    runs().map((r) => r.scenario.policies),
    ["abcde", "abcd", "abc", "ab"],
  );
  const [newest, before, denial] = runs();
  assert.ok(newest !== undefined && before !== undefined && denial !== undefined);
  assert.equal(changeWords(changeOf(newest, before), newest), "Changed: Policies. Result: another object.");
  assert.equal(
    changeWords(changeOf(before, denial), before),
    "Changed: Policies. Result: Denied → Admitted; no message any more; another object.",
  );
  const old = { ...newest, scenario: { policies: "abcde", kubernetes: "1.29" } };
  const other = { ...newest, scenario: { policies: "abcde", kubernetes: "1.30", request: "r" } };
  assert.equal(
    changeWords(changeOf(other, old), other),
    "Changed: Request and Kubernetes 1.29 → 1.30. Result: the same outcome.",
  );
});

test("runs are kept as far as there is room, and those of the visit in any case", () => {
  room = 2500;
  for (let i = 0; i < 12; i++) recordRun(work({ policies: "x".repeat(300) + String(i) }), denied, "", i * 100_000);
  assert.equal(runs().length, 12);
  assert.equal(runsTrouble(), undefined, "the newest are kept");
  const kept = (JSON.parse(storage.get("preadmit.runs") ?? "") as { list: { at: number }[] }).list;
  assert.ok(kept.length >= 2 && kept.length < 12, `${String(kept.length)} are kept`);
  assert.equal(kept[0]?.at, 1_100_000);
  room = 0;
  recordRun(work({ policies: "y" }), admitted, "", 2_000_000);
  assert.equal(runsTrouble(), "full");
  assert.ok(runs()[0] !== undefined && isOfVisit(runs()[0] ?? assert.fail()));
  for (let i = 0; i < 60; i++) recordRun(work({ policies: String(i) }), denied, "", 3_000_000 + i * 100_000);
  assert.equal(runs().length, 40);
  room = 1_000_000;
  for (let [run] = runs(); run !== undefined; [run] = runs()) removeRun(run.id);
  assert.equal(storage.get("preadmit.runs"), undefined, "the last one is removed too");
  assert.deepEqual(runs(), []);
});
