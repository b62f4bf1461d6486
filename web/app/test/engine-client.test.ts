// The page's side of the engine with workers of the test's own: what is sent,
// what is left out, and what happens when no answer comes. Time is the test's own.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { startEarly } from "../early-worker.ts";
import { EngineClient, EngineLost, Superseded, type EngineOptions } from "../engine-client.ts";
import { memoryLimit } from "../memory.ts";
import type { FromWorker, Load, ToWorker } from "../messages.ts";
import type { Scenario } from "../protocol.ts";

/** A worker that answers when the test says so. */
class FakeWorker {
  static all: FakeWorker[] = [];
  onmessage: ((event: { data: FromWorker }) => void) | undefined;
  onerror: ((event: { message: string }) => void) | undefined;
  readonly heard: ToWorker[] = [];
  readonly name: string;
  ended = false;

  constructor(_url: string, options: WorkerOptions = {}) {
    this.name = options.name ?? "";
    FakeWorker.all.push(this);
  }

  static get last(): FakeWorker {
    return FakeWorker.all.at(-1) ?? assert.fail("no worker was started");
  }

  postMessage(message: ToWorker): void {
    this.heard.push(message);
  }

  say(data: FromWorker): void {
    this.onmessage?.({ data });
  }

  terminate(): void {
    this.ended = true;
  }

  /** The texts of the calls that it got. */
  get calls(): unknown[] {
    return this.heard.flatMap((m) => (m.type === "call" ? [m.call.params] : []));
  }

  /** Answers the last call. */
  reply(reply: { result?: unknown; error?: string; memory?: number }): void {
    const last = this.heard.findLast((m) => m.type === "call");
    this.say({ type: "reply", id: last?.id ?? 0, ...reply });
  }
}

/** A channel on which the test speaks for the worker. */
class FakeChannel {
  static all: FakeChannel[] = [];
  onmessage: ((event: { data: FromWorker }) => void) | undefined;
  closed = false;
  readonly name: string;

  constructor(name: string) {
    this.name = name;
    FakeChannel.all.push(this);
  }

  close(): void {
    this.closed = true;
  }
}

/** The channel that a worker was told of. */
function channelOf(worker: FakeWorker): FakeChannel {
  const [load] = [...(worker.name === "" ? [] : [JSON.parse(worker.name) as ToWorker]), ...worker.heard];
  assert.ok(load?.type === "load" && load.replies !== undefined);
  return FakeChannel.all.find((c) => c.name === load.replies) ?? assert.fail("the page does not listen");
}

let states: string[];

beforeEach(() => {
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  FakeWorker.all = [];
  FakeChannel.all = [];
  states = [];
  Object.assign(globalThis, {
    window: globalThis,
    Worker: FakeWorker,
    BroadcastChannel: FakeChannel,
    preadmitWorker: undefined,
    location: { href: "https://preadmit.example/", origin: "https://preadmit.example" },
  });
});

function client(options: Partial<EngineOptions> = {}): EngineClient {
  const engine = new EngineClient({
    workerURL: "/worker.js",
    engineURL: "/engine.wasm",
    engineBytes: 100,
    onState: (state) => states.push(state.name),
    ...options,
  });
  engine.start();
  return engine;
}

function ready(): EngineClient {
  const engine = client();
  FakeWorker.last.say({ type: "ready" });
  return engine;
}

/** How a call ended. */
function ended(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => "made",
    (error: unknown) =>
      error instanceof Superseded ? "left out" : error instanceof EngineLost ? "lost" : String(error),
  );
}

