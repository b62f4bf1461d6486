// Addresses of gists and files of GitHub, and what becomes of asking for them.

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";

import { fetchText, FileError, MOST_BYTES, nameFor, rawAddress } from "../github-file.ts";

const id = "0123456789abcdef0123456789abcdef";
const { fetch } = globalThis;
afterEach(() => {
  globalThis.fetch = fetch;
});

test("pages of files and gists lead to the raw file; no other host is asked", () => {
  for (const [given, meant] of [
    ["https://raw.githubusercontent.com/o/r/main/a/b.yaml", "https://raw.githubusercontent.com/o/r/main/a/b.yaml"],
    [" https://github.com/o/r/blob/main/a/b.yaml#L3 ", "https://raw.githubusercontent.com/o/r/main/a/b.yaml"],
    ["https://github.com/o/r/raw/main/b.yaml", "https://raw.githubusercontent.com/o/r/main/b.yaml"],
    [`https://gist.github.com/o/${id}`, `https://gist.githubusercontent.com/o/${id}/raw`],
    [`https://gist.github.com/o/${id}#file-b-yaml`, `https://gist.githubusercontent.com/o/${id}/raw`],
    [
      `https://gist.githubusercontent.com/o/${id}/raw/x/b.yaml`,
      `https://gist.githubusercontent.com/o/${id}/raw/x/b.yaml`,
    ],
  ] as const)
    assert.equal(rawAddress(given).href, meant);
  for (const given of [
    "",
    "b.yaml",
    "http://raw.githubusercontent.com/o/r/main/b.yaml",
    "https://raw.githubusercontent.com:8443/o/r/main/b.yaml",
    "https://me:secret@raw.githubusercontent.com/o/r/main/b.yaml",
    "https://raw.githubusercontent.com.example.org/o/r/main/b.yaml",
    "https://raw.githubusercontent.com/o",
    "https://github.com/o/r",
    "https://gist.github.com/o",
    "https://example.org/b.yaml",
    "javascript:alert(1)",
    "data:text/plain,a",
  ])
    assert.throws(() => rawAddress(given), FileError, given);
});

test("a file has its own name, or one for what it is", () => {
  const url = (path: string): URL => new URL(`https://raw.githubusercontent.com/o/r/${path}`);
  assert.equal(nameFor(url("main/my%20file.yaml"), ""), "my file.yaml");
  assert.equal(nameFor(url("raw"), "-- policies.yaml --\na: b\n"), "scenario.txtar");
  assert.equal(nameFor(url("%E0%A4%A"), "a: b"), "file.yaml");
});

test("a text is fetched without anything of the reader's; what is wrong is said", async () => {
  const url = new URL("https://raw.githubusercontent.com/o/r/main/b.yaml");
  const answers = (body: BodyInit | null, status = 200): void => {
    globalThis.fetch = (_, init) => {
      assert.equal(init?.credentials, "omit");
      assert.equal(init?.referrerPolicy, "no-referrer");
      return Promise.resolve(new Response(body, { status }));
    };
  };
  answers("kind: Pod\n");
  assert.equal(await fetchText(url), "kind: Pod\n");
  answers("404: Not Found", 404);
  await assert.rejects(fetchText(url), /has no such file/);
  answers("slow down", 429);
  await assert.rejects(fetchText(url), /too many requests/);
  answers("broken", 503);
  await assert.rejects(fetchText(url), /HTTP 503/);
  answers("x".repeat(MOST_BYTES + 1));
  await assert.rejects(fetchText(url), /too large/);
  answers(new Uint8Array([0xff, 0xfe, 0]));
  await assert.rejects(fetchText(url), /not a text/);
  answers("a\0b");
  await assert.rejects(fetchText(url), /not a text/);
  globalThis.fetch = () => Promise.reject(new TypeError("Failed to fetch"));
  await assert.rejects(fetchText(url), /could not be reached/);
});
