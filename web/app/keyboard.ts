// The keys of the page. Everything here can also be done with the pointer.

import { byID } from "./dom.ts";

const MAC = /^Mac|^iP/.test(navigator.platform);

export interface KeyActions {
  evaluate(): void;
  copyLink(): void;
  nextProblem(backwards: boolean): void;
  /** Takes back what the page did last as a whole; returns false where that is not the last change. */
  undo(): boolean;
  /** Puts the cursor into the text that is shown. */
  toText(): void;
  nextPane(backwards: boolean): void;
  format(): void;
  selectInput(index: number): void;
  selectView(index: number): void;
}

export function installKeys(actions: KeyActions): void {
  const help = byID("keys-dialog", HTMLDialogElement);
  document.addEventListener("click", (event) => {
    const target = event.target as Element;
    if (target.closest("[data-close]")) target.closest("dialog")?.close();
    if (target.closest("#keys")) help.showModal();
  });
  // On the way down, so that the editors do not take the keys first.
  window.addEventListener(
    "keydown",
    (event) => {
      // What is pasted while the cursor is in no text goes into the one that is shown.
      if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v" && !writes(event)) actions.toText();
      const run = match(event, actions, help);
      if (run === undefined) return;
      event.preventDefault();
      event.stopPropagation();
      run();
    },
    { capture: true },
  );
}

function match(event: KeyboardEvent, actions: KeyActions, help: HTMLDialogElement): (() => void) | undefined {
  const mod = event.ctrlKey || event.metaKey;
  if (mod && !event.altKey && event.key.toLowerCase() === "s") return actions.copyLink;
  if (mod && event.key === "Enter") return actions.evaluate;
  if (mod && !event.shiftKey && !event.altKey && event.key.toLowerCase() === "z" && !writesField(event))
    return actions.undo() ? () => undefined : undefined;
  if (event.code === "KeyF" && event.shiftKey && event.altKey && !mod) return actions.format;
  if (event.key === "F8") return () => actions.nextProblem(event.shiftKey);
  if (event.key === "F6" && !mod && !event.altKey) return () => actions.nextPane(event.shiftKey);
  // On a Mac, Option and a digit are a character.
  const modifier = MAC ? event.ctrlKey && !event.metaKey && !event.altKey : event.altKey && !mod;
  if (modifier && /^Digit[1-8]$/.test(event.code)) {
    const digit = Number(event.code.slice("Digit".length));
    return digit <= 4 ? () => actions.selectInput(digit - 1) : () => actions.selectView(digit - 5);
  }
  if (event.key === "?" && !mod && !writes(event)) return () => help.showModal();
  return undefined;
}

/** Whether the key goes into a text. */
function writes(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return (target instanceof HTMLElement && target.isContentEditable) || writesField(event);
}

/** Whether the key goes into a field, which has a history of its own. */
function writesField(event: KeyboardEvent): boolean {
  const target = event.composedPath()[0];
  return (
    target instanceof HTMLElement &&
    (target instanceof HTMLTextAreaElement ||
      (target instanceof HTMLInputElement && target.type !== "checkbox") ||
      target instanceof HTMLSelectElement)
  );
}
