// Scenarios that the reader has given a name: they are kept on this machine until they
// are removed, and nothing takes their place but what is saved under the same name.

import { NAMED, newID, workOf, type Trouble, type Work } from "./kept.ts";
import { StoredList } from "./stored-list.ts";

/** Longer names are cut: they have to fit a line. */
export const LONGEST_NAME = 80;

/** A scenario with its tests, by name. */
export interface Named extends Work {
  id: string;
  name: string;
  /** When it was saved, in milliseconds since 1970. */
  at: number;
}

const list = new StoredList<Named>(NAMED, (value) => {
  const work = workOf(value);
  const { id, name, at } = (value ?? {}) as Partial<Record<keyof Named, unknown>>;
  if (work === undefined || typeof name !== "string" || name.trim() === "") return undefined;
  return {
    ...work,
    id: typeof id === "string" ? id : newID(),
    name: name.slice(0, LONGEST_NAME),
    at: typeof at === "number" && Number.isFinite(at) ? at : 0,
  };
});

/** What has a name, the last saved first. */
export function named(): readonly Named[] {
  return [...list.entries()].sort((a, b) => b.at - a.at);
}

/** What saving came to: the entry whose place it took, if there was one, or why nothing was saved. */
export interface Saved {
  trouble?: Trouble;
  replaced?: Named;
}

/** Saves work under a name, in the place of what has the same name. */
export function saveNamed(work: Work, name: string, now: number): Saved {
  const called = name.trim().slice(0, LONGEST_NAME);
  const all = list.entries();
  const replaced = all.find((entry) => entry.name === called);
  const entry = { ...work, id: replaced?.id ?? newID(), name: called, at: now };
  const trouble = list.write([entry, ...all.filter((other) => other !== replaced)]);
  return trouble === undefined ? { ...(replaced && { replaced }) } : { trouble };
}

/** Gives an entry another name. A name that another one has is refused. */
export function renameNamed(id: string, name: string): Trouble | "taken" | undefined {
  const called = name.trim().slice(0, LONGEST_NAME);
  const all = list.entries();
  if (all.some((entry) => entry.name === called && entry.id !== id)) return "taken";
  return list.write(all.map((entry) => (entry.id === id ? { ...entry, name: called } : entry)));
}

/** Takes an entry out of the list. */
export function removeNamed(id: string): Trouble | undefined {
  return list.write(list.entries().filter((entry) => entry.id !== id));
}

/** Puts an entry back as it was: after it was removed, or after another took its place. */
export function putBack(entry: Named): Trouble | undefined {
  return list.write([entry, ...list.entries().filter((other) => other.id !== entry.id)]);
}
