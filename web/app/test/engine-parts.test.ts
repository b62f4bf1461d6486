// The later parts of the engine: fetched behind a result, in the middle of a call, or at once.

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";

import { EngineParts, PartMissing, laterOf } from "../engine-parts.ts";

/** A module that is nothing but its head. */
const EMPTY = new Uint8Array([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
/** One that sets the global "first.loaded" to 1 when it is instantiated, as scripts/module/split writes it. */
const SETS = new Uint8Array(
  [
    [...EMPTY],
    [1, 4, 1, 0x60, 0, 0], // a type: no parameters, no results
    [2, 17, 1, 5, ...text("first"), 6, ...text("loaded"), 3, 0x7f, 1],
    [3, 2, 1, 0],
    [8, 1, 0],
    [10, 8, 1, 6, 0, 0x41, 1, 0x24, 0, 0x0b],
  ].flat(),
);

function text(name: string): number[] {
  return [...new TextEncoder().encode(name)];
}

/** How requests end: a status and what comes, or no answer at all. */
let answer: { status: number; body: Uint8Array } | undefined;
/** The same for requests that nothing may answer out of the browser's cache. */
let fromServer: typeof answer;
let requests: string[];
let fetches: string[];
/** How often a call began to wait, and how often that was over. */
let waited: [number, number];

class FakeRequest {
  responseType = "";
  timeout = 0;
  status = 0;
  response: ArrayBuffer | undefined;
  open(method: string, url: string, async: boolean): void {
    requests.push(`${method} ${url} ${async}`);
  }
  setRequestHeader(name: string, value: string): void {
    requests.push(`${name}: ${value}`);
    if (name === "Cache-Control") answer = fromServer;
  }
  send(): void {
    if (answer === undefined) throw new Error("NetworkError");
    this.status = answer.status;
    this.response = answer.body.slice().buffer;
  }
}

beforeEach(() => {
  mock.restoreAll();
  answer = { status: 200, body: SETS };
  fromServer = undefined;
  [requests, fetches, waited] = [[], [], [0, 0]];
  Object.assign(globalThis, { XMLHttpRequest: FakeRequest });
  mock.method(globalThis, "fetch", (url: string) => {
    fetches.push(url);
    if (answer === undefined) return Promise.reject(new Error("no network"));
    const headers = { "Content-Type": "application/wasm" };
    return Promise.resolve(new Response(answer.body.slice(), { status: answer.status, headers }));
  });
});

const MORE = "/assets/engine-1-more.wasm";
const REST = "/assets/engine-1-rest.wasm";

/** Both later parts are the same module here, and set the same global. */
function made(): { parts: EngineParts; loaded: WebAssembly.Global } {
  const parts = new EngineParts("/assets/engine-1.wasm", false, (over) => waited[over ? 1 : 0]++);
  const loaded = new WebAssembly.Global({ value: "i32", mutable: true }, 0);
  parts.first = { loaded };
  return { parts, loaded };
}

test("the later parts are beside the first", () => {
  assert.deepEqual(laterOf("/assets/engine-1.wasm"), [MORE, REST]);
});

test("what all examples need may be fetched before the first part is there", async () => {
  const parts = new EngineParts("/assets/engine-1.wasm", false, (over) => waited[over ? 1 : 0]++);
  await parts.fetchMore();
  const loaded = new WebAssembly.Global({ value: "i32", mutable: true }, 0);
  parts.first = { loaded };
  assert.equal(loaded.value, 1);
  await parts.fetchAll();
  assert.deepEqual(fetches, [MORE, REST]);
});

test("parts that an earlier visit put aside are taken from there", async () => {
  Object.assign(globalThis, {
    caches: {
      match: (url: string) =>
        Promise.resolve(
          url === MORE ? new Response(SETS, { headers: { "Content-Type": "application/wasm" } }) : undefined,
        ),
    },
  });
  const parts = new EngineParts("/assets/engine-1.wasm", true, () => undefined);
  parts.first = { loaded: new WebAssembly.Global({ value: "i32", mutable: true }, 0) };
  await parts.fetchAll();
  assert.deepEqual(fetches, [REST]);
});

test("a call gets the part that it needs, and no other", () => {
  const { parts } = made();
  parts.imports.load(1);
  assert.deepEqual(requests, [`GET ${MORE} false`]);
});

test("a call that needs it has it loaded at once, and says that it waits", () => {
  const { parts, loaded } = made();
  parts.imports.load(2);
  assert.deepEqual([loaded.value, waited], [1, [1, 1]]);
  assert.deepEqual(requests, [`GET ${REST} false`]);
});

test("they are fetched once behind a result, one after the other", async () => {
  const { parts, loaded } = made();
  await Promise.all([parts.fetchAll(), parts.fetchAll()]);
  assert.equal(loaded.value, 1);
  await parts.fetchAll();
  assert.deepEqual(fetches, [MORE, REST]);
  assert.deepEqual([requests.length, waited], [0, [0, 0]]);
});

test("what comes late is not taken a second time", async () => {
  const { parts, loaded } = made();
  const late = parts.fetchMore();
  parts.imports.load(1);
  loaded.value = 5;
  await late;
  assert.equal(loaded.value, 5);
});

test("without a network fetching ends in silence, and a call says what is missing", async () => {
  answer = undefined;
  const { parts, loaded } = made();
  await parts.fetchAll();
  assert.throws(() => parts.imports.load(2), new PartMissing("the network does not answer", true));
  assert.deepEqual(waited, [2, 0]);
  assert.equal(loaded.value, 0);
  answer = { status: 200, body: SETS };
  await parts.fetchAll();
  assert.equal(loaded.value, 1);
});

test("what broke off is asked for once more, from the server", () => {
  answer = undefined;
  fromServer = { status: 200, body: SETS };
  const { parts, loaded } = made();
  parts.imports.load(2);
  assert.deepEqual([loaded.value, waited], [1, [2, 1]]);
  const get = `GET ${REST} false`;
  assert.deepEqual(requests, [get, get, "Cache-Control: no-cache"]);
});

test("what is not the part is said in words", () => {
  for (const [status, body, words] of [
    [404, EMPTY, /reload the page/],
    [503, EMPTY, /answered 503/],
    [200, new Uint8Array(text("<html>")), /something else/],
  ] as const) {
    fromServer = answer = { status, body };
    assert.throws(() => made().parts.imports.load(2), words);
  }
});
