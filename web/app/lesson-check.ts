// The checks of a lesson: requests to what the reader has written, with what is
// expected of them. The engine compares.

import type { Case, CaseResult, Scenario } from "./protocol.ts";

/** A check, as web/tour writes it. */
export interface Check {
  name: string;
  request?: string;
  cluster?: string;
  original?: readonly string[];
  kubernetes?: string;
  expected: string;
  or?: string;
}

/** A lesson, as web/tour writes it. */
export interface Lesson {
  slug: string;
  title: string;
  start: Scenario;
  solution: Scenario;
  checks: readonly Check[];
}

/** The check as tests of what the reader has written; it is passed when one of them is. */
export function casesOf(check: Check, { start }: Lesson, written: Scenario): Case[] {
  const one: Case = {
    name: check.name,
    request: check.request ?? written.request ?? "",
    expected: check.expected,
    settings: { kubernetes: check.kubernetes ?? start.kubernetes ?? "" },
  };
  if (check.cluster !== undefined) one.cluster = check.cluster;
  if (check.original?.includes("policies")) one.policies = start.policies ?? "";
  if (check.original?.includes("cluster")) one.cluster = start.cluster ?? "";
  return check.or === undefined ? [one] : [one, { ...one, expected: check.or }];
}

/** Whether a check is passed, given the results of its tests. */
export function isPassed(results: readonly CaseResult[]): boolean {
  return results.some(({ status }) => status !== "failed");
}

/** Why a check is not passed, in a sentence. */
export function whyNot(result: CaseResult | undefined): string {
  if (result === undefined) return "";
  if (result.error !== undefined) return result.error;
  const verdict = VERDICTS[result.state ?? ""] ?? "";
  const message = result.message === undefined ? "" : `: ${result.message}`;
  return verdict === "" ? message.slice(2) : `${verdict}${message}`;
}

const VERDICTS: Readonly<Record<string, string>> = {
  admitted: "It is admitted",
  mutated: "It is admitted and changed",
  denied: "It is denied",
  noPolicyRan: "It is admitted, and no policy ran",
  noPolicies: "It is admitted, and there is no policy",
  policyRefused: "The server rejects a policy",
};
