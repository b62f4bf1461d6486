// The engine renders a fold's content when the reader opens it. Most folds stay closed, and every
// key brings a new result.

import type { Unfolded } from "./protocol.ts";
import { trustedHTML } from "./trusted.ts";

/** Gives the content of a fold; around are the folds that it is in. Undefined when there is none any more. */
export type Unfold = (key: string, around: string[]) => Promise<Unfolded | undefined>;

const keyOf = (fold: HTMLElement): string => fold.dataset["key"] ?? "";

/** The folds that the reader, or the page for them, has opened, by their keys. */
export function openFolds(element: ParentNode): string[] {
  return [...element.querySelectorAll<HTMLElement>("details[data-later][data-touched][open]")].map(keyOf);
}

/** Fills the folds in an element when they are opened. */
export function fillFolds(element: HTMLElement, unfold: Unfold): void {
  // The event does not rise from a fold: it is caught on its way down.
  element.addEventListener(
    "toggle",
    ({ target }) => {
      if (target instanceof HTMLDetailsElement) void fill(target, unfold);
    },
    { capture: true },
  );
}

/** Opens a fold and those around it, and waits for what is in it. */
export async function openFold(fold: HTMLDetailsElement, unfold: Unfold): Promise<void> {
  for (const outer of [...around(fold), fold]) {
    if (outer.open) continue;
    outer.open = true;
    outer.dataset["touched"] = "";
  }
  await fill(fold, unfold);
}

async function fill(fold: HTMLDetailsElement, unfold: Unfold): Promise<void> {
  if (!isEmpty(fold)) return;
  const reply = await unfold(keyOf(fold), around(fold).map(keyOf));
  if (reply === undefined || !isEmpty(fold)) return;
  const content = document.createElement("template");
  content.innerHTML = trustedHTML(reply.html);
  fold.append(content.content);
}

/** Whether the content of an open fold is still to come. */
function isEmpty(fold: HTMLDetailsElement): boolean {
  return fold.open && fold.dataset["later"] !== undefined && fold.childElementCount < 2;
}

/** The folds around one, from the outermost. */
function around(fold: HTMLElement): HTMLDetailsElement[] {
  const list: HTMLDetailsElement[] = [];
  for (let f = outer(fold); f !== null; f = outer(f)) list.unshift(f);
  return list;
}

function outer(fold: HTMLElement): HTMLDetailsElement | null {
  return fold.parentElement?.closest<HTMLDetailsElement>("details[data-key]") ?? null;
}
