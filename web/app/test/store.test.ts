// What is kept of the reader's work, and where: with a history, an address and a
// storage of the test's own.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import type { Scenario } from "../protocol.ts";
import { keepNothing, states } from "../kept.ts";
import { fromHistory, isUntouched, keep, kept, opened, push, same, type Work } from "../store.ts";

let storage: Map<string, string>;
let entries: { state: unknown; address: string }[];

/** Work without tests. */
function work(scenario: Scenario): Work {
  return { scenario, cases: [] };
}

function full(): never {
  throw new DOMException("no room", "QuotaExceededError");
}

beforeEach(() => {
  storage = new Map();
  entries = [{ state: null, address: "/#example=first-look" }];
  const current = (): { state: unknown; address: string } => entries.at(-1) ?? assert.fail("no entry");
  Object.assign(globalThis, {
    localStorage: {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => storage.set(key, value),
      removeItem: (key: string) => storage.delete(key),
    },
    location: {
      pathname: "/",
      get hash() {
        return /#.*/.exec(current().address)?.[0] ?? "";
      },
    },
    history: {
      get state() {
        return current().state;
      },
      replaceState: (state: unknown) => (current().state = structuredClone(state)),
      pushState: (state: unknown, _: string, address: string) =>
        entries.push({ state: structuredClone(state), address }),
    },
  });
  opened(work({}));
});

test("what an address shows is no work until it is changed", () => {
  opened(work({ policies: "a" }));
  keep(work({ policies: "a" }));
  assert.equal(kept(), undefined);
  assert.deepEqual(fromHistory(), work({ policies: "a" }));
});

test("a text that was only emptied is no change of what was opened", () => {
  const example = { policies: "a", request: "b", kubernetes: "1.37" };
  assert.ok(isUntouched({ ...example }, example));
  assert.ok(isUntouched({ ...example, request: " \n" }, example));
  assert.ok(!isUntouched({ ...example, request: "c" }, example));
  assert.ok(!isUntouched({ ...example, request: "", cluster: "d" }, example));
  assert.ok(!isUntouched({ ...example, kubernetes: "1.36" }, example));
});

test("the first change of what an address shows begins an entry without that address", () => {
  opened(work({ policies: "a" }));
  keep(work({ policies: "ab" }));
  keep(work({ policies: "abc" }));
  assert.deepEqual(
    entries.map((e) => e.address),
    ["/#example=first-look", "/"],
  );
  assert.deepEqual(fromHistory(), work({ policies: "abc" }));
  assert.deepEqual(kept()?.scenario, { policies: "abc" });
  assert.equal(kept()?.hash, "");
  assert.equal(states().length, 1, "one work is one state, however often it is kept");
});

test("a pushed scenario has the address that it was given", () => {
  push(work({ request: "r" }), "#1/abc");
  assert.equal(entries.at(-1)?.address, "/#1/abc");
  assert.deepEqual(fromHistory(), work({ request: "r" }));
});

test("without storage the history still has the work, and the other way round", () => {
  localStorage.setItem = full;
  keep(work({ policies: "a" }));
  assert.equal(kept(), undefined);
  assert.deepEqual(fromHistory(), work({ policies: "a" }));

  opened(work({}));
  localStorage.setItem = (key: string, value: string): void => void storage.set(key, value);
  history.replaceState = full;
  keep(work({ policies: "b" }));
  assert.deepEqual(kept()?.scenario, { policies: "b" });
});

test("a scenario too large for the history gets its entry all the same", () => {
  const { pushState } = history;
  history.pushState = (state: unknown, unused: string, address?: string | URL | null): void => {
    if (state !== null) full();
    pushState(state, unused, address);
  };
  push(work({ policies: "large" }), "#new");
  assert.equal(entries.at(-1)?.address, "/#new");
  assert.equal(fromHistory(), undefined);
});

test("what storage holds is read with care", () => {
  for (const value of [
    "",
    "{",
    "null",
    "3",
    '{"scenario":null}',
    '{"scenario":{"policies":7}}',
    '{"scenario":{"options":{"plugins":5}}}',
  ]) {
    storage.set("preadmit.work", value);
    assert.equal(kept(), undefined, value);
  }
  storage.set("preadmit.work", '{"scenario":{"policies":"p","description":5,"options":{"plugins":5}}}');
  assert.deepEqual(kept()?.scenario, { policies: "p" }, "the texts are kept, whatever the settings are");
  storage.set("preadmit.work", '{"scenario":{"policies":"p"}}');
  assert.deepEqual(kept()?.scenario, { policies: "p" });
  assert.equal(kept()?.hash, "");
});

