// How the frames of this site on a page find each other: by channels that only pages
// of one origin can open. The page around them takes no part, its origin does not matter: it
// neither hears what an example says nor can it answer in the engine's place.

/** What frames that do not know each other yet say. */
export type AtTheDoor =
  /** A frame with an example wants to be connected. */
  | { type: "join"; frame: string }
  /** The hub is there: who waits asks again. */
  | { type: "open" };

/** The names of pages and frames: made up by the script of a page, and by a frame. */
const NAME = /^[0-9a-f]{32}$/;

/** A name that nothing else has. */
export function newName(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((b) => b.toString(16).padStart(2, "0")).join("");
}

/** The channel of all frames of a page; undefined for a name that is none. */
export function theDoor(page: string | null): BroadcastChannel | undefined {
  return page !== null && NAME.test(page) ? new BroadcastChannel(`preadmit ${page}`) : undefined;
}

/** The channel between the hub and one frame. */
export function channelOf(page: string, frame: string): BroadcastChannel | undefined {
  return NAME.test(page) && NAME.test(frame) ? new BroadcastChannel(`preadmit ${page} ${frame}`) : undefined;
}

/** Connects this frame to the hub of its page; undefined where the page names none. */
export function portOfHub(page: string | null): BroadcastChannel | undefined {
  const door = theDoor(page);
  const frame = newName();
  if (page === null || door === undefined) return undefined;
  const join = (): void => door.postMessage({ type: "join", frame } satisfies AtTheDoor);
  door.onmessage = (event: MessageEvent<AtTheDoor>): void => {
    if (event.data.type === "open") join();
  };
  join();
  return channelOf(page, frame);
}
