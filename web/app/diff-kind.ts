// Unified diffs or side by side: one choice of the reader for all diffs. Styles
// draw either from the same lines; boot.ts applies the choice before the first
// paint, this module changes it.

const KEY = "preadmit.diff";

/** Makes the buttons beside diffs work, those of later results too. */
export function installDiffKind(): void {
  document.addEventListener("click", (event) => {
    const button = (event.target as Element).closest<HTMLElement>("[data-diff-kind]");
    if (button === null) return;
    const side = button.dataset["diffKind"] === "side";
    if (side) document.documentElement.dataset["diff"] = "side";
    else delete document.documentElement.dataset["diff"];
    // The button that was pressed is hidden now; the other one is in its place.
    button.parentElement?.querySelector<HTMLElement>(`[data-diff-kind=${side ? "unified" : "side"}]`)?.focus();
    try {
      if (side) localStorage.setItem(KEY, "side");
      else localStorage.removeItem(KEY);
    } catch {
      // Storage is off: the choice lasts until the page is left.
    }
  });
}
