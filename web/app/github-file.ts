// A file of GitHub: which addresses are meant, and how one is fetched. It runs on one page
// alone, which the Content-Security-Policy of a site may allow to ask these hosts.

/** The only hosts that are asked. */
export const HOSTS = ["gist.githubusercontent.com", "raw.githubusercontent.com"];

/** What is opened is no larger than this, in bytes. */
export const MOST_BYTES = 1 << 20;

/** How long GitHub may take, in milliseconds. */
const PATIENCE = 20_000;

/** Why a file cannot be opened; the message is a sentence for the reader. */
export class FileError extends Error {}

/** The address of the file that a reader means: that of a raw file, a page of a file, or a gist. */
export function rawAddress(text: string): URL {
  let url: URL;
  try {
    url = new URL(text.trim());
  } catch {
    throw new FileError("Enter the full address, which begins with https://.");
  }
  if (url.protocol !== "https:" || url.port !== "" || url.username !== "" || url.password !== "")
    throw new FileError("Only plain https addresses work here.");
  const parts = url.pathname.split("/").filter((part) => part !== "");
  url.hash = "";
  if (HOSTS.includes(url.host)) {
    if (parts.length < 3) throw new FileError("This address names no file.");
    return url;
  }
  if (url.host === "github.com") {
    const [owner, repository, kind, ...path] = parts;
    if ((kind === "blob" || kind === "raw") && path.length >= 2)
      return new URL(`https://raw.githubusercontent.com/${[owner, repository, ...path].join("/")}`);
    throw new FileError("This GitHub page does not show a file. Open the file there and copy its address.");
  }
  if (url.host === "gist.github.com") {
    const [owner, id, raw] = parts;
    if (owner !== undefined && id !== undefined && /^[0-9a-f]{20,}$/.test(id) && (raw === undefined || raw === "raw"))
      return new URL(`https://gist.githubusercontent.com/${parts.slice(0, 2).join("/")}/raw`);
    throw new FileError("Open the gist and copy the address of its Raw button.");
  }
  throw new FileError(
    "Only gists and GitHub files open here, from gist.github.com, github.com and raw.githubusercontent.com.",
  );
}

/** The name that a file is opened under: its own, or one for what it is. */
export function nameFor(url: URL, text: string): string {
  let name = "";
  try {
    name = decodeURIComponent(url.pathname.split("/").at(-1) ?? "");
  } catch {
    // Not a name, then.
  }
  if (/\.(ya?ml|json|cel|txtar|ndjson|jsonl)$/i.test(name)) return name;
  return /^-- \S+ --$/m.test(text) ? "scenario.txtar" : "file.yaml";
}

/** Fetches the text of a file. Throws a FileError. */
export async function fetchText(url: URL): Promise<string> {
  const signal = AbortSignal.timeout(PATIENCE);
  try {
    const response = await fetch(url.href, {
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
      signal,
    });
    if (response.status === 404)
      throw new FileError(
        `${url.host} has no such file. It may be private, deleted or renamed, or the address is cut.`,
      );
    if (response.status === 429) throw new FileError(`${url.host} received too many requests. Try again later.`);
    if (!response.ok) throw new FileError(`${url.host} answered with an error (HTTP ${String(response.status)}).`);
    return decoded(await within(response));
  } catch (error) {
    if (error instanceof FileError) throw error;
    if (signal.aborted) throw new FileError(`${url.host} does not answer. Try again later.`);
    throw new FileError(`${url.host} could not be reached. Is there a network?`);
  }
}

/** The body of a response, which is left when it is too large. */
async function within(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true, value: undefined };
    if (done || value === undefined) break;
    size += value.length;
    if (size > MOST_BYTES) {
      await reader?.cancel();
      throw new FileError("The file is too large: the limit is 1 MB.");
    }
    chunks.push(value);
  }
  const all = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    all.set(chunk, at);
    at += chunk.length;
  }
  return all;
}

function decoded(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    if (!text.includes("\0")) return text;
  } catch {
    // The same as with a zero in it.
  }
  throw new FileError("The file is not a text file.");
}
