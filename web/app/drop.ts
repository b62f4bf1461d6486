// Files dropped on the page: a txtar archive, the files of a scenario folder,
// or single manifests.

import { notice } from "./notice.ts";

export type Dropped = Record<string, string>;

/** More than this is no scenario, in bytes. */
const MAX_FILE = 4 << 20;

export function installDrop(target: HTMLElement, onFiles: (files: Dropped) => void): void {
  target.addEventListener("dragover", (event) => {
    if (!event.dataTransfer?.types.includes("Files")) return;
    event.preventDefault();
    target.classList.add("is-dropping");
  });
  target.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) target.classList.remove("is-dropping");
  });
  target.addEventListener("drop", (event) => {
    target.classList.remove("is-dropping");
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    void read(files).then((dropped) => dropped && onFiles(dropped));
  }, { capture: true });
}

async function read(files: readonly File[]): Promise<Dropped | undefined> {
  const large = files.find((f) => f.size > MAX_FILE);
  if (large !== undefined) {
    notice(`${large.name} is too large for a scenario.`);
    return undefined;
  }
  const dropped: Dropped = {};
  for (const file of files) dropped[nameFor(file.name, files.length)] = await file.text();
  return dropped;
}

/** A single archive gets the name that the engine knows archives by. */
function nameFor(name: string, count: number): string {
  return count === 1 && name.endsWith(".txtar") ? "scenario.txtar" : name;
}
