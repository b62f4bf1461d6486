// What the editors offer while the user writes: completion by typing, in the
// styles of YAML scalars; what a problem leads to; values on hover.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { openProblems, paste, quiet, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start({ shared: true });
});
after(() => site.close());

const REQUEST = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default, labels: {app: web}}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: a, image: "example.com/a:1"}, {name: b, image: "docker.io/b:1"}]}
`;

/** @param {string} validation */
const policy = (validation) => `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: p}
spec: {policyName: p, validationActions: [Deny]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: p}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [apps], apiVersions: [v1], operations: [CREATE], resources: [deployments]}]}
  validations:
  - expression: ${validation}`;

/**
 * The lines of an editor without what is drawn beside them.
 * @param {import("playwright-core").Page} page
 * @param {string} name
 */
function linesOf(page, name) {
  return page.locator(`[data-editor=${name}] .cm-line`).evaluateAll((lines) =>
    lines.map((line) => {
      const copy = /** @type {Element} */ (line.cloneNode(true));
      for (const note of copy.querySelectorAll(".cm-celLineNotes")) note.remove();
      return copy.textContent;
    }),
  );
}

/**
 * Puts the pointer on a text in the policies, wherever the editor draws it.
 * @param {import("playwright-core").Page} page
 * @param {string} text
 */
async function pointAt(page, text) {
  const place = await page.locator("[data-editor=policies] .cm-content").evaluate((content, wanted) => {
    const walker = document.createTreeWalker(content, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const at = node.textContent?.indexOf(wanted) ?? -1;
      if (at < 0) continue;
      const range = document.createRange();
      range.setStart(node, at);
      range.setEnd(node, at + wanted.length);
      const [first] = range.getClientRects(); // a word may be on two rows
      if (first === undefined) continue;
      return { x: first.left + first.width / 2, y: first.top + first.height / 2 };
    }
    return null;
  }, text);
  assert.ok(place !== null, `${text} is not in sight`);
  await page.mouse.move(0, 0);
  await page.mouse.move(place.x, place.y, { steps: 2 });
}

/** @param {string} validation */
async function opened(validation) {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "request", REQUEST);
  await paste(page, "policies", policy(validation));
  return { page, done };
}

test("completion by typing, in every style of scalar", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  for (const { before, typed, offered, lines } of [
    {
      before: "object.spec.template.spec",
      typed: ".conta",
      offered: "containers",
      lines: ["  - expression: object.spec.template.spec.containers"],
    },
    {
      before: ">-\n      object.spec.template.spec.containers.all(c,\n        c",
      typed: ".ima",
      offered: "image",
      lines: ["        c.image"],
    },
    {
      before: "|-\n      object.spec.template.spec.restartPolicy == ",
      typed: "'Alw",
      offered: "Always",
      lines: ["      object.spec.template.spec.restartPolicy == 'Always'"],
    },
    { before: '"object.spec', typed: ".repl", offered: "replicas", lines: ['  - expression: "object.spec.replicas"'] },
    { before: "'request", typed: ".oper", offered: "operation", lines: ["  - expression: 'request.operation'"] },
  ]) {
    const quote = /^["']/.exec(before)?.[0] ?? "";
    await paste(page, "policies", policy(before + quote));
    await page.keyboard.press("ControlOrMeta+End");
    if (quote) await page.keyboard.press("ArrowLeft");
    await page.keyboard.type(typed, { delay: 30 });
    const item = page.locator("[data-editor=policies] .cm-tooltip-autocomplete li[aria-selected]");
    await item.filter({ hasText: offered }).waitFor();
    await quiet(page); // the list takes no key while it is new
    await page.keyboard.press("Enter");
    assert.deepEqual((await linesOf(page, "policies")).slice(-lines.length), lines);
  }
  await done();
});

test("a problem leads to what was read, to its explanation, and to a repair", async () => {
  const { page, done } = await opened("'object.metadata.labels.team == ''x'''");
  await openProblems(page);
  const problem = page.locator(".problem", { hasText: "no such key: team" });
  await problem.locator(".related .jump").first().click();
  assert.equal(await page.locator("#panel-request.is-selected").count(), 1);
  await tab(page, "policies");
  await page.locator("[data-editor=policies] .cm-lintRange").first().hover();
  const code = page.locator("[data-editor=policies] .cm-diagnosticCode");
  assert.equal(await code.getAttribute("href"), "/docs/diagnostics/#cel-runtime");
  // What comes late of a report closes the tooltip: it is opened again for the click.
  const place = page.locator("[data-editor=policies] .cm-diagnosticPlace").first();
  const clicked = async () => {
    await page.mouse.move(0, 0);
    await page.locator("[data-editor=policies] .cm-lintRange").first().hover();
    return place.click({ timeout: 10_000 }).then(
      () => true,
      () => false,
    );
  };
  for (let tries = 1; !(await clicked()); tries++) assert.ok(tries < 10, "the place in the tooltip cannot be clicked");
  assert.equal(await page.locator("#panel-request.is-selected").count(), 1);
  await tab(page, "policies");
  await problem.locator(".fix", { hasText: "Default to '' when missing" }).click();
  await problem.first().waitFor({ state: "detached" });
  assert.equal(
    (await linesOf(page, "policies")).at(-1),
    "  - expression: 'object.metadata.?labels.?team.orValue('''') == ''x'''",
  );
  // The focus is where the text changed, and the way back is offered.
  await page.locator("#notice", { hasText: "done under Policies" }).getByRole("button", { name: "Undo" }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement?.closest("[data-editor=policies]") !== null), true);
  await page.keyboard.press("ControlOrMeta+z");
  await problem.first().waitFor({ state: "attached" });
  // It can be done again.
  await page.keyboard.press("ControlOrMeta+y");
  await problem.first().waitFor({ state: "detached" });
  await done();
});

test("the value on hover says which item decided", async () => {
  const { page, done } = await opened(
    "object.spec.template.spec.containers.all(c, c.image.startsWith('example.com/'))",
  );
  await page
    .locator("[data-editor=policies] .cm-line", { hasText: "containers.all" })
    .locator(".cm-celLineNote", { hasText: "false" })
    .waitFor();
  const tooltip = page.locator("[data-editor=policies] .cm-celValue");
  await pointAt(page, "startsWith");
  await tooltip.filter({ hasText: /0: true\s*1: false/ }).waitFor();
  await pointAt(page, "all");
  await tooltip.filter({ hasText: "all is false because of item 1 (name: b)" }).waitFor();
  await done();
});

test("a question without an answer that comes late leaves the next one open, and nothing half written", async () => {
  const { page, done } = await site.open("/404.html");
  // The engine's worker hears the first question about a completion when the test lets it.
  await page.addInitScript(() => {
    const { postMessage } = Worker.prototype;
    /** @type {(() => void) | undefined} */
    let held;
    let asked = 0;
    Object.assign(window, { questions: () => asked, ask: () => held?.() });
    Worker.prototype.postMessage = function (/** @type {any} */ message, /** @type {any[]} */ ...rest) {
      const send = () => postMessage.call(this, message, ...rest);
      if (message.call?.method !== "complete" || asked++ > 0) send();
      else held = send;
    };
  });
  await page.goto(`${site.origin}/`);
  await ready(page);
  await tab(page, "request");
  await page.locator("[data-editor=request] .cm-line", { hasText: "name: web" }).first().click();
  await page.keyboard.press("End");
  await page.keyboard.type(":"); // nothing can be completed behind it
  const asked = (/** @type {number} */ n) =>
    page.waitForFunction((n) => /** @type {any} */ (window).questions() === n, n);
  await asked(1);
  await page.keyboard.type(" : [");
  await page.evaluate(() => /** @type {any} */ (window).ask());
  await asked(2);
  await page.locator("#results.is-stale").waitFor();
  await done();
});

test("Format changes white space only, and says where it cannot", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "request", "kind:   Pod # a comment\nmetadata:\n    name: web\n    labels: { app:  web }\n");
  await quiet(page);
  await page.locator("#format").click();
  const laidOut = ["kind: Pod # a comment", "metadata:", "  name: web", "  labels: {app: web}", ""];
  await page.locator("[data-editor=request] .cm-line", { hasText: /^ {2}labels: \{app: web\}$/ }).waitFor();
  assert.deepEqual(await linesOf(page, "request"), laidOut);
  await paste(page, "request", "kind: [\n");
  await quiet(page);
  await page.locator("#format").click();
  await page.getByText("This text has a syntax error. Correct it, then format it.").waitFor();
  assert.deepEqual(await linesOf(page, "request"), ["kind: [", ""]);
  await done();
});
