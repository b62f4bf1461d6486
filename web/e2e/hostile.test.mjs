// What strangers may put into a text: nothing of it runs, blocks the page or
// costs it its engine.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { FULL, paste, patient, ready, start, tab } from "./browser.mjs";

/** @type {Awaited<ReturnType<typeof start>>} */
let site;
before(async () => {
  site = await start();
});
after(() => site.close());

const pod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: b}\n";

/** The problem is a pattern. @type {{ name: string, tab: string, text: string, problem: string }[]} */
const texts = [
  {
    name: "five megabytes",
    tab: "request",
    text: `${pod}data: "${"x".repeat(5_000_000)}"\n`,
    problem: "text-too-large",
  },
  { name: "ten thousand documents", tab: "cluster", text: `${pod}---\n`.repeat(10_000), problem: "too-many-documents" },
  { name: "open brackets", tab: "request", text: `a: ${"[".repeat(2_000)}\n`, problem: "too-deep" },
  { name: "items of items", tab: "request", text: `${"- ".repeat(9000)}a\n`, problem: "too-deep" },
  {
    name: "aliases of aliases",
    tab: "request",
    text: `a0: &a0 [x]\n${Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(",")}]`).join("\n")}\n`,
    problem: "too-many-values",
  },
  {
    name: "nested parentheses",
    tab: "expression",
    text: "(".repeat(5000) + "1" + ")".repeat(5000),
    problem: "cel-compile",
  },
  {
    name: "loops in loops",
    tab: "expression",
    text: `${[..."abcdefgh"].map((v) => `[0,1,2,3,4,5,6,7,8,9].all(${v}, `).join("")}a >= 0${")".repeat(8)}`,
    problem: "cel-runtime|run-limit", // the cost that the server allows, or the time of the page on a busy machine
  },
];

/** One that is found while the text is read, and one while it is evaluated. */
const DIFFERENT = ["five megabytes", "loops in loops"];

for (const { name, tab, text, problem } of texts) {
  test(`${name}: reported, and the engine goes on`, { skip: !FULL && !DIFFERENT.includes(name) }, async () => {
    const { page, done } = await site.open("/404.html");
    await patient(page);
    await page.goto(`${site.origin}/`);
    await ready(page);
    let workers = 0;
    page.on("worker", () => workers++);
    await paste(page, tab, text);
    await page.locator("#problems", { hasText: new RegExp(problem) }).waitFor();
    assert.equal(workers, 0, "no new worker was needed");
    await paste(page, tab, tab === "expression" ? "6 * 7" : pod);
    await page.waitForFunction(
      (code) => !new RegExp(code).test(document.querySelector("#problems")?.textContent ?? ""),
      problem,
    );
    assert.equal(workers, 0, "nor for the next text");
    await done();
  });
}

test("markup in every string is shown as it is written", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  const evil = "<img src=x onerror=alert(1)>\"'><svg onload=alert(2)><a href=javascript:alert(3)>";
  const quoted = JSON.stringify(evil);
  const cel = JSON.stringify(JSON.stringify(evil));
  await paste(
    page,
    "policies",
    `apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: ${quoted}, annotations: {${quoted}: ${quoted}}}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]}
  variables: [{name: v, expression: ${cel}}]
  auditAnnotations: [{key: k, valueExpression: variables.v}]
  validations:
  - {expression: "variables.v == 'x'", message: ${quoted}}
  - {expression: ${quoted}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicy
metadata: {name: fine}
spec:
  matchConstraints: {resourceRules: [{apiGroups: [""], apiVersions: ["*"], operations: ["*"], resources: ["*"]}]}
  variables: [{name: v, expression: ${cel}}]
  validations: [{expression: "variables.v == 'x'", messageExpression: variables.v}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: ${quoted}}
spec: {policyName: fine, validationActions: [Deny, ${quoted}]}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingAdmissionPolicyBinding
metadata: {name: fine}
spec: {policyName: fine, validationActions: [Deny, Audit]}
`,
  );
  await paste(
    page,
    "request",
    `apiVersion: v1\nkind: Pod\nmetadata: {name: ${quoted}, namespace: b, labels: {${quoted}: ${quoted}}}\n${quoted}: ${quoted}\n`,
  );
  await paste(page, "expression", `{${quoted}: object.metadata.name}`);
  await page.locator("#outcome", { hasText: "<img src=x onerror" }).waitFor();
  for (const view of ["object", "diff", "answer", "versions", "steps"]) {
    await tab(page, view);
    const made = await page
      .locator("img, [onerror], [onload], a[href^='javascript:']")
      .evaluateAll((found) => found.map((e) => e.outerHTML));
    assert.deepEqual(
      made.filter((html) => !html.includes("cm-widgetBuffer")),
      [],
      view,
    );
  }
  await done();
});

test("halves of characters do not stop the page; a link says that it cannot carry them", async () => {
  const { page, done } = await site.open("/");
  await ready(page);
  await paste(page, "expression", "'a\ud800b'");
  await page.locator(".expression-card .becomes .value").first().waitFor();
  await page.locator("#share").click();
  await page.locator("#notice", { hasText: "A link cannot carry binary data" }).waitFor();
  await done();
});

test("without a network from one moment to the next, everything goes on", async () => {
  const { page } = await site.open("/404.html");
  const whole = page.waitForEvent("requestfinished", (request) => request.url().endsWith("-rest.wasm"));
  await page.goto(`${site.origin}/`);
  await ready(page);
  await whole; // the last of its parts is on its way when the first result is shown
  await page.context().setOffline(true);
  await paste(page, "expression", "6 * 7");
  await page.locator(".expression-card .becomes .value", { hasText: "42" }).waitFor();
  await page.context().close();
});