test("scenarios are the same when the title and everything that is simulated are", () => {
  assert.ok(same({ policies: "a", description: "One" }, { policies: "a", description: "Two", request: "" }));
  for (const other of [
    { policies: "a", title: "Two" },
    { policies: "b" },
    { policies: "a", kubernetes: "1.30" },
    { policies: "a", options: { plugins: ["Priority"] } },
  ]) {
    assert.ok(!same({ policies: "a" }, other));
  }
});

test("the last states are kept, each work by itself, newest first", () => {
  const minute = 60_000;
  for (let i = 0; i < 25; i++) {
    opened(work({}));
    keep(work({ policies: `${i}` }), i * minute);
    keep(work({ policies: `${i} more` }), i * minute + 1);
  }
  assert.equal(states().length, 20);
  assert.deepEqual(
    states()
      .slice(0, 2)
      .map((s) => [s.scenario.policies, s.at]),
    [
      ["24 more", 24 * minute + 1],
      ["23 more", 23 * minute + 1],
    ],
  );
  // Work that goes on for long has states on the way.
  keep(work({ policies: "later" }), 60 * minute);
  keep(work({ policies: "later still" }), 61 * minute);
  assert.deepEqual(
    states()
      .slice(0, 2)
      .map((s) => s.scenario.policies),
    ["later still", "24 more"],
  );
});

test("tests are kept with their scenario, and read with care", () => {
  const cases = [{ name: "a", request: "r", expected: "e" }];
  keep({ scenario: { policies: "p" }, cases });
  assert.deepEqual(kept()?.cases, cases);
  assert.deepEqual(fromHistory()?.cases, cases);
  const state = { scenario: { policies: "p" }, cases: [{ name: 5 }, ...cases, null, { name: "b" }] };
  storage.set("preadmit.kept", JSON.stringify({ version: 1, states: [state] }));
  assert.deepEqual(kept()?.cases, cases);
});

test("one state that cannot be read costs no other", () => {
  const states_ = [5, { scenario: { policies: 7 } }, { scenario: { policies: "p" }, at: "x" }, null];
  storage.set("preadmit.kept", JSON.stringify({ version: 1, states: states_ }));
  assert.deepEqual(
    states().map((s) => s.scenario),
    [{ policies: "p" }],
  );
  storage.set("preadmit.kept", "{broken");
  keep(work({ policies: "a" }));
  assert.equal(kept()?.scenario.policies, "a");
  assert.equal(storage.get("preadmit.kept.unreadable"), "{broken", "it is not lost");
});

test("what a later version has kept stays as it is", () => {
  const later = JSON.stringify({ version: 2, anything: true });
  storage.set("preadmit.kept", later);
  assert.equal(keep(work({ policies: "a" })), "newer");
  assert.equal(storage.get("preadmit.kept"), later);
  assert.equal(kept(), undefined);
});

test("where there is no room the oldest states go, and then the reader is informed", () => {
  for (let i = 0; i < 10; i++) {
    opened(work({}));
    keep(work({ policies: "x".repeat(1000) + i }), i);
  }
  let room = 3500;
  localStorage.setItem = (key: string, value: string): void => {
    if (value.length > room) full();
    storage.set(key, value);
  };
  opened(work({}));
  assert.equal(keep(work({ policies: "new" }), 20), undefined);
  assert.equal(kept()?.scenario.policies, "new");
  assert.ok(states().length >= 2 && states().length < 11, `${states().length} states`);
  room = 0;
  assert.equal(keep(work({ policies: "newer" }), 21), "full");
  assert.equal(kept()?.scenario.policies, "new", "what was kept is still there");
  localStorage.getItem = full;
  assert.equal(keep(work({ policies: "newest" }), 22), "off");
});

test("the switch erases what is kept, and nothing is kept from then on", () => {
  keep(work({ policies: "secret" }));
  storage.set("preadmit.links", '["x"]');
  storage.set("preadmit.theme", "dark");
  keepNothing(true);
  assert.ok(![...storage.values()].some((v) => v.includes("secret") || v.includes("x")));
  assert.equal(storage.get("preadmit.theme"), "dark");
  assert.equal(keep(work({ policies: "secret again" })), undefined);
  assert.ok(![...storage.values()].some((v) => v.includes("secret")));
  // This tab goes back and forward all the same, without writing the texts anywhere.
  assert.deepEqual(fromHistory(), work({ policies: "secret again" }));
  assert.ok(!JSON.stringify(entries).includes("secret again"));
  keepNothing(false);
  keep(work({ policies: "open" }));
  assert.equal(kept()?.scenario.policies, "open");
});
