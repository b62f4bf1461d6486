// What is used less is behind a button: on a wide screen in a menu below it, on a narrow one in
// rows of the bar.

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
    const item = (target as Element).closest(".menu-item");
    if (button.ariaExpanded !== "true" || item === null || item.id === "theme") return;
    const focused = bar.contains(document.activeElement);
    set(false);
    if (focused) button.focus({ preventScroll: true });
  });
  document.addEventListener("click", ({ target }) => {
    if (button.ariaExpanded === "true" && bar?.contains(target as Node) === false) set(false);
  });
  bar?.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || button.ariaExpanded !== "true") return;
    set(false);
    button.focus();
  });
}
