// The divider between editors and result: dragged by pointer, moved by arrow
// keys. Its position is a custom property, kept for the next visit.

const KEY = "preadmit.divider";
const MIN = 20;
const MAX = 80;

export function installDivider(divider: HTMLElement, container: HTMLElement): void {
  let share = 50;

  function set(percent: number): void {
    share = Math.min(MAX, Math.max(MIN, percent));
    container.style.setProperty("--inputs", `${share}%`);
    divider.ariaValueNow = String(Math.round(share));
  }

  function keep(): void {
    try {
      localStorage.setItem(KEY, String(share));
    } catch {
      // Storage is off: the position lasts until the page is left.
    }
  }

  let stored = NaN;
  try {
    stored = Number.parseFloat(localStorage.getItem(KEY) ?? "");
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
    const box = container.getBoundingClientRect();
    set((100 * (event.clientX - box.left)) / box.width);
  });
  divider.addEventListener("pointerup", keep);
  divider.addEventListener("keydown", (event) => {
    const to = { ArrowLeft: share - 2, ArrowRight: share + 2, Home: MIN, End: MAX }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    set(to);
    keep();
  });
}
