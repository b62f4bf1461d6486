// The reader's work in this browser's storage: the last states, newest first, each a scenario with
// its tests. Any version of the page, or anyone, may have written them. So all of a state is checked
// before any of it is used, and unreadable ones are kept.

import type { Case, Scenario } from "./protocol.ts";
import { isCase, isScenario } from "./schema.ts";
import { TEXTS } from "./texts.ts";

const KEY = "preadmit.kept";
const VERSION = 1;

/** The one state that earlier versions of the page kept. */
const FORMER = "preadmit.work";

/** What could not be read, for a reader who wants to look for it. */
const UNREADABLE = "preadmit.kept.unreadable";

/** Set when nothing is to be kept. */
const NOTHING = "preadmit.keep-nothing";

/** How far the reader is in the tour (tour-progress.ts). */
export const TOUR = "preadmit.tour";

/** Scenarios with names (named.ts), and the history of runs (runs.ts). */
export const NAMED = "preadmit.named";
export const RUNS = "preadmit.runs";

/** What is erased when nothing is to be kept: texts, and which links were made here. */
const ERASED = [KEY, FORMER, UNREADABLE, "preadmit.links", TOUR].concat(
  [NAMED, RUNS].flatMap((key) => [key, `${key}.unreadable`]),
);

/** How many states are kept. */
export const MOST = 20;

/** After so long the same work goes on as another state, in milliseconds. */
const SPAN = 10 * 60 * 1000;

/** What the reader works at. */
export interface Work {
  scenario: Scenario;
  cases: readonly Case[];
}

/** What is kept of a visit. */
export interface State extends Work {
  id: string;
  /** When it was kept last, and when it began, in milliseconds since 1970. */
  at: number;
  began: number;
  /** The part of the address behind the #, when the scenario came from there. */
  hash: string;
}

/**
 * Why nothing could be kept: storage is off, it is full, a later version of the page has
 * written it, or the reader wants nothing to be kept.
 */
export type Trouble = "off" | "full" | "newer" | "nothing";

/** The state that changes go to; undefined before the first. */
let current: string | undefined;

/** Reads a scenario with its tests from storage, or from the history. */
export function workOf(value: unknown): Work | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { scenario, cases } = value as { scenario?: unknown; cases?: unknown };
  const read = scenarioOf(scenario);
  return read && { scenario: read, cases: Array.isArray(cases) ? cases.filter(isCase) : [] };
}

function scenarioOf(value: unknown): Scenario | undefined {
  if (isScenario(value)) return value;
  if (typeof value !== "object" || value === null) return undefined;
  // Settings of another version must not cost the reader the texts.
  const texts = Object.fromEntries(Object.entries(value).filter(([key]) => (TEXTS as readonly string[]).includes(key)));
  return isScenario(texts) && Object.keys(texts).length > 0 ? texts : undefined;
}

function stateOf(value: unknown): State | undefined {
  const work = workOf(value);
  if (work === undefined) return undefined;
  const { id, at, began, hash } = value as Partial<Record<keyof State, unknown>>;
  const time = typeof at === "number" && Number.isFinite(at) ? at : 0;
  return {
    ...work,
    id: typeof id === "string" ? id : newID(),
    at: time,
    began: typeof began === "number" && Number.isFinite(began) ? began : time,
    hash: typeof hash === "string" ? hash : "",
  };
}

/** A name for an entry of a list, unlike any other. */
export function newID(): string {
  return Math.random().toString(36).slice(2);
}

/** What storage has: the states; or that a later version wrote it; or undefined where storage is off. */
function stored(): State[] | "newer" | undefined {
  let text: string | null;
  let former: string | null;
  try {
    text = localStorage.getItem(KEY);
    former = localStorage.getItem(FORMER);
  } catch {
    return undefined;
  }
  if (text === null) {
    const state = former === null ? undefined : stateOf(parsed(former));
    return state === undefined ? [] : [state];
  }
  const value = parsed(text);
  if (typeof value === "object" && value !== null) {
    const { version, states } = value as { version?: unknown; states?: unknown };
    if (typeof version === "number" && version > VERSION) return "newer";
    if (Array.isArray(states))
      return states
        .map(stateOf)
        .filter((s) => s !== undefined)
        .slice(0, MOST);
  }
  try {
    localStorage.setItem(UNREADABLE, text);
  } catch {
    // It is full: then what cannot be read is what fills it.
  }
  return [];
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The states that are kept, newest first. */
export function states(): readonly State[] {
  const read = stored();
  return read === undefined || read === "newer" ? [] : read;
}

/** Keeps work: as the newest state, or in place of it while the same work goes on. */
export function keepState(work: Work, hash: string, now: number): Trouble | undefined {
  if (keepsNothing()) return undefined;
  const others = stored();
  if (others === undefined) return "off";
  if (others === "newer") return "newer";
  const last = others.find((s) => s.id === current);
  const same = last !== undefined && now - last.began < SPAN;
  const state: State = { ...work, id: same ? last.id : newID(), at: now, began: same ? last.began : now, hash };
  current = state.id;
  const rest = others.filter((s) => s.id !== state.id).slice(0, MOST - 1);
  return write([state, ...rest]);
}

/** Writes states; where there is no room the oldest go. */
function write(list: readonly State[]): Trouble | undefined {
  for (let kept = list.length; kept > 0; kept = kept > 1 ? Math.ceil(kept / 2) : 0) {
    try {
      localStorage.setItem(KEY, JSON.stringify({ version: VERSION, states: list.slice(0, kept) }));
      localStorage.removeItem(FORMER);
      return undefined;
    } catch {
      // There is less room than that.
    }
  }
  return "full";
}

/** What is kept next is a state of its own. */
export function nextState(): void {
  current = undefined;
}

/** Takes a state out of the list. */
export function removeState(id: string): void {
  const rest = states().filter((s) => s.id !== id);
  try {
    if (rest.length === 0) for (const key of [KEY, FORMER]) localStorage.removeItem(key);
    else localStorage.setItem(KEY, JSON.stringify({ version: VERSION, states: rest }));
  } catch {
    // Storage is off: there is nothing in it.
  }
}

/** Whether the reader wants nothing to be kept. */
export function keepsNothing(): boolean {
  try {
    return localStorage.getItem(NOTHING) !== null;
  } catch {
    return false; // storage is off, which the page says when something should be kept
  }
}

/** Keeps nothing from now on and erases what is kept; or keeps again. */
export function keepNothing(on: boolean): void {
  try {
    if (!on) return localStorage.removeItem(NOTHING);
    for (const key of ERASED) localStorage.removeItem(key);
    localStorage.setItem(NOTHING, "1");
  } catch {
    // Storage is off: nothing is kept.
  }
}
