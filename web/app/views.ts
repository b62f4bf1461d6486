// The views of the result: four tabs, of which two have tabs of their own.

import { byID } from "./dom.ts";
import { installTabs, type Tabs } from "./tabs.ts";

/** The views of the tabs that have several. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  object: ["object", "diff"],
  compare: ["versions", "whatif", "table", "tests"],
};

export interface Views extends Tabs {
  /** Selects a tab with the focus, or where it is selected the next of its views. */
  advance(name: string): void;
}

/** Makes the tabs of the views work. A view is selected by its own name, or by that of its tab; onView is called after a change. */
export function installViews(onView: (view: string) => void): Views {
  const within = new Map<string, Tabs>();
  let shown = "steps";

  const current = (): string => within.get(top.selected)?.selected ?? top.selected;
  function apply(): void {
    for (const view of document.querySelectorAll<HTMLElement>(".results > .view"))
      view.classList.toggle("is-selected", view.id === `view-${current()}`);
    if (current() === shown) return;
    shown = current();
    onView(shown);
  }

  const top = installTabs(byID("view-tabs", HTMLElement), apply, { onSelect: apply });
  for (const group of Object.keys(GROUPS))
    within.set(group, installTabs(byID(`${group}-tabs`, HTMLElement), apply, { onSelect: apply }));
  const views = {
    select(name: string, focus = false): void {
      const group = Object.keys(GROUPS).find((g) => GROUPS[g]?.includes(name) === true);
      if (group === undefined) return top.select(name, focus);
      within.get(group)?.select(name);
      top.select(group, focus);
    },
    advance(name: string): void {
      const own = GROUPS[name];
      if (own === undefined || top.selected !== name) return top.select(name, true);
      within.get(name)?.select(own[(own.indexOf(current()) + 1) % own.length] ?? name, true);
    },
    get selected() {
      return current();
    },
  };
  return views;
}
