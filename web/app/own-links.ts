// Which links were made in this browser: any other one was shared by somebody.

import { keepsNothing } from "./kept.ts";
import { isLink } from "./permalink.ts";

const KEY = "preadmit.links";

/** How many links are remembered. */
const MOST = 100;

/** The checksum that a link begins with, which names its content well enough. */
function nameOf(hash: string): string {
  return hash.slice(hash.indexOf("/") + 1, hash.indexOf("/") + 13);
}

function remembered(): string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? "[]");
    return Array.isArray(value) ? value.filter((v) => typeof v === "string") : [];
  } catch {
    return []; // storage is off, or holds something else
  }
}

/** Remembers a link that was made here, in place of an earlier one if that is given. */
export function rememberLink(hash: string, instead = ""): void {
  if (keepsNothing()) return;
  const [name, former] = [nameOf(hash), nameOf(instead)];
  try {
    localStorage.setItem(
      KEY,
      JSON.stringify([...remembered().filter((n) => n !== name && n !== former), name].slice(-MOST)),
    );
  } catch {
    // Storage is off or full: the link will look like somebody else's, no more.
  }
}

/** Whether an address is a link that was not made here. */
export function isForeign(hash: string): boolean {
  return isLink(hash) && !remembered().includes(nameOf(hash));
}
