// The menu that begins a scenario: drafts, which are loaded when one is chosen, and an empty page.

import { byID } from "./dom.ts";
import { notice } from "./notice.ts";
import type { Scenario } from "./protocol.ts";
import { reasonOf } from "./reason.ts";

/** Installs the menu; onStart gets the chosen draft, and its name. */
export function installStarts(onStart: (scenario: Scenario, name: string) => void): void {
  const menu = byID("new-menu", HTMLDetailsElement);
  const close = (): void => {
    menu.open = false;
  };
  document.addEventListener("click", (event) => {
    const chosen = (event.target as Element).closest<HTMLElement>("[data-new]")?.dataset["new"];
    if (chosen === undefined) return;
    close();
    import("./drafts.ts").then(
      ({ DRAFTS }) => onStart(DRAFTS[chosen] ?? {}, chosen),
      (error: unknown) => notice(`The draft could not be loaded: ${reasonOf(error)}`),
    );
  });
  document.addEventListener("click", (event) => {
    if (!menu.contains(event.target as Node)) close();
  });
  menu.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    close();
    menu.querySelector("summary")?.focus();
  });
}
