// Files dropped on the page or chosen in the menu: a scenario as a folder, as a
// zip or as a txtar archive, or single manifests.

import { strFromU8, unzipSync } from "fflate";

import { notice } from "./notice.ts";

/** Texts by the names of their files, without folders. */
export type Dropped = Record<string, string>;

/** More than this is no scenario: bytes of one file, and number of files. */
const MAX_FILE = 4 << 20;
const MAX_FILES = 100;

/** Reads files and hands them on; what is wrong is told. */
function take(files: Promise<readonly File[]>, onFiles: (files: Dropped) => void): void {
  files.then(read).then(onFiles, (error: unknown) => notice(error instanceof Error ? error.message : String(error)));
}

/** Opens what is chosen in a field for files, or for a folder. */
export function installChooser(chooser: HTMLInputElement, onFiles: (files: Dropped) => void): void {
  chooser.addEventListener("change", () => {
    const files = [...(chooser.files ?? [])];
    chooser.value = ""; // the same files may be chosen again
    chooser.closest("details")?.removeAttribute("open");
    if (files.length > MAX_FILES) notice("These are too many files for a scenario.");
    else if (files.length > 0) take(Promise.resolve(files), onFiles);
  });
}

/** Opens what is dropped on the page. */
export function installDrop(target: HTMLElement, onFiles: (files: Dropped) => void): void {
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
      take(entries.length > 0 ? filesOf(entries) : Promise.resolve([...transfer.files]), onFiles);
    },
    { capture: true },
  );
}

/** The files of what was dropped: of folders, those directly in them. */
async function filesOf(entries: readonly FileSystemEntry[]): Promise<File[]> {
  const files: File[] = [];
  for (const entry of entries) {
    if (entry.isFile) files.push(await file(entry as FileSystemFileEntry));
    else
      for (const inner of await inside(entry as FileSystemDirectoryEntry))
        if (inner.isFile) files.push(await file(inner as FileSystemFileEntry));
    if (files.length > MAX_FILES) throw new Error("These are too many files for a scenario.");
  }
  return files;
}

function file(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function inside(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // The reader gives a part at a time, and nothing at the end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0 || all.length > MAX_FILES) return all;
    all.push(...part);
  }
}

/** Reads files. Throws a sentence for the reader. */
export async function read(files: readonly File[]): Promise<Dropped> {
  const texts: Dropped = {};
  // What lies beside manifests in a folder is no manifest.
  const ours = files.length === 1 ? files : files.filter((f) => /\.(ya?ml|json|cel|txtar)$/i.test(f.name));
  for (const f of ours) {
    if (f.size > MAX_FILE) throw new Error(`${f.name} is too large for a scenario.`);
    const bytes = new Uint8Array(await f.arrayBuffer());
    if (f.name.endsWith(".zip")) Object.assign(texts, unzipped(f.name, bytes));
    else texts[ours.length === 1 && f.name.endsWith(".txtar") ? "scenario.txtar" : f.name] = asText(f.name, bytes);
  }
  if (Object.keys(texts).length === 0) throw new Error("There is no YAML, JSON, CEL or txtar file among these.");
  return texts;
}

/** The files of a zip; the page's own have one folder around them. */
function unzipped(name: string, bytes: Uint8Array): Dropped {
  let total = 0;
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(bytes, {
      filter: (entry) => {
        total += entry.originalSize;
        return total <= MAX_FILE && /\.(ya?ml|json|cel)$/i.test(entry.name);
      },
    });
  } catch {
    throw new Error(`${name} is not a zip that can be read.`);
  }
  if (total > MAX_FILE) throw new Error(`${name} is too large for a scenario.`);
  return Object.fromEntries(
    Object.entries(entries).map(([path, content]) => [path.slice(path.lastIndexOf("/") + 1), strFromU8(content)]),
  );
}

function asText(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${name} is not a text.`);
  }
}
