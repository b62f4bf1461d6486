// The worker with a module of the test's own: what it says to the pages it serves.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { EngineHost, type Port } from "../engine-host.ts";
import type { FromWorker, Load, ToWorker } from "../messages.ts";
import { PROTOCOL } from "../protocol.ts";
import type { GoRuntime } from "../snapshot.ts";

/** A page, as the worker sees it. */
class Page implements Port {
  onmessage: ((event: MessageEvent<ToWorker>) => void) | null = null;
  readonly heard: FromWorker[] = [];

  postMessage(message: FromWorker): void {
    this.heard.push(message);
  }

  say(message: ToWorker, ports: readonly Port[] = []): void {
    this.onmessage?.({ data: message, ports } as unknown as MessageEvent<ToWorker>);
  }

  /** The messages of a type. */
  of<T extends FromWorker["type"]>(type: T): Extract<FromWorker, { type: T }>[] {
    return this.heard.filter((m): m is Extract<FromWorker, { type: T }> => m.type === type);
  }
}

const LOAD: Load = { type: "load", url: "/engine.wasm", bytes: 1000, more: false };
const CALL: ToWorker = { type: "call", id: 7, call: { method: "files", params: {} } };

/** How the fetches end, one after the other; the last for all that follow. */
let responses: (() => Response)[];
let modes: (RequestCache | undefined)[];
let stop: (reason?: Error) => void;
let call: (request: string, ...texts: string[]) => string;
let memory: WebAssembly.Memory | undefined;
let module: WebAssembly.Module;

/** A module with a custom section, or with nothing. */
function moduleWith(section = "", content = ""): WebAssembly.Module {
  const body = [section.length, ...new TextEncoder().encode(section + content)];
  // All lengths here take one byte or two.
  const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
  return new WebAssembly.Module(
    new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0, ...(section ? [0, ...length, ...body] : [])]),
  );
}

function wasm(...chunks: number[]): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const size of chunks) controller.enqueue(new Uint8Array(size));
      controller.close();
    },
  });
  return new Response(body, { headers: { "Content-Type": "application/wasm" } });
}

beforeEach(() => {
  mock.restoreAll();
  memory = undefined;
  module = moduleWith();
  responses = [(): Response => wasm(400, 4, 596)];
  modes = [];
  call = (request): string => JSON.stringify({ result: request });
  mock.method(globalThis, "fetch", (url: string, init?: RequestInit) => {
    if (url === LOAD.url) modes.push(init?.cache); // and not those of later parts
    return Promise.resolve((responses.length > 1 ? responses.shift() : responses[0])?.());
  });
  mock.method(WebAssembly, "instantiateStreaming", async (response: Response) => {
    await response.arrayBuffer();
    return { module, instance: { exports: { mem: memory } } };
  });
  delete (globalThis as { preadmit?: unknown }).preadmit;
});

function host(protocol = PROTOCOL): EngineHost {
  return new EngineHost(() => ({
    importObject: {},
    run: () => {
      Object.assign(globalThis, {
        preadmit: { protocol, call: (...request: [string, ...string[]]) => call(...request) },
      });
      return new Promise((resolve, reject) => {
        stop = (reason): void => (reason === undefined ? resolve() : reject(reason));
      });
    },
  }));
}

/** Lets everything happen that waits for nothing but its turn. */
async function settle(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
}

async function loaded(protocol?: number): Promise<Page> {
  const page = new Page();
  host(protocol).serve(page);
  page.say(LOAD);
  await settle();
  return page;
}

test("loading is reported as it goes on, but not for every few bytes", async () => {
  let now = 0;
  mock.method(performance, "now", () => (now += 200));
  const page = await loaded();
  assert.deepEqual(
    page.of("progress").map((m) => [m.loaded, m.total]),
    [
      [400, 1000],
      [1000, 1000],
    ],
  );
  assert.equal(page.of("ready").length, 1);
});

test("where a quarter of it comes at once, the rest is not followed", async () => {
  mock.method(performance, "now", () => 0);
  responses = [(): Response => wasm(200, 60, 140, 600)];
  const page = await loaded();
  assert.deepEqual(
    page.of("progress").map((m) => m.loaded),
    [200],
  );
  assert.equal(page.of("ready").length, 1);
});

