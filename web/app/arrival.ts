// What the page shows when it is opened, and when the reader goes back or forward:
// what the history, the last visit or the address say.

import type { ExampleMenu } from "./examples.ts";
import type { Damage } from "./damaged.ts";
import { notice } from "./notice.ts";
import { isLink, type Seen } from "./permalink.ts";
import type { Scenario } from "./protocol.ts";
import { fromHistory, kept, same, type Work } from "./store.ts";

/** The address of a scenario without texts. */
export const EMPTY = "#new";

/** The beginning of the address of an example. */
export const EXAMPLE = "#example=";

/** The example that an address names. */
export function slugOf(hash: string): string | undefined {
  return /^#example=([a-z0-9-]+)$/.exec(hash)?.[1];
}

/** What was found. */
export interface Arrival {
  work: Work;
  /** The address is a link that cannot be read. */
  damaged?: Damage;
  /** Where the maker of the link was. */
  seen?: Seen;
}

/**
 * Finds what to show; undefined is what the page came with. restore goes back to what
 * the address has taken the place of.
 */
export async function find(
  examples: ExampleMenu,
  restore: (work: Work, hash: string) => void,
): Promise<Arrival | undefined> {
  const last = kept();
  const there = fromHistory();
  if (there !== undefined) return { work: there };
  if (last !== undefined && last.hash === location.hash) return { work: last };
  const opened = await fromAddress(examples);
  if (opened === undefined) return last && { work: last };
  if (last !== undefined && !same(last.scenario, opened.work.scenario)) {
    keptNotice(() => restore(last, last.hash));
  }
  return opened;
}

/** Says that another scenario took the place of the reader's, and what else is to be said of that, with the way back. */
export function keptNotice(back: () => void, also = ""): void {
  notice(`Your earlier text is kept. ${also}`, { name: "Go back to it", run: back });
}

async function fromAddress(examples: ExampleMenu): Promise<Arrival | undefined> {
  const { hash } = location;
  const found = (scenario: Scenario): Arrival => ({ work: { scenario, cases: [] } });
  if (hash === EMPTY) return found({});
  if (isLink(hash)) return fromLink(hash);
  const slug = slugOf(hash);
  const example = slug === undefined ? undefined : await examples.fetch(slug);
  return example && found(example);
}

/** Reads a link; the codec is loaded for it. */
async function fromLink(hash: string): Promise<Arrival> {
  let codec: typeof import("./link.ts");
  try {
    codec = await import("./link.ts");
  } catch {
    const message = "The code that reads links could not be loaded. Reload the page when you are online.";
    return { work: { scenario: {}, cases: [] }, damaged: { message } };
  }
  try {
    const seen = codec.seenIn(hash);
    return { work: { scenario: codec.decodeLink(hash), cases: [] }, ...(seen && { seen }) };
  } catch (error) {
    // A damaged link is explained; it is never replaced by an example.
    if (!(error instanceof codec.LinkError)) throw error;
    const salvaged = error.code === "link-damaged" ? codec.salvageLink(hash) : undefined;
    const damaged = { message: error.message, ...(salvaged && { salvaged }) };
    return { work: { scenario: {}, cases: [] }, damaged };
  }
}