test("calls wait until the engine is there", async () => {
  const engine = client();
  const replies = channelOf(FakeWorker.last).name;
  assert.match(replies, /^[0-9a-f]{32}$/);
  assert.deepEqual(FakeWorker.last.heard, [{ type: "load", url: "/engine.wasm", bytes: 100, more: true, replies }]);
  const made = ended(engine.call("fieldDocs", "a"));
  FakeWorker.last.say({ type: "progress", loaded: 50, total: 100 });
  assert.deepEqual(engine.state, { name: "loading", loaded: 50, total: 100 });
  assert.deepEqual(FakeWorker.last.calls, []);
  FakeWorker.last.say({ type: "ready" });
  assert.deepEqual(FakeWorker.last.calls, ["a"]);
  FakeWorker.last.reply({ result: true });
  assert.equal(await made, "made");
});

test("a reply counts once, the way by which it comes first", async () => {
  for (const first of ["channel", "message"]) {
    const engine = ready();
    const worker = FakeWorker.last;
    const channel = channelOf(worker);
    const say = { channel: (data: FromWorker) => channel.onmessage?.({ data }), message: worker.say.bind(worker) };
    const [quick, slow] = first === "channel" ? [say.channel, say.message] : [say.message, say.channel];
    const one = engine.call("fieldDocs", "one");
    const idOf = (): number => worker.heard.findLast((m) => m.type === "call")?.id ?? 0;
    const reply: FromWorker = { type: "reply", id: idOf(), result: "of one" };
    quick(reply);
    assert.equal(await one, "of one");
    const two = engine.call("fieldDocs", "two");
    slow(reply); // the older one, while the next call is under way
    quick({ type: "reply", id: idOf(), result: "of two" });
    assert.equal(await two, "of two");
    assert.deepEqual(worker.calls, ["one", "two"]);
  }
});

test("what a worker says of one call on its channel does not keep the watch from the next", async () => {
  const engine = ready();
  const worker = FakeWorker.last;
  const one = engine.call("fieldDocs", "one");
  channelOf(worker).onmessage?.({ data: { type: "reply", id: 1, result: "of one" } });
  await one;
  const two = ended(engine.call("fieldDocs", "two"));
  worker.say({ type: "reply", id: 1, result: "of one" });
  mock.timers.tick(15_000);
  assert.equal(await two, "lost");
  assert.deepEqual([worker.ended, channelOf(worker).closed], [true, true]);
  assert.notEqual(FakeWorker.last, worker);
});

test("where the browser refuses channels, the worker is told of none", async () => {
  Object.assign(globalThis, {
    BroadcastChannel: class {
      constructor() {
        throw new DOMException("no storage, no channels", "SecurityError");
      }
    },
  });
  const engine = ready();
  assert.deepEqual(FakeWorker.last.heard, [{ type: "load", url: "/engine.wasm", bytes: 100, more: true }]);
  const made = engine.call("fieldDocs", "a");
  FakeWorker.last.reply({ result: "there" });
  assert.equal(await made, "there");
});

test("of the calls that wait in one slot only the last is made", async () => {
  const engine = ready();
  const calls = ["a", "ab", "abc"].map((text) => ended(engine.call("fieldDocs", text, "docs")));
  FakeWorker.last.reply({ result: true });
  FakeWorker.last.reply({ result: true });
  assert.deepEqual(await Promise.all(calls), ["made", "left out", "made"]);
  assert.deepEqual(FakeWorker.last.calls, ["a", "abc"]);
});

test("what the reader waits for goes before background work", () => {
  const engine = ready();
  for (const text of ["running", "background"]) void engine.call("fieldDocs", text);
  void engine.call("fieldDocs", "urgent", "docs");
  FakeWorker.last.reply({ result: true });
  assert.deepEqual(FakeWorker.last.calls, ["running", "urgent"]);
});

test("an error of the engine is that of the call, and the next is made", async () => {
  const engine = ready();
  const [first, second] = [ended(engine.call("fieldDocs", "a")), ended(engine.call("fieldDocs", "b"))];
  FakeWorker.last.reply({ error: "no" });
  FakeWorker.last.reply({ result: true });
  assert.deepEqual(await Promise.all([first, second]), ["Error: no", "made"]);
});

