// A program that uses the types of the package. It is compiled only.

import { type Diagnostic, type Engine, load, releases, type Scenario, type Verdict } from "preadmit";

const engine: Engine = await load();
const scenario: Scenario = { policies: "", request: "", kubernetes: releases[0]! };
const verdict: Verdict = engine.evaluate(scenario);
const problems: Diagnostic[] = verdict.diagnostics;
const names: string[] = engine.complete(scenario, "policies", 0).items.map((item) => item.label);
export const lines: string[] = [
  ...problems.map((d) => d.summary),
  ...names,
  ...engine.call("functions", "1.37").map((f) => f.name),
];
