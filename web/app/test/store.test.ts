// What is kept of the reader's work, and where: with a history, an address and a
// storage of the test's own.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { fromHistory, keep, kept, opened, push, same } from "../store.ts";

let storage: Map<string, string>;
let entries: { state: unknown; address: string }[];

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
  opened({});
});

test("what an address shows is no work until it is changed", () => {
  opened({ policies: "a" });
  keep({ policies: "a" });
  assert.equal(kept(), undefined);
  assert.deepEqual(fromHistory(), { policies: "a" });
});

test("the first change of what an address shows begins an entry without that address", () => {
  opened({ policies: "a" });
  keep({ policies: "ab" });
  keep({ policies: "abc" });
  assert.deepEqual(
    entries.map((e) => e.address),
    ["/#example=first-look", "/"],
  );
  assert.deepEqual(fromHistory(), { policies: "abc" });
  assert.deepEqual(kept(), { scenario: { policies: "abc" }, hash: "" });
});

test("a pushed scenario has the address that it was given", () => {
  push({ request: "r" }, "#1/abc");
  assert.equal(entries.at(-1)?.address, "/#1/abc");
  assert.deepEqual(fromHistory(), { request: "r" });
});

test("without storage the history still has the work, and the other way round", () => {
  localStorage.setItem = full;
  keep({ policies: "a" });
  assert.equal(kept(), undefined);
  assert.deepEqual(fromHistory(), { policies: "a" });

  opened({});
  localStorage.setItem = (key: string, value: string): void => void storage.set(key, value);
  history.replaceState = full;
  keep({ policies: "b" });
  assert.deepEqual(kept()?.scenario, { policies: "b" });
});

test("a scenario too large for the history gets its entry all the same", () => {
  const { pushState } = history;
  history.pushState = (state: unknown, unused: string, address?: string | URL | null): void => {
    if (state !== null) full();
    pushState(state, unused, address);
  };
  push({ policies: "large" }, "#new");
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
  assert.deepEqual(kept(), { scenario: { policies: "p" }, hash: "" });
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
