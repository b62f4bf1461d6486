// Files dropped on the page or chosen in a menu. What they are is found out by dropped.ts.

import { reasonOf } from "./reason.ts";

/** A file, and its path in the folder that it was dropped or chosen with. */
export interface PathFile {
  path: string;
  file: File;
}

/** Opens what is chosen in a field for files, or for a folder. */
export function installChooser(chooser: HTMLInputElement, onFiles: (files: PathFile[]) => void): void {
  chooser.addEventListener("change", () => {
    const files = withPaths(chooser.files ?? []);
    chooser.value = ""; // the same files may be chosen again
    chooser.closest("details")?.removeAttribute("open");
    if (files.length > 0) onFiles(files);
  });
}

/** Files of a field, or of a drop without folders, with their paths. */
export function withPaths(files: Iterable<File>): PathFile[] {
  return [...files].map((file) => ({ path: file.webkitRelativePath || file.name, file }));
}

/** Opens what is dropped on the page; onFiles also gets where. */
export function installDrop(
  target: HTMLElement,
  onFiles: (files: PathFile[], on: Element) => void,
  onError: (message: string) => void,
): void {
  target.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    target.classList.add("is-dropping");
  });
  target.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) target.classList.remove("is-dropping");
  });
  target.addEventListener(
    "drop",
    (event) => {
      target.classList.remove("is-dropping");
      const transfer = event.dataTransfer;
      if (transfer === null || transfer.files.length === 0) return;
      event.preventDefault();
      event.stopPropagation(); // the editors would insert the files as text
      // Entries are there only while the event is handled.
      const entries = [...transfer.items].map((item) => item.webkitGetAsEntry()).filter((entry) => entry !== null);
      const on = event.target as Element;
      const given = withPaths(transfer.files);
      const files = async (): Promise<PathFile[]> =>
        entries.length > 0 ? (await import("./dropped.ts")).filesOf(entries) : given;
      files().then(
        (all) => onFiles(all, on),
        (error: unknown) => onError(reasonOf(error)),
      );
    },
    { capture: true },
  );
}
