// What is shown at once while the user types, what waits, and which of several
// evaluations are made. Time is the test's own.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { EngineClient, Superseded } from "../engine-client.ts";
import { Pace } from "../pace.ts";
import type { FromWorker, ToWorker } from "../messages.ts";
import type { Evaluated } from "../protocol.ts";

let clock = 0;

/** Lets time pass, in milliseconds. */
function pass(ms: number): void {
  clock += ms;
  mock.timers.tick(ms);
}

beforeEach(() => {
  mock.restoreAll();
  mock.timers.reset();
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(performance, "now", () => clock);
  Object.assign(globalThis, { window: globalThis });
});

function reply(errors: number, broken?: "policies"): Evaluated {
  const diagnostics = Array.from({ length: errors }, () => ({ severity: "error" }));
  return { report: { diagnostics }, ...(broken && { broken }) } as unknown as Evaluated;
}

test("results are shown at once; those with more errors when the keys pause", () => {
  const pace = new Pace();
  const shown: string[] = [];
  const show = (name: string, result: Evaluated): void => {
    pace.typed();
    pace.show(result, () => shown.push(name));
    pass(50);
  };
  show("good", reply(0));
  show("half a word", reply(1));
  show("broken", reply(0, "policies"));
  show("a word", reply(0));
  assert.deepEqual(shown, ["good", "a word"]);
  show("wrong", reply(2));
  pass(600);
  assert.deepEqual(shown, ["good", "a word", "wrong"]);
  show("as wrong as before", reply(2));
  show("better", reply(1));
  assert.deepEqual(shown.slice(3), ["as wrong as before", "better"]);
});

test("errors wait while completions are offered", () => {
  let open = true;
  const pace = new Pace(() => open);
  let shown = 0;
  pace.typed();
  pace.show(reply(1), () => shown++);
  pass(2000);
  assert.equal(shown, 0);
  open = false;
  pass(100);
  assert.equal(shown, 1);
});

test("an error that was pasted is shown at once", () => {
  const pace = new Pace();
  let shown = 0;
  pace.show(reply(3), () => shown++);
  assert.equal(shown, 1);
});

test("what waits for a pause waits anew with every key, and only the last is done", () => {
  const pace = new Pace();
  const done: string[] = [];
  for (const key of ["a", "b", "c"]) {
    pace.typed();
    pace.whenPaused("keep", () => done.push(key));
    pass(100);
  }
  assert.deepEqual(done, []);
  pass(100);
  assert.deepEqual(done, ["c"]);
});

test("a pause begins with the result of a key", () => {
  const pace = new Pace();
  let followed = 0;
  pace.typed();
  pass(400); // the engine takes long
  pace.show(reply(0), () => pace.whenPaused("follow", () => followed++));
  pass(140);
  pace.typed();
  pass(140);
  assert.equal(followed, 0);
  pass(20);
  assert.equal(followed, 1);
  const show = (): void => pace.show(reply(0), () => pace.whenPaused("follow", () => followed++));
  show();
  pass(140);
  assert.equal(followed, 1);
  pass(10);
  show();
  assert.equal(followed, 3, "nobody has typed since");
});

/** A worker that answers when the test says so. */
class FakeWorker {
  static last: FakeWorker;
  onmessage: ((event: { data: FromWorker }) => void) | undefined;
  readonly calls: { id: number; policies: string }[] = [];

  constructor() {
    FakeWorker.last = this;
  }

  postMessage(message: ToWorker): void {
    if (message.type !== "call") return;
    this.calls.push({
      id: message.id,
      policies: (message.call.params as { scenario: { policies: string } }).scenario.policies,
    });
  }

  say(data: FromWorker): void {
    this.onmessage?.({ data });
  }

  terminate(): void {
    this.onmessage = undefined;
  }
}

test("one evaluation is under way, and the newest text is next", async () => {
  Object.assign(globalThis, {
    Worker: FakeWorker,
    BroadcastChannel: undefined, // replies are messages
    location: { href: "https://x.example/", origin: "https://x.example" },
  });
  const engine = new EngineClient({ workerURL: "", engineURL: "", engineBytes: 1, onState: () => undefined });
  engine.start();
  const worker = FakeWorker.last;
  worker.say({ type: "ready" });
  const results = ["a", "ab", "abc"].map((policies) =>
    engine.evaluate({ policies }, { parts: ["steps"] }).then(
      () => "made",
      (error: unknown) => (error instanceof Superseded ? "left out" : "failed"),
    ),
  );
  assert.deepEqual(
    worker.calls.map((c) => c.policies),
    ["a"],
  );
  worker.say({ type: "reply", id: worker.calls[0]?.id ?? 0, result: {} });
  assert.deepEqual(
    worker.calls.map((c) => c.policies),
    ["a", "abc"],
  );
  worker.say({ type: "reply", id: worker.calls[1]?.id ?? 0, result: {} });
  assert.deepEqual(await Promise.all(results), ["made", "left out", "made"]);
});
