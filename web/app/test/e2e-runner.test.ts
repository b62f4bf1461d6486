// The runner of the browser tests tries what failed once more, says so, and fails for what fails twice.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";

/** Tests of which the first passes when it has failed before. */
const UNSTEADY = `
import { test } from "node:test";
import { existsSync, writeFileSync } from "node:fs";
test("now and then", () => {
  if (existsSync(import.meta.filename + ".ran")) return;
  writeFileSync(import.meta.filename + ".ran", "");
  throw new Error("not yet");
});
`;

for (const [name, tests, status, said] of [
  ["a failure by chance is named", UNSTEADY, 0, "unsteady, failed once of two: .*: now and then: not yet"],
  [
    "what fails twice fails",
    UNSTEADY + 'test("never", () => { throw new Error("no"); });',
    1,
    "failed twice: .*: never: no",
  ],
  ["what cannot be loaded fails", "throw new Error();", 1, "failed twice: .*a.test.mjs: test failed"],
] as const)
  test(name, () => {
    const folder = mkdtempSync(join(tmpdir(), "e2e-"));
    try {
      const file = join(folder, "a.test.mjs");
      writeFileSync(file, tests);
      const environment = { ...process.env };
      delete environment["NODE_TEST_CONTEXT"]; // it is a run of its own, no part of this one
      const run = spawnSync(process.execPath, ["tools/e2e.mjs", file], { encoding: "utf8", env: environment });
      assert.equal(run.status, status, run.stdout + run.stderr);
      assert.match(run.stdout, new RegExp(`^# ${said}$`, "m"));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
