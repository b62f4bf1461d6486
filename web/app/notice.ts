// A line at the bottom of the page that can offer one thing to do.

import { byID, chosenTab, copy, focusOn } from "./dom.ts";

export interface Action {
  name: string;
  run(): void;
}

/** Several things of which one is chosen. */
export interface Choice {
  /** What a screen reader calls it. */
  label: string;
  options: readonly string[];
  /** The number of the chosen one, from 1; 0 is none. */
  chosen: number;
  choose(number: number): void;
  /** What can be done with all of them. */
  all?: Action;
}

/** How long a message is shown, and one that only confirms, in milliseconds. */
const SHOWN = 20_000;
const CONFIRMED = 6000;

let going = 0;

/** What had the focus before the line took it. */
let before: HTMLElement | undefined;

/** How many messages there have been. */
let said = 0;

/** What the page holds, to compare. */
let held = (): string => "";

/** Takes back the last step of the page, and what the page held after that step. */
let back: { run(): void; after: string } | undefined;

/** Tells what the page holds. */
export function follow(now: () => string): void {
  held = now;
}

/** Takes back the last step of the page as a whole; returns false where the editor's own history is next. */
export function undo(): boolean {
  const step = back;
  if (step?.after !== held()) return false;
  hideNotice();
  back = undefined;
  step.run();
  return true;
}

/**
 * Shows a message until it is closed, the texts change or another replaces it, with commands to copy. Without a choice or
 * commands it goes by itself. What it returns closes this one, if it is still there.
 */
export function notice(
  text: string,
  action?: Action,
  choice?: Choice,
  commands: readonly string[] = [],
  other?: Action,
): () => void {
  const number = ++said;
  const box = byID("notice", HTMLElement);
  giveBack(box); // of an earlier message
  box.replaceChildren();
  box.hidden = false;
  box.addEventListener("focusin", remember); // once, however often it is said
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  box.append(paragraph);
  if (commands.length > 0) box.append(listed(commands));
  if (choice !== undefined) box.append(picker(choice));
  back = action?.name === "Undo" ? { run: action.run, after: held() } : undefined;
  for (const does of [choice?.all, other, action])
    if (does !== undefined) box.append(button(does.name, () => (hideNotice(), does.run())));
  box.append(button("Dismiss", hideNotice));
  window.clearTimeout(going);
  if (choice === undefined && commands.length === 0) leave(SHOWN);
  return () => {
    if (number === said) hideNotice();
  };
}

/** The commands, one a line, with a button that copies them. */
function listed(commands: readonly string[]): DocumentFragment {
  const all = document.createDocumentFragment();
  const block = document.createElement("pre");
  block.textContent = commands.join("\n");
  const press = button(commands.length === 1 ? "Copy the command" : "Copy the commands", () => {
    void copy(`${commands.join("\n")}\n`).then((done) => {
      press.textContent = done ? "Copied" : "Not allowed here";
    });
  });
  all.append(block, press);
  return all;
}

/** Confirms that something was done. */
export function confirmation(text: string): void {
  notice(text);
  leave(CONFIRMED);
}

/** Lets the message go after a time, but not from under the pointer or the focus, nor from the page to paste into. */
function leave(after: number): void {
  window.clearTimeout(going);
  going = window.setTimeout(() => {
    if (byID("notice", HTMLElement).matches(".is-empty ~ *, :hover, :focus-within")) leave(after);
    else hideNotice();
  }, after);
}

export function hideNotice(): void {
  window.clearTimeout(going);
  const box = byID("notice", HTMLElement);
  giveBack(box);
  box.hidden = true;
}

function remember({ currentTarget, relatedTarget }: FocusEvent): void {
  if (relatedTarget instanceof HTMLElement && !(currentTarget as Element).contains(relatedTarget))
    before = relatedTarget;
}

/** Gives the focus back to where it was before the line had it, or to the chosen tab where that is gone. */
function giveBack(box: HTMLElement): void {
  if (!box.contains(document.activeElement)) return;
  const to = before?.isConnected === true && before.checkVisibility() ? before : chosenTab();
  before = undefined;
  if (to !== undefined) focusOn(to);
}

function picker(choice: Choice): HTMLSelectElement {
  const select = document.createElement("select");
  select.ariaLabel = choice.label;
  const count = choice.options.length;
  if (choice.chosen === 0) select.append(new Option(`Choose one of ${String(count)}…`, "0"));
  for (const [i, name] of choice.options.entries()) {
    select.append(new Option(`${String(i + 1)} of ${String(count)}: ${name}`, String(i + 1)));
  }
  select.value = String(choice.chosen);
  select.addEventListener("change", () => choice.choose(Number(select.value)));
  return select;
}

function button(name: string, run: () => void): HTMLButtonElement {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = name;
  element.addEventListener("click", run);
  return element;
}