test("a call goes to the module as JSON, and its reply comes back under its number", async () => {
  const page = await loaded();
  page.say(CALL);
  assert.deepEqual(page.of("reply"), [{ type: "reply", id: 7, result: '{"method":"files","params":{}}' }]);
});

test("a short reply comes on the channel, too, which a long one does not", async () => {
  const said: unknown[] = [];
  const names: string[] = [];
  const real = globalThis.BroadcastChannel;
  Object.assign(globalThis, {
    BroadcastChannel: class {
      constructor(name: string) {
        names.push(name);
      }

      postMessage(message: unknown): void {
        said.push(message);
      }
    },
  });
  try {
    const page = new Page();
    host().serve(page);
    page.say({ ...LOAD, replies: "r1" });
    await settle();
    assert.deepEqual(said, [], "progress and the like are messages");
    page.say(CALL);
    assert.deepEqual([names, said], [["r1"], page.of("reply")]);
    call = (): string => JSON.stringify({ result: "x".repeat(100_001) });
    page.say({ ...CALL, id: 8 });
    assert.deepEqual([said.length, page.of("reply").map((m) => m.id)], [1, [7, 8]]);
  } finally {
    globalThis.BroadcastChannel = real;
  }
});

test("long texts of a scenario come beside the JSON of an evaluation", async () => {
  call = (...all): string => JSON.stringify({ result: all });
  const page = await loaded();
  const request = "x".repeat(1 << 16);
  page.say({ type: "call", id: 8, call: { method: "evaluate", params: { scenario: { policies: "p", request } } } });
  const short = '{"method":"evaluate","params":{"scenario":{"policies":"p"}}}';
  assert.deepEqual(page.of("reply"), [{ type: "reply", id: 8, result: [short, "request", request] }]);
});

test("a reply says how much memory the module has taken", async () => {
  memory = new WebAssembly.Memory({ initial: 1 });
  const page = await loaded();
  page.say(CALL);
  memory.grow(2);
  page.say(CALL);
  assert.deepEqual(
    page.of("reply").map((m) => m.memory),
    [1 << 16, 3 << 16],
  );
});

test("an error of a call is a reply", async () => {
  call = (): string => JSON.stringify({ error: "no" });
  const page = await loaded();
  page.say(CALL);
  assert.deepEqual(page.of("reply"), [{ type: "reply", id: 7, error: "no" }]);
});

test("a call before the module is there gets an error, not silence", () => {
  const page = new Page();
  host().serve(page);
  page.say(CALL);
  assert.deepEqual(page.of("reply"), [{ type: "reply", id: 7, error: "the engine is not loaded" }]);
});

test("a trap in the module is a failure, because no further call can succeed", async () => {
  call = (): string => {
    throw new Error("unreachable");
  };
  const page = await loaded();
  page.say(CALL);
  assert.deepEqual(page.of("failed"), [{ type: "failed", message: "unreachable" }]);
  assert.equal(page.of("reply").length, 0);
});

test("a module of another version is refused", async () => {
  const page = await loaded(PROTOCOL + 1);
  assert.match(page.of("failed")[0]?.message ?? "", /different versions/);
  assert.equal(page.of("ready").length, 0);
});

test("what the cache gave is fetched once more from the network; then it is a failure", async () => {
  responses = [(): Response => new Response("", { status: 500 }), (): Response => wasm(1000)];
  assert.equal((await loaded()).of("ready").length, 1);
  assert.deepEqual(modes, [undefined, "no-store"]);
  responses = [(): Response => new Response("", { status: 503 })];
  assert.deepEqual((await loaded()).of("failed"), [
    { type: "failed", message: "the server answered 503 for the engine" },
  ]);
});

test("what an earlier visit put aside needs no request; if it is broken, or nothing is there, the server is asked", async () => {
  const match = mock.fn<(url: string) => Promise<Response | undefined>>();
  Object.assign(globalThis, { caches: { match } });
  for (const [found, wanted] of [
    [(): Promise<Response> => Promise.resolve(wasm(1000)), []],
    [(): Promise<Response> => Promise.resolve(new Response("", { status: 500 })), ["no-store"]],
    [(): Promise<undefined> => Promise.resolve(undefined), [undefined]],
    [(): Promise<never> => Promise.reject(new Error("not here")), [undefined]],
  ] as const) {
    match.mock.mockImplementation(found);
    modes = [];
    const page = new Page();
    host().serve(page);
    page.say({ ...LOAD, kept: true });
    await settle();
    assert.equal(page.of("ready").length, 1);
    assert.deepEqual(modes, wanted);
  }
  assert.deepEqual(match.mock.calls[0]?.arguments, ["/engine.wasm"]);
  await loaded();
  assert.equal(match.mock.callCount(), 4, "without a service worker nothing is looked for");
});

