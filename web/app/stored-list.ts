// A list of the reader's own in local storage. What is there may be from any version and
// of anybody: each entry is looked at before it is used, and what cannot be read is not lost.

import { keepsNothing, type Trouble } from "./kept.ts";

const VERSION = 1;

export class StoredList<T> {
  readonly #key: string;
  readonly #read: (value: unknown) => T | undefined;

  /** read returns an entry of the list, or undefined for what is none. */
  constructor(key: string, read: (value: unknown) => T | undefined) {
    this.#key = key;
    this.#read = read;
  }

  /** The entries that can be read, or why there are none to be had. */
  read(): T[] | "off" | "newer" {
    let text: string | null;
    try {
      text = localStorage.getItem(this.#key);
    } catch {
      return "off";
    }
    if (text === null) return [];
    try {
      const value = JSON.parse(text) as { version?: unknown; list?: unknown } | null;
      if (typeof value?.version === "number" && value.version > VERSION) return "newer";
      if (Array.isArray(value?.list)) return value.list.map(this.#read).filter((entry) => entry !== undefined);
    } catch {
      // It is kept aside below.
    }
    try {
      localStorage.setItem(`${this.#key}.unreadable`, text);
    } catch {
      // It is full: then what cannot be read is what fills it.
    }
    return [];
  }

  /** The entries that can be read. */
  entries(): readonly T[] {
    const read = this.read();
    return typeof read === "string" ? [] : read;
  }

  /** Puts another list in place of the one that is there, of which an unreadable part is kept. */
  write(list: readonly T[]): Trouble | undefined {
    if (keepsNothing()) return "nothing";
    const there = this.read();
    if (typeof there === "string") return there;
    try {
      if (list.length === 0) localStorage.removeItem(this.#key);
      else localStorage.setItem(this.#key, JSON.stringify({ version: VERSION, list }));
      return undefined;
    } catch {
      return "full";
    }
  }
}
