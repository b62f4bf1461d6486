// Tabs after the ARIA pattern: arrow keys move and select, one tab stop.

export interface Tabs {
  select(name: string, focus?: boolean): void;
  readonly selected: string;
}

/**
 * Makes a tab list work. Tabs have ids "tab-NAME" and name their panel in
 * aria-controls. onSelect is called after a change.
 */
export function installTabs(list: HTMLElement, onSelect: (name: string) => void): Tabs {
  const tabs = [...list.querySelectorAll<HTMLElement>("[role=tab]")];
  let selected = nameOf(tabs.find((t) => t.ariaSelected === "true") ?? tabs[0]);

  function nameOf(tab: HTMLElement | undefined): string {
    return tab?.id.replace(/^tab-/, "") ?? "";
  }

  function select(name: string, focus = false): void {
    for (const tab of tabs) {
      const on = nameOf(tab) === name;
      tab.ariaSelected = String(on);
      tab.tabIndex = on ? 0 : -1;
      const panel = document.getElementById(tab.getAttribute("aria-controls") ?? "");
      panel?.classList.toggle("is-selected", on);
      if (on && focus) tab.focus();
    }
    if (name === selected) return;
    selected = name;
    onSelect(name);
  }

  list.addEventListener("click", (event) => {
    const tab = (event.target as Element).closest<HTMLElement>("[role=tab]");
    if (tab !== null) select(nameOf(tab));
  });
  list.addEventListener("keydown", (event) => {
    const index = tabs.findIndex((t) => nameOf(t) === selected);
    const target = {
      ArrowRight: tabs[(index + 1) % tabs.length],
      ArrowLeft: tabs[(index + tabs.length - 1) % tabs.length],
      Home: tabs[0],
      End: tabs[tabs.length - 1],
    }[event.key];
    if (target === undefined) return;
    event.preventDefault();
    select(nameOf(target), true);
  });
  return {
    select,
    get selected() {
      return selected;
    },
  };
}