test("an engine that a deploy has removed, and a page of a proxy in its place, are said in words", async () => {
  for (const [response, message] of [
    [new Response("<html>", { status: 404, headers: { "Content-Type": "text/html" } }), /reload the page/],
    [new Response("<html>", { headers: { "Content-Type": "text/html; charset=utf-8" } }), /proxy or a network/],
  ] as const) {
    responses = [(): Response => response.clone()];
    assert.match((await loaded()).of("failed")[0]?.message ?? "", message);
  }
});

test("after a failure the next page may try again", async () => {
  const page = new Page();
  host().serve(page);
  responses = [(): Response => new Response("", { status: 404 })];
  page.say(LOAD);
  await settle();
  responses = [(): Response => wasm(1000)];
  page.say(LOAD);
  await settle();
  assert.deepEqual([page.of("failed").length, page.of("ready").length], [1, 1]);
});

test("several pages share one module, and all hear that it stopped", async () => {
  const [one, two] = [new Page(), new Page()];
  const shared = host();
  shared.serve(one);
  shared.serve(two);
  one.say(LOAD);
  two.say(LOAD);
  await settle();
  assert.equal(modes.length, 1, "it was fetched once");
  one.say(CALL);
  assert.deepEqual([one.of("reply").length, two.of("reply").length], [1, 0]);
  stop(new Error("out of memory"));
  await settle();
  for (const page of [one, two]) assert.deepEqual(page.of("failed"), [{ type: "failed", message: "out of memory" }]);
});

test("a module with an image goes on from it, with what its loader held, and is not run", async () => {
  const held = {
    protocol: PROTOCOL,
    call: 4,
    values: [
      [7, "Object", 2],
      [9, "WebAssembly.Module", 1],
    ],
    free: [8],
    nextTimeout: 3,
  };
  module = moduleWith("preadmit.snapshot", JSON.stringify(held));
  memory = new WebAssembly.Memory({ initial: 2 });
  let end: () => void = () => undefined;
  const loader: Record<string, unknown> = {
    importObject: {},
    run: () => assert.fail("it was run"),
    _exitPromise: new Promise<void>((resolve) => (end = resolve)),
    _makeFuncWrapper: (id: number) => (request: string) => JSON.stringify({ result: [id, request] }),
  };
  const page = new Page();
  new EngineHost(() => loader as unknown as GoRuntime).serve(page);
  page.say(LOAD);
  await settle();
  page.say(CALL);
  assert.deepEqual(page.of("reply"), [
    { type: "reply", id: 7, result: [4, '{"method":"files","params":{}}'], memory: 2 << 16 },
  ]);
  assert.deepEqual(loader["_values"], [
    NaN,
    0,
    null,
    true,
    false,
    globalThis,
    loader,
    Object,
    null,
    WebAssembly.Module,
  ]);
  assert.deepEqual(loader["_goRefCounts"], [...new Array<number>(7).fill(Infinity), 2, 0, 1]);
  const ids = loader["_ids"] as Map<unknown, number>;
  assert.deepEqual([ids.get(null), ids.get(loader), ids.get(Object), ids.get(WebAssembly.Module)], [2, 6, 7, 9]);
  assert.deepEqual([loader["_idPool"], loader["_nextCallbackTimeoutID"], loader["exited"]], [[8], 3, false]);
  end();
  await settle();
  assert.deepEqual(page.of("failed"), [{ type: "failed", message: "the engine stopped" }]);
});

test("a value that the browser does not have is said by its name", async () => {
  module = moduleWith(
    "preadmit.snapshot",
    JSON.stringify({ protocol: PROTOCOL, call: 1, values: [[7, "Missing", 1]], free: [], nextTimeout: 1 }),
  );
  memory = new WebAssembly.Memory({ initial: 1 });
  assert.match((await loaded()).of("failed")[0]?.message ?? "", /no Missing/);
});
