// The trials of repairs: when they are asked for, and what becomes of their reply.

import assert from "node:assert/strict";
import { test } from "node:test";

import type { Evaluated, Repaired, Scenario } from "../protocol.ts";
import { TriedRepairs } from "../tried-repairs.ts";

const scenario = { kubernetes: "1.37" } as unknown as Scenario;

/** A reply with one problem, and what the page shows once the trials of its repairs have this result. */
async function shown(result: Repaired, untried: boolean, current: () => boolean): Promise<[Evaluated, string[]]> {
  const reply = {
    id: 7,
    untried,
    report: { diagnostics: ["before"] },
    html: { problems: "before" },
  } as unknown as Evaluated;
  const seen: string[] = [];
  const repairs = new TriedRepairs(
    {
      call: (method: string, params: unknown) => {
        seen.push(`${method} ${JSON.stringify(params)}`);
        return Promise.resolve(result) as never;
      },
    },
    { whenPaused: (_, run) => run() },
    { again: () => seen.push("notes") },
    { showProblems: (html) => seen.push(html) },
  );
  repairs.follow(reply, scenario, current);
  await new Promise((done) => setImmediate(done));
  return [reply, seen];
}

const fewer = { diagnostics: ["after"], problems: "after" } as unknown as Repaired;

test("a reply whose repairs lead astray loses them in the list and in the editors", async () => {
  const [reply, seen] = await shown(fewer, true, () => true);
  assert.deepEqual(seen, ['repairs {"id":7,"scenario":{"kubernetes":"1.37"}}', "notes", "after"]);
  assert.deepEqual(reply.report.diagnostics, ["after"]);
});

test("nothing is drawn anew where all repairs stay", async () => {
  const [, seen] = await shown({}, true, () => true);
  assert.equal(seen.length, 1);
});

test("nothing is asked for without repairs, or for a result that is no longer shown", async () => {
  assert.deepEqual((await shown(fewer, false, () => true))[1], []);
  assert.deepEqual((await shown(fewer, true, () => false))[1], []);
});

test("the reply to an old result is dropped", async () => {
  let asked = 0;
  const [reply] = await shown(fewer, true, () => asked++ === 0);
  assert.deepEqual(reply.report.diagnostics, ["before"]);
});
