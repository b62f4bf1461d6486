// The engine as pages get it begins as an image that was made at build time, and comes in parts.
// Here, without a browser, it answers beside the same engine that starts as Go programs do.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { runInThisContext } from "node:vm";

import { FULL } from "./browser.mjs";
import { pagesOwn } from "../tools/image.mjs";

const web = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(web, "dist");

/** The first part. @type {WebAssembly.Module} */
let image;
/** The others. @type {WebAssembly.Module[]} */
let later;
/** @type {WebAssembly.Module} */
let started;
/** @type {Awaited<ReturnType<typeof pagesOwn>>} */
let page;
/** The parts that engines have asked for. @type {number[]} */
let asked = [];
/** What the memory of engines has grown to, in bytes, each time that it did. @type {number[]} */
let grown = [];

/** What the engines take for the time since the start, in milliseconds. */
let now = 0;

before(async () => {
  // Each look at the clock moves it on by a microsecond. An evaluation has some seconds, after which it
  // says that the time is up: on a busy machine that was so in one engine and not in the other.
  Object.defineProperty(globalThis, "performance", { value: { now: () => (now += 0.001) } });
  const { engine, engineLater } = JSON.parse(await readFile(join(dist, "assets.json"), "utf8"));
  image = await WebAssembly.compile(await readFile(join(dist, engine)));
  /** @param {string} file */
  const compiled = async (file) => WebAssembly.compile(await readFile(join(dist, file)));
  later = await Promise.all(engineLater.map(compiled));
  // What the image was made of.
  started = await WebAssembly.compile(await readFile(join(web, "build/engine.direct.wasm")));
  runInThisContext(await readFile(join(web, "app/generated/wasm_exec.js"), "utf8"));
  page = await pagesOwn();
});

/**
 * An engine that goes on from its image, or that starts.
 * @param {WebAssembly.Module} module
 * @param {(first: WebAssembly.Exports, part: number) => void} [load] loads a later part
 */
async function engine(module, load = joined) {
  const go = new /** @type {any} */ (globalThis).Go();
  const parts = {
    load(/** @type {number} */ part) {
      asked.push(part);
      load(instance.exports, part);
    },
  };
  const imports = /** @type {Record<string, (sp: number) => void>} */ (go.importObject.gojs);
  const reset = imports["runtime.resetMemoryDataView"];
  if (reset === undefined) throw new Error("Go's loader is not told when the memory has grown");
  const memory = () => /** @type {WebAssembly.Memory} */ (instance.exports["mem"]).buffer.byteLength;
  imports["runtime.resetMemoryDataView"] = (sp) => (reset(sp), grown.push(memory()));
  /** @type {WebAssembly.Instance} */
  const instance = await WebAssembly.instantiate(module, { ...go.importObject, parts });
  const held = page.heldIn(module);
  if (held !== undefined) return page.resume(go, instance, held).engine;
  void go.run(instance);
  return /** @type {any} */ (globalThis).preadmit;
}

/**
 * @param {WebAssembly.Exports} first
 * @param {number} part
 */
function joined(first, part) {
  const module = later[part - 1];
  if (module === undefined) throw new Error(`there is no part ${part}`);
  new WebAssembly.Instance(module, { first });
}

/** A reply without what differs each time: the report's number, the time of day, and new UIDs. */
function reply(/** @type {string} */ text) {
  return text
    .replace(/^\{"result":\{"id":\d+/, '{"result":{"id":0')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME")
    .replace(/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}/g, "UID");
}

/** @param {unknown} scenario */
function evaluate(scenario) {
  return JSON.stringify({ method: "evaluate", params: { scenario, parts: ["steps", "object", "diff", "answer"] } });
}

test("the image answers as an engine that has started, byte for byte, and examples need its first parts alone", async () => {
  let one = await engine(image);
  const other = await engine(started);
  assert.equal(one.protocol, other.protocol);
  const names = (await readdir(join(dist, "examples"), { withFileTypes: true })).filter((e) => e.isDirectory());
  const chosen = names.filter((e, i) => i % (FULL ? 8 : 16) === 0 || e.name === "first-look");
  assert.ok(chosen.length > 8);
  for (const { name } of chosen) {
    one = await engine(image);
    const before = asked.length;
    const call = evaluate(JSON.parse(await readFile(join(dist, "examples", name, "scenario.json"), "utf8")));
    const [got, want] = [one.call(call), other.call(call)];
    assert.equal(reply(got), reply(want), name);
    assert.equal(reply(one.call(call)), reply(want), `${name}, a second time`);
    if (name === "first-look")
      assert.deepEqual(asked.slice(before), [], "the first page's example needs the first part alone");
  }
  // Not one of them by itself; how keys of maps collide is chance, and may be met in no example of the build.
  const far = asked.filter((part) => part > 1).length;
  // A few examples tell little about the share.
  assert.ok(far <= chosen.length / (FULL ? 5 : 2), `${far} of ${chosen.length} examples ask for the last part`);
  [one, asked] = [await engine(image), []];
  const params = JSON.parse(await readFile(join(dist, "examples/first-look/scenario.json"), "utf8"));
  const versions = JSON.stringify({ method: "versions", params });
  assert.equal(reply(one.call(versions)), reply(other.call(versions)));
  assert.deepEqual(asked.toSorted(), [1, 2]);
  for (const call of [
    "{",
    '{"method":"none"}',
    evaluate({ kubernetes: "0.1" }),
    evaluate({ policies: "a: [", request: "{" }),
    " ".repeat((8 << 20) + 1),
  ]) {
    assert.equal(reply(one.call(call)), reply(other.call(call)), call.slice(0, 100));
  }
});

test("engines of one image are engines of their own, with numbers of their own", async () => {
  const call = evaluate(JSON.parse(await readFile(join(dist, "examples/first-look/scenario.json"), "utf8")));
  const ids = new Set();
  for (const each of [await engine(image), await engine(image)]) {
    const { id, report } = JSON.parse(each.call(call)).result;
    assert.equal(report.outcome.code, 422);
    ids.add(id);
    ids.add(JSON.parse(each.call(call)).result.id);
  }
  assert.equal(ids.size, 4);
});

// The browser takes some milliseconds each time, and Go asks for half a megabyte (wasm/slim/runtime).
test("the memory grows in large steps", async () => {
  const { call } = await engine(image);
  grown = [];
  const data = Array.from({ length: 20_000 }, (_, i) => `  key-${i}: value ${i}`).join("\n");
  const request = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: default}\ndata:\n${data}\n`;
  assert.equal(JSON.parse(call(evaluate({ request }))).error, undefined);
  assert.ok(grown.length > 0, "it has grown");
  const steps = grown.slice(1).map((bytes, i) => bytes - (grown[i] ?? 0));
  assert.ok(
    steps.every((bytes) => bytes >= 16 << 20),
    `steps of ${steps.join(", ")} bytes`,
  );
  assert.ok(steps.length > 0, "more than once");
});

test("a part that does not come is an error of the call, not an answer", async () => {
  const params = JSON.parse(await readFile(join(dist, "examples/first-look/scenario.json"), "utf8"));
  const { call } = await engine(image, () => {
    throw new Error("no network");
  });
  assert.throws(() => call(JSON.stringify({ method: "versions", params })), /no network/);
});
