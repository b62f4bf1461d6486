// A second way for the replies of a worker. After a key Chromium keeps the messages of workers and
// ports until it has drawn the page with the key, and an outcome that was there before that is drawn one
// picture later. What comes on a BroadcastChannel it does not keep. A reply goes both ways, as a browser
// may refuse such channels, or keep those of a page apart from those of its worker; the page takes
// what comes first (docs/performance.md).

/** Up to this length of its JSON a reply goes both ways, in UTF-16 units: a longer one is not drawn at once either, and is copied each time. */
export const SHORT_REPLY = 100_000;

/** Opens the channel of a name, which nobody else knows; undefined where the browser has none, or refuses it to a page that may keep nothing. */
export function replyChannel(name: string): BroadcastChannel | undefined {
  try {
    return new BroadcastChannel(name);
  } catch {
    return undefined; // the other way is always there
  }
}