test("a call that takes too long is given up, and a fresh worker goes on", async () => {
  const engine = ready();
  const [hung, next] = [ended(engine.call("fieldDocs", "hangs")), ended(engine.call("fieldDocs", "next"))];
  const old = FakeWorker.last;
  mock.timers.tick(14_999);
  assert.equal(FakeWorker.all.length, 1);
  mock.timers.tick(1);
  assert.equal(await hung, "lost");
  assert.ok(old.ended && FakeWorker.last !== old);
  FakeWorker.last.say({ type: "ready" });
  assert.deepEqual(FakeWorker.last.calls, ["next"]);
  // What the old one still says is about nothing that anybody waits for.
  old.say({ type: "reply", id: 2, result: "late" });
  FakeWorker.last.reply({ result: true });
  assert.equal(await next, "made");
});

test("time counts from when a call is made, and ends with its reply", async () => {
  const engine = ready();
  const first = ended(engine.call("fieldDocs", "a"));
  const second = ended(engine.call("fieldDocs", "b"));
  mock.timers.tick(10_000);
  FakeWorker.last.reply({ result: true });
  mock.timers.tick(10_000);
  FakeWorker.last.reply({ result: true });
  mock.timers.tick(60_000);
  assert.deepEqual(await Promise.all([first, second]), ["made", "made"]);
  assert.equal(FakeWorker.all.length, 1);
});

test("a crash in a call loses that call only", async () => {
  const engine = ready();
  const [crashed, next] = [ended(engine.call("fieldDocs", "a")), ended(engine.call("fieldDocs", "b"))];
  FakeWorker.last.say({ type: "failed", message: "unreachable" });
  assert.equal(await crashed, "lost");
  FakeWorker.last.say({ type: "ready" });
  FakeWorker.last.reply({ result: true });
  assert.equal(await next, "made");
  assert.deepEqual(states, ["loading", "ready", "loading", "ready"]);
});

test("a call whose part of the engine does not come is lost, and an evaluation waits until the reader tries again", async () => {
  const engine = ready();
  const missing: FromWorker = { type: "failed", message: "offline", incomplete: true };
  const background = ended(engine.call("fieldDocs", "a"));
  FakeWorker.last.say(missing);
  assert.equal(await background, "lost");
  FakeWorker.last.say({ type: "ready" });
  const evaluated = ended(engine.evaluate({} as Scenario, { parts: ["steps"] }));
  FakeWorker.last.say({ type: "waiting" });
  mock.timers.tick(59_999); // longer than a call may take
  FakeWorker.last.say(missing);
  assert.deepEqual(engine.state, { name: "failed", message: "offline" });
  engine.start();
  FakeWorker.last.say({ type: "ready" });
  assert.equal(FakeWorker.last.calls.length, 1);
  // A newer one takes its place.
  const newer = ended(engine.evaluate({} as Scenario, { parts: ["diff"] }));
  FakeWorker.last.say(missing);
  assert.equal(await evaluated, "left out");
  engine.start();
  FakeWorker.last.say({ type: "ready" });
  FakeWorker.last.reply({ result: true });
  assert.equal(await newer, "made");
});

test("the steps of an answer wait for a part of the engine as the answer does", async () => {
  const engine = ready();
  const steps = ended(engine.call("render", { id: 1, parts: ["steps"] }, "render"));
  FakeWorker.last.say({ type: "failed", message: "offline", incomplete: true });
  assert.deepEqual(engine.state, { name: "failed", message: "offline" });
  engine.start();
  FakeWorker.last.say({ type: "ready" });
  FakeWorker.last.reply({ result: { gone: true, parts: {} } }); // the page evaluates again
  assert.equal(await steps, "made");
});

