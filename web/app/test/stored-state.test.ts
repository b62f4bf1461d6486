// Whatever storage and history hold, the page reads it: nothing throws, nothing that it
// gets is other than a scenario must be, and no readable work is lost by keeping more.
// PREADMIT_STATES says how many states are tried; each has a number, which a failure
// names and PREADMIT_STATE tries alone.

import assert from "node:assert/strict";
import { test } from "node:test";

import { keepState, MOST, nextState, states, workOf, type Work } from "../kept.ts";
import { isCase, isScenario } from "../schema.ts";

const HOW_MANY = Number(process.env["PREADMIT_STATES"] ?? 1000);
const ONLY = process.env["PREADMIT_STATE"];

/** Numbers that are the same for the same seed (mulberry32). */
function randomOf(seed: number): () => number {
  let a = seed;
  return () => {
    a = (a + 0x6d2b79f5) | 0;
    let t = Math.imul(a ^ (a >>> 15), 1 | a);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

class Maker {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomOf(seed);
  }

  upTo(n: number): number {
    return Math.floor(this.#next() * n);
  }

  one<T>(list: readonly T[]): T {
    return list[this.upTo(list.length)] as T;
  }

  /** A value of any kind. */
  odd(depth = 0): unknown {
    const simple = [null, true, 0, -1, 1e308, "", "a", "\ud800", "__proto__", 2, [], {}];
    if (depth > 3 || this.upTo(3) > 0) return this.one(simple);
    if (this.upTo(2) === 0) return Array.from({ length: this.upTo(4) }, () => this.odd(depth + 1));
    return Object.fromEntries(Array.from({ length: this.upTo(4) }, () => [this.#key(), this.odd(depth + 1)]));
  }

  #key(): string {
    return this.one(["__proto__", "constructor", "toString", "length", "", "scenario", "options", "plugins", "x"]);
  }

  /** A scenario as the page writes it. */
  scenario(): Record<string, unknown> {
    const all: Record<string, unknown> = {
      title: "T",
      description: "D",
      tags: ["a"],
      kubernetes: "1.35",
      policies: `p${this.upTo(9)}`,
      request: "r",
      cluster: "c",
      expression: "1",
      expressionContext: "validation",
      now: "2026-01-01T00:00:00Z",
      beforeValidation: { set: { "/a": 1 }, remove: ["/b"] },
      options: {
        defaulting: true,
        authorizer: "rbac",
        plugins: this.one([["a"], { enable: ["a"] }]),
        runtimeConfig: [],
      },
    };
    return Object.fromEntries(Object.entries(all).filter(() => this.upTo(2) === 0));
  }

  state(): Record<string, unknown> {
    const cases = Array.from({ length: this.upTo(3) }, (_, i) => ({ name: `n${i}`, request: "r", expected: "e" }));
    return { id: `i${this.upTo(4)}`, at: this.upTo(99), began: 1, hash: "#new", scenario: this.scenario(), cases };
  }

  /** The value with some of its parts replaced. */
  spoiled(value: unknown): unknown {
    if (this.upTo(12) === 0) return this.odd();
    if (Array.isArray(value)) return value.map((v) => this.spoiled(v));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, this.spoiled(v)]));
  }

  /** What storage may hold: what the page writes, spoiled in places, and cut off now and then. */
  stored(): string {
    const list = Array.from({ length: this.upTo(25) }, () => this.state());
    const value = { version: this.upTo(6) === 0 ? this.odd() : 1, states: list };
    const text = JSON.stringify(this.upTo(4) === 0 ? value : this.spoiled(value));
    return this.upTo(8) === 0 ? text.slice(0, this.upTo(text.length)) : text;
  }
}

function checkWork(work: Work): void {
  assert.ok(isScenario(work.scenario) && work.cases.every(isCase));
  // Nothing that the page reads of it is inherited from what storage holds.
  assert.equal(Object.getPrototypeOf(work.scenario), Object.prototype);
}

function checkStored(text: string, maker: Maker): void {
  const storage = new Map([["preadmit.kept", text]]);
  Object.assign(globalThis, {
    localStorage: {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => storage.set(key, value),
      removeItem: (key: string) => storage.delete(key),
    },
  });
  const before = states();
  assert.ok(before.length <= MOST);
  for (const state of before) {
    checkWork(state);
    assert.ok(Number.isFinite(state.at) && Number.isFinite(state.began));
    assert.ok(typeof state.id === "string" && typeof state.hash === "string");
  }
  const own: Work = { scenario: { policies: "own" }, cases: [] };
  nextState();
  if (keepState(own, "", 1) === "newer") {
    assert.equal(storage.get("preadmit.kept"), text, "what a later version wrote stays");
    return;
  }
  const after = states();
  assert.deepEqual(after[0]?.scenario, own.scenario);
  assert.deepEqual(
    after.slice(1).map((s) => s.scenario),
    before.slice(0, MOST - 1).map((s) => s.scenario),
    "no state that could be read is lost",
  );
  let readable = true;
  try {
    JSON.parse(text);
  } catch {
    readable = false;
  }
  if (!readable) assert.equal(storage.get("preadmit.kept.unreadable"), text, "what cannot be read is not lost");
  // The history of the tab may hold anything, too.
  const work = workOf(maker.odd());
  if (work !== undefined) checkWork(work);
}

const numbers = ONLY === undefined ? Array.from({ length: HOW_MANY }, (_, i) => i) : [Number(ONLY)];

test(`${numbers.length} states of storage and history, most of them spoiled`, () => {
  let read = 0;
  for (const number of numbers) {
    const maker = new Maker(number);
    const text = maker.stored();
    try {
      checkStored(text, maker);
      read += states().length > 1 ? 1 : 0;
    } catch (error) {
      throw new Error(`state ${number}: ${text}`, { cause: error });
    }
  }
  if (ONLY === undefined) assert.ok(read > HOW_MANY / 2, `only ${read} of ${HOW_MANY} had readable work`);
});
