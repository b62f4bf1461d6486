// The dark colours stand twice in tokens.css, because a media query and a choice
// cannot share a block, and light-dark() is too new. They must agree.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";

test("the dark colours by system and by choice are the same", async () => {
  const css = await readFile("app/styles/tokens.css", "utf8");
  const colours = (selector: string): string[] => {
    const block = css.slice(css.indexOf(selector)).match(/\{([^}]*)\}/)?.[1] ?? "";
    return [...block.matchAll(/--[a-z-]+: [^;]+;/g)].map(([declaration]) => declaration);
  };
  const bySystem = colours(':root:not([data-theme="light"])');
  assert.ok(bySystem.length > 20);
  assert.deepEqual(colours(':root[data-theme="dark"]'), bySystem);
});
