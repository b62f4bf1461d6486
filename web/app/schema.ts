// What a scenario has to look like that comes from a link, from storage or from
// the history. All of these may hold anything: it is looked at wholly before any
// of it is used.

import type { Case, Scenario } from "./protocol.ts";

type Check = (value: unknown) => boolean;

const text: Check = (v) => typeof v === "string";
const flag: Check = (v) => typeof v === "boolean";
const anything: Check = () => true;
const texts: Check = (v) => Array.isArray(v) && v.every(text);

function isObject(v: unknown): v is Record<string, unknown> {
  return typeof v === "object" && v !== null && !Array.isArray(v);
}

/** An object with these fields, each of which may be missing. Others are left to the engine. */
function fields(known: Readonly<Record<string, Check>>): Check {
  return (v) => isObject(v) && Object.entries(known).every(([key, check]) => v[key] === undefined || check(v[key]));
}

const mapOf =
  (check: Check): Check =>
  (v) =>
    isObject(v) && Object.values(v).every(check);

const plugins: Check = (v) => texts(v) || fields({ enable: texts, disable: texts })(v);

const SCENARIO: Record<keyof Scenario, Check> = {
  title: text,
  description: text,
  tags: texts,
  kubernetes: text,
  policies: text,
  request: text,
  cluster: text,
  expression: text,
  expressionContext: text,
  now: text,
  beforeValidation: fields({ set: mapOf(anything), remove: texts }),
  options: fields({ defaulting: flag, authorizer: text, plugins, runtimeConfig: texts, policyFiles: texts }),
};

const whole = fields(SCENARIO);

/** Whether a value is a scenario, in all of its parts. */
export function isScenario(value: unknown): value is Scenario {
  return whole(value);
}

const CASE: Record<keyof Case, Check> = {
  name: text,
  request: text,
  expected: text,
  defaulting: flag,
  policies: text,
  cluster: text,
  settings: whole,
};

const wholeCase = fields(CASE);

/** Whether a value is a case, in all of its parts. */
export function isCase(value: unknown): value is Case {
  return (
    wholeCase(value) &&
    ["name", "request", "expected"].every((key) => (value as Partial<Case>)[key as keyof Case] !== undefined)
  );
}
