// What dropped or chosen files are: a scenario as a folder, as a zip or as a txtar
// archive, single manifests, tests, or so many requests that they make a table.

import type { PathFile } from "./drop.ts";

/** Texts by the names of their files; those of tests with their folders. */
export type Dropped = Record<string, string>;

/** What files are. */
export type Sorted =
  | { kind: "scenario"; texts: Dropped }
  /** Folders with expected.yaml, by the paths of their files. */
  | { kind: "tests"; texts: Dropped }
  /** Captured requests, or more objects than one looks at singly. */
  | { kind: "table"; files: File[] };

/** More than this is no scenario: bytes of one file, and number of files. */
const MAX_FILE = 4 << 20;
const MAX_FILES = 100;

/** More files than this are not looked at, whatever they are. */
const MOST = 5000;

const TEXT = /\.(ya?ml|json|cel|txtar)(\.gz)?$/i;
const CAPTURE = /\.(ndjson|jsonl|log)(\.gz)?$/i;
const EXPECTED = /(^|\/)expected\.yaml$/;

/** The files of what was dropped, with those in folders. */
export async function filesOf(entries: readonly FileSystemEntry[]): Promise<PathFile[]> {
  const files: PathFile[] = [];
  const left = [...entries];
  for (let entry = left.shift(); entry !== undefined; entry = left.shift()) {
    if (entry.isFile)
      files.push({ path: entry.fullPath.replace(/^\//, ""), file: await fileOf(entry as FileSystemFileEntry) });
    else if (!entry.name.startsWith(".")) left.push(...(await inside(entry as FileSystemDirectoryEntry)));
    if (files.length > MOST) throw new Error(`There are more than ${MOST.toLocaleString("en")} files.`);
  }
  return files;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function inside(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  // The reader gives a part at a time, and nothing at the end.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve, reject) => reader.readEntries(resolve, reject));
    if (part.length === 0 || all.length > MOST) return all;
    all.push(...part);
  }
}

/** Finds out what files are, and reads them. Throws a sentence for the reader. */
export async function sort(files: readonly PathFile[]): Promise<Sorted> {
  const ours = files.length === 1 ? files : files.filter(({ path }) => TEXT.test(path) || CAPTURE.test(path));
  const [only] = ours;
  const expected = ours.some(({ path }) => EXPECTED.test(path));
  const many = ours.length > MAX_FILES || (ours.length === 1 && only !== undefined && only.file.size > MAX_FILE);
  if (!expected && (ours.some(({ path }) => CAPTURE.test(path)) || (many && !only?.path.endsWith(".zip"))))
    return { kind: "table", files: ours.map(({ file }) => file) };
  const texts: Dropped = {};
  for (const { path, file } of ours) {
    const bytes = await bytesOf(file);
    const name = path.replace(/\.gz$/i, "");
    if (file.name.endsWith(".zip"))
      Object.assign(texts, (await import("./unzip.ts")).unzipped(file.name, bytes, MAX_FILE));
    else texts[ours.length === 1 && name.endsWith(".txtar") ? "scenario.txtar" : name] = asText(file.name, bytes);
  }
  if (Object.keys(texts).length === 0) throw new Error("None of these is a YAML, JSON, CEL or txtar file.");
  const test = ([path, text]: [string, string]): boolean =>
    EXPECTED.test(path) || (path.endsWith(".txtar") && /^-- expected\.yaml --$/m.test(text));
  if (Object.entries(texts).some(test)) return { kind: "tests", texts };
  return { kind: "scenario", texts: withoutFolder(texts) };
}

/** The files without the folder around all of them, which says nothing. */
export function withoutFolder(texts: Dropped): Dropped {
  const paths = Object.keys(texts);
  const folder = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);
  let around = folder(paths[0] ?? "");
  while (!paths.every((path) => path.startsWith(around))) around = folder(around.slice(0, -1));
  return Object.fromEntries(Object.entries(texts).map(([path, text]) => [path.slice(around.length), text]));
}

/** What a file holds; what is compressed with gzip is read as what it holds. Throws when it is too large. */
async function bytesOf(file: File): Promise<Uint8Array> {
  const tooLarge = (): Error => new Error(`${file.name} is too large for a scenario.`);
  if (file.size > MAX_FILE) throw tooLarge();
  const bytes = new Uint8Array(await file.arrayBuffer());
  if (!isGzip(bytes)) return bytes;
  const parts: BlobPart[] = [];
  let size = 0;
  const reader = file.stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  try {
    for (;;) {
      const { value } = await reader.read();
      if (value === undefined) break;
      size += value.length;
      if (size > MAX_FILE) break; // a few bytes may stand for gigabytes
      parts.push(value);
    }
  } catch {
    throw new Error(`${file.name} is not a readable gzip file.`);
  }
  if (size > MAX_FILE) {
    await reader.cancel();
    throw tooLarge();
  }
  return new Uint8Array(await new Blob(parts).arrayBuffer());
}

/** Whether bytes begin as those of gzip do. */
export function isGzip(bytes: Uint8Array): boolean {
  return bytes[0] === 0x1f && bytes[1] === 0x8b;
}

function asText(name: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw new Error(`${name} is not a text file.`);
  }
}
