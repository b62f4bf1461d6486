// Tabs after the ARIA pattern: arrow keys move and select, one tab stop.

export interface Tabs {
  select(name: string, focus?: boolean): void;
  readonly selected: string;
}

export interface TabsOptions {
  /** Called whenever a tab is chosen, also one that was. */
  onSelect?(name: string): void;
}

/**
 * Makes a tab list work. Tabs have ids "tab-NAME", or "group-NAME" where they stand for several panels, and name
 * their panel in aria-controls. onSelect is called after a change.
 */
export function installTabs(list: HTMLElement, onSelect: (name: string) => void, options: TabsOptions = {}): Tabs {
  const tabs = [...list.querySelectorAll<HTMLElement>("[role=tab]")];
  let selected = nameOf(tabs.find((t) => t.ariaSelected === "true") ?? tabs[0]);

  function nameOf(tab: HTMLElement | undefined): string {
    return tab?.id.replace(/^(tab|group)-/, "") ?? "";
  }

  function refresh(): void {
    for (const tab of tabs) {
      const on = nameOf(tab) === selected;
      tab.ariaSelected = String(on);
      tab.tabIndex = on ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls") ?? "")?.classList.toggle("is-selected", on);
    }
  }

  function select(name: string, focus = false): void {
    const tab = tabs.find((t) => nameOf(t) === name);
    if (tab === undefined) return;
    const before = selected;
    selected = name;
    refresh();
    if (focus) tab.focus();
    reveal();
    options.onSelect?.(name);
    if (selected !== before) onSelect(name);
  }

  // Where the row is too narrow the selected tab stays in sight, also when its badge comes.
  function reveal(): void {
    const tab = tabs.find((t) => nameOf(t) === selected);
    if (tab === undefined || list.scrollWidth <= list.clientWidth) return;
    const { left, right } = tab.getBoundingClientRect();
    const row = list.getBoundingClientRect();
    const room = parseFloat(getComputedStyle(list).paddingRight) || 0;
    if (right > row.right - room) list.scrollLeft += right - row.right + room;
    else if (left < row.left + room) list.scrollLeft += left - row.left - room;
  }
  const sizes = new ResizeObserver(reveal);
  for (const tab of tabs) sizes.observe(tab);

  list.addEventListener("click", (event) => {
    const tab = (event.target as Element).closest<HTMLElement>("[role=tab]");
    if (tab !== null) select(nameOf(tab));
  });
  list.addEventListener("keydown", (event) => {
    const index = tabs.findIndex((t) => t === event.target);
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
