import assert from "node:assert/strict";
import { test } from "node:test";

import { byPolicy, measured, noteOf } from "../many/coverage.ts";
import type { Case, CoverageReply, CoverageRun } from "../protocol.ts";

const reply = (changes: Partial<CoverageReply>): CoverageReply => ({
  done: 1,
  elsewhere: 0,
  former: "",
  shown: 0,
  targets: 2,
  gaps: [],
  ...changes,
});
const cases: Case[] = ["a", "b", "c"].map((name) => ({ name, request: "", expected: "" }));

/** An engine that looks at one case at a time, and keeps what it was asked. */
function oneByOne(): { asked: CoverageRun[]; call: never } {
  const asked: CoverageRun[] = [];
  const call = (_: string, run: CoverageRun): Promise<CoverageReply> => {
    asked.push(run);
    return Promise.resolve(
      reply({ done: Math.min(1, run.cases.length), elsewhere: 1, former: String(asked.length), shown: asked.length }),
    );
  };
  return { asked, call: call as never };
}

test("every case is asked about once, and what others have shown goes with it", async () => {
  const engine = oneByOne();
  const all = await measured(engine, {}, cases, () => true);
  assert.deepEqual(
    engine.asked.map(({ cases, former }) => [cases.map(({ name }) => name).join(""), former]),
    [
      ["abc", undefined],
      ["bc", "1"],
      ["c", "2"],
    ],
  );
  assert.equal(all?.shown, 3);
  assert.equal(all.elsewhere, 3);
});

test("without cases the policies are looked at all the same", async () => {
  const engine = oneByOne();
  assert.notEqual(await measured(engine, {}, [], () => true), undefined);
  assert.equal(engine.asked.length, 1);
});

test("a run that is no longer wanted ends", async () => {
  const engine = oneByOne();
  assert.equal(await measured(engine, {}, cases, () => engine.asked.length < 2), undefined);
  assert.equal(engine.asked.length, 2);
});

test("an engine that makes no progress is no endless loop", async () => {
  const call = (() => Promise.resolve(reply({ done: 0 }))) as never;
  await assert.rejects(
    measured({ call }, {}, cases, () => true),
    /No test was evaluated/,
  );
});

test("the note says what is missing, and which tests do not count", () => {
  const gap = { name: "p", path: "", text: "", what: "never ran", span: { start: 0, end: 0 } };
  assert.match(noteOf(reply({ gaps: [gap] })), /^No test covers/);
  assert.match(noteOf(reply({})), /^Every expression ran/);
  assert.match(noteOf(reply({ targets: 0 })), /no expression/);
  assert.match(noteOf(reply({ elsewhere: 1 })), /1 test has other policies/);
  assert.match(noteOf(reply({ elsewhere: 2 })), /2 tests have other policies/);
});

test("gaps are under the policy that they are in", () => {
  const gap = (name: string, what: string) => ({ name, what, path: "", text: "", span: { start: 0, end: 0 } });
  assert.deepEqual(
    byPolicy([gap("a", "1"), gap("b", "2"), gap("a", "3")]).map(({ name, gaps }) => [name, gaps.map((g) => g.what)]),
    [
      ["a", ["1", "3"]],
      ["b", ["2"]],
    ],
  );
});