test("a part of the engine that never comes ends the wait, and what needs it is not lost", async () => {
  const engine = ready();
  const evaluated = ended(engine.evaluate({} as Scenario, { parts: ["steps"] }));
  FakeWorker.last.say({ type: "waiting" });
  mock.timers.tick(60_000);
  assert.deepEqual(engine.state, { name: "failed", message: "nothing has arrived for 60 seconds" });
  assert.ok(FakeWorker.last.ended);
  engine.start();
  FakeWorker.last.say({ type: "ready" });
  FakeWorker.last.say({ type: "waiting" });
  mock.timers.tick(59_999);
  FakeWorker.last.say({ type: "waiting", over: true }); // it came, and the time of the call begins
  mock.timers.tick(14_999);
  FakeWorker.last.reply({ result: true });
  assert.equal(await evaluated, "made");
  const hung = ended(engine.evaluate({} as Scenario, { parts: ["steps"] }));
  FakeWorker.last.say({ type: "waiting" });
  FakeWorker.last.say({ type: "waiting", over: true });
  mock.timers.tick(15_000);
  assert.equal(await hung, "lost");
});

test("when loading fails the calls wait until the reader tries again", async () => {
  const engine = client();
  const made = ended(engine.call("fieldDocs", "a"));
  FakeWorker.last.say({ type: "failed", message: "offline" });
  assert.deepEqual(engine.state, { name: "failed", message: "offline" });
  engine.start();
  FakeWorker.last.say({ type: "ready" });
  FakeWorker.last.reply({ result: true });
  assert.equal(await made, "made");
});

test("a worker that cannot be started is a failure with a reason", () => {
  const engine = client();
  FakeWorker.last.onerror?.({ message: "" });
  assert.deepEqual(engine.state, { name: "failed", message: "the worker could not be started" });
});

test("silence at the start is a failure; slowness is not", () => {
  const silent = client();
  mock.timers.tick(20_000);
  assert.equal(silent.state.name, "failed");
  const slow = client();
  FakeWorker.last.say({ type: "progress", loaded: 1, total: 100 });
  mock.timers.tick(20_000);
  assert.equal(slow.state.name, "loading");
});

test("a download that stalls is a failure with a way on; compiling takes as long as it takes", () => {
  const stalled = client();
  FakeWorker.last.say({ type: "progress", loaded: 20, total: 100 });
  mock.timers.tick(59_000);
  FakeWorker.last.say({ type: "progress", loaded: 30, total: 100 });
  mock.timers.tick(59_000);
  assert.equal(stalled.state.name, "loading");
  mock.timers.tick(1_000);
  assert.deepEqual(stalled.state, { name: "failed", message: "nothing more has arrived for 60 seconds" });
  assert.ok(FakeWorker.last.ended);
  stalled.start();
  FakeWorker.last.say({ type: "progress", loaded: 98, total: 100 });
  mock.timers.tick(600_000);
  assert.equal(stalled.state.name, "loading");
  FakeWorker.last.say({ type: "ready" });
  assert.equal(stalled.state.name, "ready");
});

test("the end of the download, said after the engine was ready, does not take that back", async () => {
  const engine = ready();
  FakeWorker.last.say({ type: "progress", loaded: 100, total: 100 });
  assert.equal(engine.state.name, "ready");
  const made = ended(engine.call("fieldDocs", "a"));
  FakeWorker.last.reply({ result: true });
  assert.equal(await made, "made");
});

test("shared workers are asked through the channel, once the hub is there; after one hung the page takes one of its own", () => {
  const sent: string[] = [];
  const port = {
    postMessage: (m: ToWorker) => sent.push(m.type),
    onmessage: undefined as ((event: { data: FromWorker }) => void) | undefined,
  };
  const engine = client({ port: port as unknown as BroadcastChannel });
  assert.deepEqual(sent, []);
  port.onmessage?.({ data: { type: "here" } });
  assert.deepEqual([[...sent], FakeWorker.all.length], [["load"], 0]);
  mock.timers.tick(20_000);
  assert.equal(engine.state.name, "failed");
  assert.deepEqual(sent, ["load", "leave"]);
  engine.start();
  assert.equal(FakeWorker.all.length, 1);
});

