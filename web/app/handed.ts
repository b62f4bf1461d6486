// A file that another page of this site hands to the playground, through the storage of
// the tab: it is taken once.

const KEY = "preadmit.handed";

/** Hands a file over; returns false where the browser does not allow it. */
export function hand(name: string, text: string): boolean {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ name, text }));
    return true;
  } catch {
    return false;
  }
}

/** The file that was handed over, if there is one; the next time there is none. */
export function takeHanded(): File | undefined {
  try {
    const kept = sessionStorage.getItem(KEY);
    if (kept === null) return undefined;
    sessionStorage.removeItem(KEY);
    const { name, text } = JSON.parse(kept) as { name?: unknown; text?: unknown };
    return typeof name === "string" && typeof text === "string" ? new File([text], name) : undefined;
  } catch {
    return undefined; // storage is off, or holds something else
  }
}
