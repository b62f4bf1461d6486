// The editors where there is room: the request below the policies, in a pane that
// can be folded, enlarged, moved and resized. boot.ts applies what was chosen
// before the first paint; this module changes it.

import { byID } from "./dom.ts";
import { installDivider } from "./divider.ts";
import { installTabs, type Tabs } from "./tabs.ts";
import { textNamed, type TextName } from "./texts.ts";

/** From this width on there is room, as in styles/panes.css. */
const ROOM = "(min-width: 75rem)";

/** The choices, by the names that boot.ts gives them on the root element. */
const KEYS = { panes: "preadmit.panes", folded: "preadmit.folded", order: "preadmit.order" } as const;

const root = document.documentElement;

function choose(what: keyof typeof KEYS, value: string): void {
  if (value === "") delete root.dataset[what];
  else root.dataset[what] = value;
  try {
    localStorage.setItem(KEYS[what], value);
  } catch {
    // Storage is off: the choice lasts until the page is left.
  }
}

/** Makes the tabs of the texts, and the panes around them. */
export function installPanes(onSelect: (name: string) => void): Tabs {
  const room = window.matchMedia(ROOM);
  const split = (): boolean => room.matches && root.dataset["panes"] !== "tabs";
  const tabs = installTabs(byID("input-tabs", HTMLElement), () => undefined, {
    pinned: (name) => split() && name === "request",
    onSelect: (name) => {
      unfold(name);
      onSelect(name);
    },
  });
  const kind = byID("panes-kind", HTMLButtonElement);
  const fold = byID("pane-fold", HTMLButtonElement);
  const enlarge = byID("pane-enlarge", HTMLButtonElement);

  function show(): void {
    kind.ariaPressed = String(root.dataset["panes"] !== "tabs");
    fold.ariaExpanded = String(root.dataset["folded"] !== "request");
    fold.textContent = root.dataset["folded"] === "request" ? "Unfold" : "Fold";
    enlarge.ariaPressed = String(root.dataset["folded"] === "upper");
    enlarge.textContent = root.dataset["folded"] === "upper" ? "Restore" : "Enlarge";
    tabs.refresh();
  }

  /** What is asked for is seen, whichever pane was folded away. */
  function unfold(name: string): void {
    const hidden = name === "request" ? "request" : "upper";
    if (!split() || root.dataset["folded"] !== hidden) return;
    choose("folded", "");
    show();
  }

  const on = (button: HTMLElement, run: () => void): void =>
    button.addEventListener("click", () => {
      run();
      show();
    });
  on(kind, () => choose("panes", root.dataset["panes"] === "tabs" ? "" : "tabs"));
  on(fold, () => choose("folded", root.dataset["folded"] === "request" ? "" : "request"));
  on(enlarge, () => choose("folded", root.dataset["folded"] === "upper" ? "" : "upper"));
  on(byID("pane-move", HTMLButtonElement), () =>
    choose("order", root.dataset["order"] === "request-first" ? "" : "request-first"),
  );
  room.addEventListener("change", show);

  const inputs = byID("inputs", HTMLElement);
  installDivider(byID("pane-divider", HTMLElement), {
    key: "preadmit.pane-divider",
    axis: "y",
    initial: root.dataset["order"] === "request-first" ? 40 : 60, // as panes.css has it
    box: () => {
      const start = byID("scenario-head", HTMLElement).getBoundingClientRect().bottom;
      return { start, size: byID("problems", HTMLElement).getBoundingClientRect().top - start };
    },
    apply: (share) => {
      // The share of the pane above the divider, whichever that is.
      const first = root.dataset["order"] === "request-first" ? "lower" : "upper";
      inputs.style.setProperty(`--${first}-share`, `${share}fr`);
      inputs.style.setProperty(`--${first === "upper" ? "lower" : "upper"}-share`, `${100 - share}fr`);
    },
  });
  show();
  return tabs;
}

/** Moves the focus to the next editor that is seen, or to the tabs of the result. */
export function nextPane(backwards: boolean, focus: (text: TextName) => void): void {
  const hosts = [...document.querySelectorAll<HTMLElement>(".inputs .editor[data-editor]")];
  const stops = [
    ...hosts.filter((h) => h.offsetParent !== null),
    ...document.querySelectorAll<HTMLElement>("#view-tabs [aria-selected=true]"),
  ];
  const at = stops.findIndex((s) => s === document.activeElement);
  const next = stops.at((at + (backwards ? (at < 0 ? 0 : -1) : 1)) % stops.length);
  const text = textNamed(next?.dataset["editor"]);
  if (text === undefined) next?.focus();
  else focus(text);
}

/**
 * Follows in which text the reader was last, where two of them are side by side; undefined where
 * that one is no longer in sight.
 */
export function followText(): () => TextName | undefined {
  let host: HTMLElement | undefined;
  document.addEventListener("focusin", ({ target }) => {
    if (!(target instanceof Element)) return;
    if (target.closest(".inputs [role=tab]") !== null) host = undefined; // the tab that was chosen counts
    host = target.closest<HTMLElement>(".inputs .editor[data-editor]") ?? host;
  });
  return () => (host !== undefined && host.offsetParent !== null ? textNamed(host.dataset["editor"]) : undefined);
}
