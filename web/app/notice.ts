// A line at the bottom of the page that can offer one thing to do.

import { byID } from "./dom.ts";

export interface Action {
  name: string;
  run(): void;
}

export function notice(text: string, action?: Action): void {
  const box = byID("notice", HTMLElement);
  box.replaceChildren();
  box.hidden = false;
  const paragraph = document.createElement("p");
  paragraph.textContent = text;
  box.append(paragraph);
  if (action !== undefined) box.append(button(action.name, () => (hideNotice(), action.run())));
  box.append(button("Close", hideNotice));
}

export function hideNotice(): void {
  byID("notice", HTMLElement).hidden = true;
}

function button(name: string, run: () => void): HTMLButtonElement {
  const element = document.createElement("button");
  element.type = "button";
  element.textContent = name;
  element.addEventListener("click", run);
  return element;
}