test("the worker that the page's first script has started is taken over, with what it has said", async () => {
  startEarly(
    {
      dataset: { worker: "/worker.js", engine: "/engine.wasm", engineBytes: "100" },
    } as unknown as HTMLElement,
    false,
    true,
  );
  const { replies, ...load } = JSON.parse(FakeWorker.last.name) as Load;
  assert.deepEqual(load, { type: "load", url: "/engine.wasm", bytes: 100, more: false, kept: true });
  FakeWorker.last.say({ type: "progress", loaded: 50, total: 100 });
  const engine = client();
  await Promise.resolve();
  assert.equal(FakeWorker.all.length, 1);
  assert.deepEqual(engine.state, { name: "loading", loaded: 50, total: 100 });
  FakeWorker.last.say({ type: "ready" });
  assert.equal(engine.state.name, "ready");
  const channel = channelOf(FakeWorker.last);
  assert.equal(channel.name, replies);
  engine.start();
  assert.equal(FakeWorker.all.length, 2);
  assert.ok(channel.closed);
  assert.notEqual(channelOf(FakeWorker.last).name, replies);
});

test("a worker that failed before the page listened is a failure with a reason", async () => {
  startEarly(
    {
      dataset: { worker: "/worker.js", engine: "/engine.wasm", engineBytes: "100" },
    } as unknown as HTMLElement,
    false,
    true,
  );
  FakeWorker.last.onerror?.({ message: "blocked" });
  const engine = client();
  await Promise.resolve();
  assert.deepEqual(engine.state, { name: "failed", message: "blocked" });
});

/** A page whose engine has answered its first evaluation with so much memory, and the next with more. */
async function grown(...memory: number[]): Promise<EngineClient> {
  const engine = client({ memory: 100 });
  const [worker] = FakeWorker.all;
  worker?.say({ type: "ready" });
  for (const taken of memory) {
    const call = engine.evaluate({ title: String(taken) }, { parts: ["steps"] });
    worker?.reply({ result: "old", memory: taken });
    await call;
  }
  return engine;
}

test("a worker with too much memory is replaced between two calls, by one that has made the last evaluation", async () => {
  const engine = await grown(40, 101);
  const [first, second] = FakeWorker.all;
  assert.ok(first && second);
  assert.deepEqual(
    second.heard.map((m) => m.type),
    ["load"],
  );
  second.say({ type: "progress", loaded: 50, total: 100 });
  second.say({ type: "ready" });
  assert.deepEqual(second.calls, first.calls.slice(-1));
  // The reader types on meanwhile: the old one answers.
  const during = engine.evaluate({ title: "during" }, { parts: ["steps"] });
  second.reply({ result: "warm", memory: 41 });
  assert.equal(first.ended, false, "a call is under way");
  first.reply({ result: "old", memory: 102 });
  assert.equal(await during, "old");
  assert.equal(first.ended, true);
  const after = engine.evaluate({ title: "after" }, { parts: ["steps"] });
  second.reply({ result: "new", memory: 42 });
  assert.equal(await after, "new");
  assert.deepEqual(states, ["loading", "ready"], "nothing of it shows");
  assert.equal(FakeWorker.all.length, 2);
});

test("what waits in the queue is answered by the fresh worker", async () => {
  const engine = await grown(40, 101);
  const [first, second] = FakeWorker.all;
  second?.say({ type: "ready" });
  const running = engine.call("files", {} as never);
  const waiting = engine.call("functions", {} as never);
  second?.reply({ result: "warm", memory: 41 });
  first?.reply({ result: 1, memory: 102 });
  second?.reply({ result: 2, memory: 41 });
  assert.deepEqual(await Promise.all([running, waiting]), [1, 2]);
});

