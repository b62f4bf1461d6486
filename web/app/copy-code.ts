// A button on each block of code of the documentation that copies it. Of a transcript it
// copies the commands, without the prompt and what was printed.

import { copy } from "./dom.ts";
import { button } from "./elements.ts";

/** How long the button says what it has done, in milliseconds. */
const LONG = 1600;

/** What is worth copying of a block. */
export function worth(code: string): string {
  const commands = code.split("\n").filter((line) => line.startsWith("$ "));
  return commands.length === 0 ? code : `${commands.map((line) => line.slice(2)).join("\n")}\n`;
}

export function installCopyCode(): void {
  for (const block of document.querySelectorAll<HTMLElement>(".code-block")) {
    const code = block.querySelector("pre")?.textContent;
    if (code === undefined || code === null) continue;
    const press = button("Copy", () => {
      void copy(worth(code)).then((done) => {
        press.textContent = done ? "Copied" : "Not allowed here";
        window.setTimeout(() => (press.textContent = "Copy"), LONG);
      });
    });
    press.className = "code-copy";
    press.setAttribute("aria-live", "polite");
    block.append(press);
  }
}
