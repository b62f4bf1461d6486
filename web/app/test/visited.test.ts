// What the service worker keeps of visited pages, with a cache of the test's own.

import assert from "node:assert/strict";
import { test } from "node:test";

import { keepVisited, MAX_BYTES, MAX_VISITED } from "../sw/visited.ts";

/** A cache as browsers have it, as far as visited.ts uses it. */
class FakeCache {
  readonly entries = new Map<string, Response>();

  delete(request: Request): Promise<boolean> {
    return Promise.resolve(this.entries.delete(request.url));
  }

  put(request: Request, response: Response): Promise<void> {
    this.entries.set(request.url, response);
    return Promise.resolve();
  }

  keys(): Promise<Request[]> {
    return Promise.resolve([...this.entries.keys()].map((url) => new Request(url)));
  }
}

async function visit(cache: FakeCache, path: string, response = new Response(path)): Promise<void> {
  await keepVisited(cache as unknown as Cache, new Request(`https://example.com${path}`), response);
}

test("only the last pages are kept", async () => {
  const cache = new FakeCache();
  for (let i = 0; i < MAX_VISITED; i++) await visit(cache, `/${i}`);
  await visit(cache, "/0"); // again, so it is the newest
  await visit(cache, "/new");
  assert.equal(cache.entries.size, MAX_VISITED);
  const paths = [...cache.entries.keys()].map((url) => new URL(url).pathname);
  assert.deepEqual([paths[0], paths.at(-2), paths.at(-1)], ["/2", "/0", "/new"]);
  assert.equal(await cache.entries.get("https://example.com/new")?.text(), "/new");
});

test("what is large is not kept, whether it says so or not", async () => {
  const cache = new FakeCache();
  await visit(cache, "/said", new Response("", { headers: { "Content-Length": String(MAX_BYTES + 1) } }));
  await visit(cache, "/unsaid", new Response(new Uint8Array(MAX_BYTES + 1)));
  assert.equal(cache.entries.size, 0);
  await visit(cache, "/page", new Response(new Uint8Array(MAX_BYTES), { headers: { "Content-Type": "text/html" } }));
  assert.equal(cache.entries.get("https://example.com/page")?.headers.get("Content-Type"), "text/html");
});