test("a scenario that needs more than the limit in a fresh worker too is not begun anew for ever", async () => {
  await grown(300, 310, 400);
  assert.equal(FakeWorker.all.length, 1);
});

test("a fresh worker that is ready after the old one has failed answers what waits", async () => {
  const engine = await grown(40, 101);
  const [first, second] = FakeWorker.all;
  second?.say({ type: "ready" });
  const waits = engine.evaluate({ title: "waits" }, { parts: ["steps"] });
  first?.say({ type: "waiting" });
  first?.say({ type: "failed", message: "offline", incomplete: true });
  assert.deepEqual(engine.state, { name: "failed", message: "offline" });
  second?.reply({ result: "warm", memory: 41 });
  assert.deepEqual(engine.state, { name: "ready" });
  assert.equal(second?.calls.length, 2);
  second?.reply({ result: "new", memory: 42 });
  assert.equal(await waits, "new");
  assert.equal(second?.ended, false);
  assert.deepEqual(states, ["loading", "ready", "failed", "ready"]);
});

test("where no fresh worker can be had, the old one goes on", async () => {
  const engine = await grown(40, 101);
  const [first, second] = FakeWorker.all;
  second?.say({ type: "failed", message: "no network" });
  assert.equal(second?.ended, true);
  const next = engine.evaluate({}, { parts: ["steps"] });
  first?.reply({ result: "old", memory: 200 });
  assert.equal(await next, "old");
  assert.equal(FakeWorker.all.length, 2, "and no other is asked for at every key");
});

test("phones and small machines get less", () => {
  const MB = 1 << 20;
  assert.deepEqual(
    [memoryLimit(8, false), memoryLimit(4, false), memoryLimit(2, false), memoryLimit(0.5, false)].map((n) => n / MB),
    [512, 512, 256, 128],
  );
  assert.deepEqual(
    [memoryLimit(undefined, false), memoryLimit(undefined, true)].map((n) => n / MB),
    [512, 256],
  );
});

test("the API server's own code is loaded behind an evaluation that it has a say in, and then there is another", async () => {
  let again = 0;
  const engine = client({ onRegistry: () => again++ });
  const worker = FakeWorker.last;
  worker.say({ type: "ready" });
  const first = engine.evaluate({} as Scenario, {});
  worker.reply({ result: { id: 1 } });
  await first;
  assert.ok(!worker.heard.some((m) => m.type === "registry"), "nobody needs it");
  worker.say({ type: "registry" }); // which another example of a hub has asked for
  assert.equal(again, 0);
  const second = engine.evaluate({} as Scenario, {});
  worker.reply({ result: { id: 2, loading: true } });
  await second;
  const notes = engine.call("notes", { id: 2, in: [] });
  assert.equal(worker.heard.at(-1)?.type, "call", "what the reader waits for goes first");
  mock.timers.tick(1);
  assert.ok(!worker.heard.some((m) => m.type === "registry"), "the notes are still being made");
  worker.reply({ result: {} });
  await notes;
  mock.timers.tick(1);
  assert.equal(worker.heard.at(-1)?.type, "registry");
  worker.say({ type: "registry" });
  assert.equal(again, 1);
});

test("where the reader pays for each byte it is offered, and loaded when it is asked for", async () => {
  const engine = client({ metered: true });
  const worker = FakeWorker.last;
  worker.say({ type: "ready" });
  const first = engine.evaluate({} as Scenario, {});
  assert.equal((worker.calls.at(-1) as { metered?: boolean }).metered, true);
  worker.reply({ result: { id: 1, loading: true } });
  await first;
  assert.equal(worker.heard.at(-1)?.type, "call");
  engine.loadRegistry();
  assert.equal(worker.heard.at(-1)?.type, "registry");
  void engine.evaluate({} as Scenario, {});
  assert.equal((worker.calls.at(-1) as { metered?: boolean }).metered, undefined);
});
