// Files with many requests, read in parts: captures may be larger than what is
// good to hold in one piece. What is compressed with gzip is read as what it holds.

import { isGzip } from "../dropped.ts";
import type { EngineClient } from "../engine-client.ts";

/** How much the engine reads in one call, in characters. */
const PART = 128 << 10;

/** A text with requests, and the name of its file; a pasted one has none. */
export interface Source {
  name: string;
  text(): AsyncIterable<string>;
}

/** A text that is already there. */
export function textSource(name: string, text: string): Source {
  return {
    name,
    async *text() {
      for (let at = 0; at < text.length; at += PART) yield text.slice(at, at + PART);
    },
  };
}

/** A file, which is read when its turn comes. */
export function fileSource(file: File): Source {
  return {
    name: file.webkitRelativePath || file.name,
    async *text() {
      const zipped = isGzip(new Uint8Array(await file.slice(0, 2).arrayBuffer()));
      const bytes = zipped ? file.stream().pipeThrough(new DecompressionStream("gzip")) : file.stream();
      const reader = bytes.pipeThrough(new TextDecoderStream("utf-8", { fatal: true })).getReader();
      let part = "";
      for (;;) {
        const { value } = await reader.read();
        if (value === undefined) break;
        part += value;
        if (part.length < PART) continue;
        yield part;
        part = "";
      }
      if (part !== "") yield part;
    },
  };
}

/** What was read: the table that the engine made of it, and what there is to say. */
export interface Read {
  table: number;
  records: number;
  /** What could not be read, in a sentence each. */
  problems: string[];
}

/** Reads sources into a new table of the engine; follow gets the number of records so far and says whether to go on. */
export async function readAll(
  engine: EngineClient,
  sources: readonly Source[],
  follow: (records: number) => boolean,
): Promise<Read> {
  const read: Read = { table: 0, records: 0, problems: [] };
  const add = async (file: string, text: string, last: boolean): Promise<boolean> => {
    const reply = await engine.call("table/read", { table: read.table, file, text, last });
    read.table = reply.table;
    read.records = reply.records;
    if (reply.full !== undefined) read.problems.push(reply.full);
    return reply.full === undefined && follow(reply.records);
  };
  for (const source of sources) {
    const name = sources.length > 1 ? source.name : "";
    try {
      for await (const part of source.text()) if (!(await add(name, part, false))) return read;
    } catch (error) {
      if (!(error instanceof TypeError)) throw error; // what the browser says of bytes that are no text
      read.problems.push(`${source.name || "This"} is not a text file.`);
    }
    if (!(await add(name, "", true))) return read;
  }
  return read;
}
