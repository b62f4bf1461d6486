// A line at the bottom of the page that can offer one thing to do.

import { byID } from "./dom.ts";

export interface Action {
  name: string;
  run(): void;
}

/** How long a confirmation stands, in milliseconds. */
const STANDS = 6000;

let going = 0;

/** Tells something that stands until it is closed or something else is told. */
export function notice(text: string, action?: Action): void {
  window.clearTimeout(going);
  const box = byID("notice", HTMLElement);
  box.replaceChildren();
  box.hidden = false;
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  box.append(paragraph);
  if (action !== undefined) box.append(button(action.name, () => (hideNotice(), action.run())));
  box.append(button("Close", hideNotice));
}

/** Tells that something was done. It goes away by itself, but not from under the pointer or the focus. */
export function confirmation(text: string): void {
  notice(text);
  const go = (): void => {
    if (byID("notice", HTMLElement).matches(":hover, :focus-within")) wait();
    else hideNotice();
  };
  const wait = (): void => {
    going = window.setTimeout(go, STANDS);
  };
  wait();
}

export function hideNotice(): void {
  window.clearTimeout(going);
  byID("notice", HTMLElement).hidden = true;
}

function button(name: string, run: () => void): HTMLButtonElement {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = name;
  element.addEventListener("click", run);
  return element;
}
