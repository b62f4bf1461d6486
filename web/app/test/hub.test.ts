// The workers of a page's examples, with workers and time of the test's own.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { Hub, type HubWorker, PATIENCE } from "../hub.ts";
import type { FromWorker, ToWorker } from "../messages.ts";

class FakeWorker implements HubWorker {
  onmessage: HubWorker["onmessage"] = null;
  onerror: HubWorker["onerror"] = null;
  readonly heard: ToWorker[] = [];
  ended = false;
  postMessage(message: ToWorker): void {
    this.heard.push(message);
  }
  terminate(): void {
    this.ended = true;
  }
  say(data: FromWorker): void {
    this.onmessage?.({ data } as MessageEvent<FromWorker>);
  }
  /** The calls that it got, not answered. */
  get calls(): { id: number; method: string }[] {
    return this.heard.flatMap((m) => (m.type === "call" ? [{ id: m.id, method: String(m.call.params) }] : []));
  }
}

let workers: FakeWorker[];
let hub: Hub;
let answers: Record<string, FromWorker[]>;

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  workers = [];
  answers = { a: [], b: [], c: [] };
  hub = new Hub(() => {
    const worker = new FakeWorker();
    workers.push(worker);
    return worker;
  }, 100);
  for (const name of Object.keys(answers)) {
    hub.join(name, (message) => answers[name]?.push(message));
    hub.hear(name, { type: "load", url: "/engine.wasm", bytes: 1, more: true });
  }
  worker(0).say({ type: "ready" });
});

function worker(index: number): FakeWorker {
  return workers[index] ?? assert.fail(`there are ${workers.length} workers`);
}

/** An example asks; its own number of the call is always 1. */
function ask(name: string): void {
  hub.hear(name, { type: "call", id: 1, call: { method: "evaluate", params: name as never } });
}

function replies(name: string): unknown[] {
  return (answers[name] ?? []).flatMap((m) => (m.type === "reply" ? [[m.id, m.result]] : []));
}

test("one worker serves all, and each hears the answers to its own calls", () => {
  for (const name of ["a", "b"]) ask(name);
  const [first, second] = worker(0).calls;
  worker(0).say({ type: "reply", id: second?.id ?? 0, result: "for b" });
  worker(0).say({ type: "reply", id: first?.id ?? 0, result: "for a" });
  assert.deepEqual([replies("a"), replies("b"), replies("c")], [[[1, "for a"]], [[1, "for b"]], []]);
  assert.equal(workers.length, 1);
});

test("those behind a call that hangs go on with another worker", () => {
  ask("a");
  ask("b");
  mock.timers.tick(PATIENCE);
  assert.equal(workers.length, 2);
  assert.deepEqual(
    worker(1).heard.map((m) => m.type),
    ["load", "load"],
    "a call would get an error before the engine is there",
  );
  worker(1).say({ type: "ready" });
  assert.deepEqual(
    worker(1).heard.map((m) => m.type),
    ["load", "load", "call"],
  );
  worker(1).say({ type: "reply", id: worker(1).calls[0]?.id ?? 0, result: "for b" });
  assert.deepEqual(replies("b"), [[1, "for b"]]);
  // What hung has not been ended yet: its own page decides that, after its time.
  assert.equal(worker(0).ended, false);
  hub.hear("a", { type: "leave" });
  assert.deepEqual([worker(0).ended, worker(1).ended], [true, false]);
});

test("a call alone has all the time that its page gives it", () => {
  ask("a");
  mock.timers.tick(10 * PATIENCE);
  assert.equal(workers.length, 1);
});

test("calls that come to their end in time stay together", () => {
  ask("a");
  ask("b");
  mock.timers.tick(PATIENCE - 1);
  worker(0).say({ type: "reply", id: worker(0).calls[0]?.id ?? 0, result: 1 });
  mock.timers.tick(PATIENCE - 1);
  assert.equal(workers.length, 1);
});

test("the worker of a call that nobody waits for ends, and the others get a new one", () => {
  ask("a");
  hub.hear("a", { type: "leave" });
  assert.equal(worker(0).ended, true);
  ask("b");
  worker(1).say({ type: "ready" });
  worker(1).say({ type: "reply", id: worker(1).calls[0]?.id ?? 0, result: 1 });
  assert.deepEqual(replies("b"), [[1, 1]]);
});

test("all hear that their worker crashed, and may start again", () => {
  ask("a");
  worker(0).say({ type: "failed", message: "out of memory" });
  for (const name of ["a", "b", "c"]) assert.equal(answers[name]?.at(-1)?.type, "failed");
  assert.equal(worker(0).ended, true);
  hub.join("b", (message) => answers["b"]?.push(message));
  hub.hear("b", { type: "load", url: "/engine.wasm", bytes: 1, more: true });
  assert.equal(workers.length, 2);
});

test("who is not known is not heard", () => {
  ask("d");
  assert.equal(worker(0).calls.length, 0);
});

/** Answers the last call of a worker, which has taken so much memory by then. */
function reply(of: FakeWorker, memory: number): void {
  of.say({ type: "reply", id: of.calls.at(-1)?.id ?? 0, result: memory, memory });
}

test("a worker with too much memory is replaced between two calls, and nobody notices", () => {
  ask("a");
  reply(worker(0), 40);
  ask("b");
  reply(worker(0), 101);
  assert.deepEqual(
    worker(1).heard.map((m) => m.type),
    ["load"],
  );
  worker(1).say({ type: "progress", loaded: 1, total: 1 });
  ask("a");
  worker(1).say({ type: "ready" });
  assert.equal(worker(0).ended, false, "a call is under way");
  reply(worker(0), 102);
  assert.equal(worker(0).ended, true);
  ask("c");
  reply(worker(1), 41);
  assert.deepEqual(
    [replies("a"), replies("b"), replies("c")],
    [
      [
        [1, 40],
        [1, 102],
      ],
      [[1, 101]],
      [[1, 41]],
    ],
  );
  for (const name of ["a", "b", "c"]) {
    assert.deepEqual(
      answers[name]?.filter((m) => m.type !== "reply").map((m) => m.type),
      ["ready"],
      name,
    );
  }
  assert.equal(workers.length, 2);
});

test("where no fresh worker can be had, the old one goes on, and is asked for no other", () => {
  ask("a");
  reply(worker(0), 40);
  ask("a");
  reply(worker(0), 101);
  worker(1).say({ type: "failed", message: "no network" });
  assert.deepEqual([worker(0).ended, worker(1).ended], [false, true]);
  ask("a");
  reply(worker(0), 200);
  assert.deepEqual([replies("a").length, workers.length], [3, 2]);
});
