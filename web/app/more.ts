// On a narrow screen the bar has one row: what is used less is behind a button.

import { byID } from "./dom.ts";

export function installMore(): void {
  const button = byID("more", HTMLButtonElement);
  const bar = button.closest("header");
  const set = (open: boolean): void => {
    bar?.classList.toggle("is-open", open);
    button.ariaExpanded = String(open);
  };
  button.addEventListener("click", () => set(button.ariaExpanded !== "true"));
  // What was chosen is below: the bar makes room for it, and the focus, which a menu gave to its name, stays in sight.
  bar?.addEventListener("click", ({ target }) => {
    if (button.ariaExpanded !== "true" || (target as Element).closest(".menu-item") === null) return;
    const focused = bar.contains(document.activeElement);
    set(false);
    if (focused) button.focus({ preventScroll: true });
  });
  bar?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || button.ariaExpanded !== "true") return;
    set(false);
    button.focus();
  });
}
