// The history of runs: what the scenario came to each time that it stood still, newest
// first. Those of this visit are here in any case; they are kept for later visits as far
// as there is room.

import { keepsNothing, newID, RUNS, workOf, type Trouble, type Work } from "./kept.ts";
import type { Report } from "./protocol.ts";
import { shownOutcome, TONES, type ShownOutcome } from "./shown-outcome.ts";
import { StoredList } from "./stored-list.ts";
import { same } from "./store.ts";

/** How many runs there are at most. */
export const MOST_RUNS = 40;

/** What they may take of the storage together, in characters. */
const MOST_SIZE = 1_000_000;

/** Within this time a run with the same outcome takes the place of the last, in milliseconds. */
const SPAN = 60_000;

/** A longer message is cut. */
const LONGEST_MESSAGE = 500;

/** One run. */
export interface Run extends Work, ShownOutcome {
  id: string;
  /** When it was, in milliseconds since 1970. */
  at: number;
  /** A fingerprint of the object at the end; empty when there is none. */
  object: string;
}

const list = new StoredList<Run>(RUNS, (value) => {
  const work = workOf(value);
  if (work === undefined) return undefined;
  const { id, at, verdict, message, tone, object } = value as Partial<Record<keyof Run, unknown>>;
  if (typeof id !== "string" || typeof at !== "number" || typeof verdict !== "string") return undefined;
  return {
    ...work,
    id,
    at,
    verdict,
    message: typeof message === "string" ? message : "",
    tone: TONES.find((t) => t === tone) ?? "none",
    object: typeof object === "string" ? object : "",
  };
});

/** The runs of this visit, newest first. */
let visit: Run[] = [];

let trouble: Trouble | undefined;

/** Why the last run will not outlast the visit; undefined when it will. */
export function runsTrouble(): Trouble | undefined {
  return trouble;
}

/** All runs, newest first. */
export function runs(): readonly Run[] {
  const here = new Set(visit.map((run) => run.id));
  const kept = list.entries().filter((run) => !here.has(run.id));
  return [...visit, ...kept].sort((a, b) => b.at - a.at).slice(0, MOST_RUNS);
}

/** Whether a run was in this visit. */
export function isOfVisit(run: Run): boolean {
  return visit.some(({ id }) => id === run.id);
}

/** Records what a scenario came to; object is a fingerprint of the object at the end, empty for none. */
export function recordRun(work: Work, outcome: ShownOutcome, object: string, now: number): void {
  const [last] = visit;
  if (last !== undefined && same(last.scenario, work.scenario)) return;
  const run: Run = {
    scenario: work.scenario,
    cases: work.cases,
    ...outcome,
    message: outcome.message.slice(0, LONGEST_MESSAGE),
    object,
    id: newID(),
    at: now,
  };
  const goesOn =
    last !== undefined &&
    now - last.at < SPAN &&
    last.verdict === run.verdict &&
    last.message === run.message &&
    last.object === run.object;
  const former = runs().filter((other) => !goesOn || other !== last);
  visit = [run, ...visit.filter((other) => !goesOn || other !== last)].slice(0, MOST_RUNS);
  trouble = write([run, ...former].slice(0, MOST_RUNS));
}

/** Records what the page shows for a report, with the fingerprint of the object at its end. */
export function recordReport({ request, expression }: Report, work: Work, object: string, now: number): void {
  if (request === undefined && expression === undefined) return;
  const outcome = shownOutcome();
  const value = expression && (expression.error ?? JSON.stringify(expression.result));
  const message = outcome.message || (value === undefined ? "" : `The expression is ${value}`);
  recordRun(work, { ...outcome, message }, object, now);
}

/** Takes a run out of the history. */
export function removeRun(id: string): void {
  visit = visit.filter((run) => run.id !== id);
  trouble = write(runs().filter((run) => run.id !== id));
}

/** Forgets all runs, of this visit and of others. */
export function forgetRuns(): void {
  visit = [];
  trouble = write([]);
}

/** Writes runs; where there is no room the oldest go. */
function write(all: readonly Run[]): Trouble | undefined {
  if (keepsNothing()) return "nothing";
  if (all.length === 0) return list.write([]);
  let size = 0;
  const fit = all.filter((run) => (size += JSON.stringify(run).length) <= MOST_SIZE);
  for (let n = fit.length; n > 0; n = n > 1 ? Math.ceil(n / 2) : 0) {
    const refused = list.write(fit.slice(0, n));
    if (refused !== "full") return refused;
  }
  return "full";
}
