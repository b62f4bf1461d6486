// Tries the installed package in Node.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

import { load, releases } from "preadmit";

const examples = process.env.PREADMIT_EXAMPLES ?? "";
const engine = await load();

/** Evaluates, and once more where a machine with other work was too slow for the engine's deadline. */
const evaluate = (scenario) => {
  const verdict = engine.evaluate(scenario);
  return verdict.diagnostics.some((d) => d.code === "run-limit") ? engine.evaluate(scenario) : verdict;
};
const text = (...path) => (existsSync(join(examples, ...path)) ? readFileSync(join(examples, ...path), "utf8") : "");

test("the first example is denied, with values and costs", () => {
  const verdict = evaluate({
    policies: text("first-look", "policies.yaml"),
    request: text("first-look", "request.yaml"),
    cluster: text("first-look", "cluster.yaml"),
  });
  assert.equal(verdict.allowed, false);
  assert.equal(verdict.code, 422);
  assert.match(verdict.message, /at most 5 replicas in namespace shop, not 8/);
  const decided = verdict.steps.flatMap((s) => s.validations ?? []).find((v) => v.result === false);
  assert.equal(decided?.expression, "object.spec.replicas <= variables.limit");
  assert.equal(decided?.cost, 6);
});

test("every fourth example has the code that is expected of it", () => {
  let compared = 0;
  for (const [i, name] of readdirSync(examples).entries()) {
    if (i % 4 !== 0) continue; // the others take a while
    const expected = /^ {2}code: (\d+)$/m.exec(text(name, "expected.yaml"))?.[1];
    const settings = text(name, "scenario.yaml");
    if (expected === undefined || /^(options|policies|beforeValidation):/m.test(settings)) continue;
    const kubernetes = /^kubernetes: "?([\d.]+)/m.exec(settings)?.[1];
    const verdict = evaluate({
      policies: text(name, "policies.yaml"),
      request: text(name, "request.yaml"),
      cluster: text(name, "cluster.yaml"),
      ...(kubernetes && { kubernetes }),
    });
    assert.equal(verdict.code, Number(expected), name);
    compared++;
  }
  assert.ok(compared > 12, `${compared} examples`);
});

test("policies are checked, repaired and completed", () => {
  const policies = text("misspelt-field", "policies.yaml");
  assert.ok(engine.check({ policies }).some((d) => d.code === "unknown-field"));
  const fixed = engine.fix({ policies });
  assert.ok(fixed.applied.length >= 2);
  assert.match(fixed.scenario.policies ?? "", /matchConstraints:/);
  const at = Buffer.from(text("first-look", "policies.yaml")).indexOf("object.spec.") + "object.spec.".length;
  const offered = engine.complete({ policies: text("first-look", "policies.yaml") }, "policies", at);
  assert.ok(offered.items.some((item) => item.label === "replicas"));
});

test("a mistake in a call is an error; the engine goes on", () => {
  assert.throws(() => engine.call("none", {}), /there is no method/);
  assert.throws(() => engine.evaluate({ kubernetes: "1.2" }), /1\.30/);
  assert.equal(engine.evaluate({ request: "{apiVersion: v1, kind: Pod, metadata: {name: a}" }).code, 0);
});

test("the API server's code for built-in kinds is there when it is asked for", async () => {
  const request =
    "{apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: shop}, spec: {selector: {matchLabels: {app: web}}, " +
    "template: {metadata: {labels: {app: other}}, spec: {containers: [{name: web, image: 'example.com/web:1'}]}}}}";
  assert.equal(engine.evaluate({ request }).code, 201);
  const whole = await load({ builtInKinds: true });
  const verdict = whole.evaluate({ request });
  assert.equal(verdict.code, 422);
  assert.match(verdict.message, /`selector` does not match template `labels`/);
});

test("two engines do not know each other", async () => {
  const other = await load();
  assert.notEqual(other, engine);
  assert.equal(other.check({ policies: "" }).length, 0);
  assert.equal(releases[0], "1.37");
});
