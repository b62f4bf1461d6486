// What this browser keeps of the reader's work, as one list.

import { keepsNothing, removeState, states, type Work } from "../kept.ts";
import { named, removeNamed, type Named } from "../named.ts";
import type { Scenario } from "../protocol.ts";
import { removeRun, runs, runsTrouble, type Run } from "../runs.ts";
import { same } from "../store.ts";
import { NAMES } from "../texts.ts";
import type { RunChange } from "./run-change.ts";

/** A scenario that is kept: under a name, as a run, or both; or as texts that never came to a run. */
export interface Entry extends Work {
  at: number;
  named?: Named;
  run?: Run;
}

/** All that is kept, each scenario once: what has a name, then earlier work, the newest first. */
export function entries(): Entry[] {
  const list: Entry[] = named().map((entry) => ({ ...entry, named: entry }));
  const others: Entry[] = [];
  for (const entry of [...runs().map((run) => ({ ...run, run })), ...states()]) {
    const known = [...list, ...others].find(({ scenario }) => same(scenario, entry.scenario));
    if (known === undefined) others.push(entry);
    else if ("run" in entry) known.run ??= entry.run;
  }
  return [...list, ...others.sort((a, b) => b.at - a.at)];
}

/** The run before another one, of another scenario. */
export function runBefore(run: Run): Run | undefined {
  return runs().find((other) => other.at < run.at && !same(other.scenario, run.scenario));
}

/** Takes a scenario out of the list; returns why a saved one cannot be removed. */
export function remove({ named, scenario }: Entry): ReturnType<typeof removeNamed> {
  const trouble = named && removeNamed(named.id);
  if (trouble === undefined) forget((other) => same(other, scenario));
  return trouble;
}

/** Takes earlier work out of the list. */
export function forget(which: (scenario: Scenario) => boolean): void {
  for (const { id, scenario } of states()) if (which(scenario)) removeState(id);
  for (const { id, scenario } of runs()) if (which(scenario)) removeRun(id);
}

/** Where the list is kept, in words. */
export function place(empty: boolean): string {
  const trouble = runsTrouble();
  if (empty)
    return keepsNothing() ? "Nothing is kept." : "Nothing yet. Preadmit keeps each result: change a text to add one.";
  if (keepsNothing() || trouble === "nothing") return "The runs of this visit. They are kept nowhere.";
  if (trouble === "full") return "This browser's storage is full: the oldest runs are lost when you leave the page.";
  if (trouble !== undefined) return "The runs of this visit. This browser does not keep them.";
  return "Kept in this browser and nowhere else. A row opens the scenario as it was then.";
}

/** What is different from the run before, in words: what the reader changed, and what came of it. */
export function changeWords(change: RunChange, run: Run): string {
  const causes = change.texts.map((text) => NAMES[text]);
  if (change.kubernetes !== undefined)
    causes.push(`Kubernetes ${change.kubernetes} → ${run.scenario.kubernetes ?? ""}`);
  if (change.settings) causes.push("Settings");
  if (causes.length === 0) causes.push("the title");
  const effects: string[] = [];
  if (change.verdict !== undefined) effects.push(`${change.verdict} → ${run.verdict}`);
  if (change.message) effects.push(run.message === "" ? "no message any more" : "another message");
  if (change.object) effects.push(run.object === "" ? "no object any more" : "another object");
  if (effects.length === 0) effects.push("the same outcome");
  const list = new Intl.ListFormat("en", { type: "conjunction" });
  return `Changed: ${list.format(causes)}. Result: ${effects.join("; ")}.`;
}
