// Small helpers for elements that the page is known to have.

/** The element with an id; the page is broken without it, so this throws. */
export function byID<T extends HTMLElement>(id: string, type: { new (): T }): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`the page has no ${type.name} #${id}`);
  return element;
}

/** The chosen tab of the page; undefined where it has none in sight. */
export function chosenTab(): HTMLElement | undefined {
  const tabs = document.querySelectorAll<HTMLElement>("[role=tab][aria-selected=true]");
  return [...tabs].find((tab) => tab.checkVisibility());
}

/** Gives an element the focus, and brings it in sight for those who work with the keyboard; others stay where they are. */
export function focusOn(element: HTMLElement): void {
  element.focus({ preventScroll: true });
  if (element.matches(":focus-visible")) element.scrollIntoView({ block: "nearest" });
}

export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => window.setTimeout(resolve, ms));
}

/** Offers text or bytes as a file to download. */
export function download(name: string, content: BlobPart, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  // The click has been handled by now; the address is no longer needed.
  window.setTimeout(() => URL.revokeObjectURL(link.href), 0);
}

/** Copies text; returns false where the browser does not allow it. */
export async function copy(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false; // no permission, or not a secure context: the text is shown instead
  }
}

/**
 * Runs work in a task of its own once the page has been drawn as it is now: what asks for
 * places in the page before that has to lay out all of it within its own task.
 */
export function whenDrawn(work: () => void): void {
  if (document.visibilityState === "hidden")
    setTimeout(work); // nothing is drawn there
  else requestAnimationFrame(() => setTimeout(work));
}

/** Runs work once, when an element that is hidden is on the screen. */
export function whenSeen(element: Element, work: () => void): void {
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some((entry) => entry.isIntersecting)) return;
    observer.disconnect();
    work();
  });
  observer.observe(element);
}

/** Runs work when the browser has time for it, at the latest soon. */
export function whenIdle(work: () => void): void {
  if ("requestIdleCallback" in window) window.requestIdleCallback(work, { timeout: 500 });
  else setTimeout(work, 50); // Safari
}

/** Brings an element to the top of the page where little of what follows it is in sight, as on a phone. */
export function inSight(element: HTMLElement): void {
  const { top } = element.getBoundingClientRect();
  if (top < 0 || top > window.innerHeight * 0.45) element.scrollIntoView({ block: "start" });
}
