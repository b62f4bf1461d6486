// A divider between two panes: dragged by pointer, moved by arrow keys. Its
// position is kept for the next visit.

import { byID } from "./dom.ts";

const MIN = 20;
const MAX = 80;

export interface DividerOptions {
  /** Where the position is kept. */
  key: string;
  /** x moves it to the sides, y up and down. */
  axis: "x" | "y";
  /** The space that both panes share, in pixels of the window. */
  box(): { start: number; size: number };
  /** The share of the first pane where nothing is kept, in per cent; half without it. */
  initial?: number;
  /** Gives the first pane its share, in per cent. */
  apply(share: number): void;
}

export function installDivider(divider: HTMLElement, { key, axis, box, initial = 50, apply }: DividerOptions): void {
  let share = initial;
  divider.ariaValueNow = String(share);

  function set(percent: number): void {
    share = Math.min(MAX, Math.max(MIN, percent));
    apply(share);
    divider.ariaValueNow = String(Math.round(share));
  }

  function keep(): void {
    try {
      localStorage.setItem(key, String(share));
    } catch {
      // Storage is off: the position lasts until the page is left.
    }
  }

  let stored = NaN;
  try {
    stored = Number.parseFloat(localStorage.getItem(key) ?? "");
  } catch {
    // Storage is off.
  }
  if (Number.isFinite(stored)) set(stored);

  divider.addEventListener("pointerdown", (event) => {
    divider.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  divider.addEventListener("pointermove", (event) => {
    if (!divider.hasPointerCapture(event.pointerId)) return;
    const { start, size } = box();
    set((100 * ((axis === "x" ? event.clientX : event.clientY) - start)) / size);
  });
  divider.addEventListener("pointerup", keep);
  const [less, more] = axis === "x" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
  divider.addEventListener("keydown", (event) => {
    const to = { [less]: share - 2, [more]: share + 2, Home: MIN, End: MAX }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    set(to);
    keep();
  });
}

/** The divider between the editors and the result. */
export function installWorkbenchDivider(): void {
  const workbench = byID("workbench", HTMLElement);
  installDivider(byID("divider", HTMLElement), {
    key: "preadmit.divider",
    axis: "x",
    box: () => {
      const { left, width } = workbench.getBoundingClientRect();
      return { start: left, size: width };
    },
    apply: (share) => workbench.style.setProperty("--inputs", `${share}%`),
  });
}
