// Light, dark or as the system has it. boot.ts applies the choice before the
// first paint; this module changes it.

import { byID } from "./dom.ts";

const THEMES = ["system", "light", "dark"] as const;
type Theme = (typeof THEMES)[number];

const KEY = "preadmit.theme";

function current(): Theme {
  const value = document.documentElement.dataset["theme"];
  return THEMES.find((t) => t === value) ?? "system";
}

function apply(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
  byID("theme-name", HTMLElement).textContent = theme;
}

/** Makes the theme button work. */
export function installTheme(): void {
  const button = byID("theme", HTMLButtonElement);
  button.hidden = false;
  apply(current());
  button.addEventListener("click", () => {
    const next = THEMES[(THEMES.indexOf(current()) + 1) % THEMES.length] ?? "system";
    apply(next);
    try {
      localStorage.setItem(KEY, next);
    } catch {
      // Storage is off: the choice lasts until the page is left.
    }
  });
}
