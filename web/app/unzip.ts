// Zip archives that are opened. Loaded with the first of them.

import { strFromU8, unzipSync } from "fflate";

/** The texts of a zip's files, by their paths; together they have at most so many bytes. */
export function unzipped(name: string, bytes: Uint8Array, most: number): Record<string, string> {
  let total = 0;
  let entries: Record<string, Uint8Array>;
  try {
    entries = unzipSync(bytes, {
      filter: (entry) => {
        total += entry.originalSize;
        return total <= most && /\.(ya?ml|json|cel)$/i.test(entry.name);
      },
    });
  } catch {
    throw new Error(`${name} is not a readable zip file.`);
  }
  if (total > most) throw new Error(`${name} is too large for a scenario.`);
  return Object.fromEntries(Object.entries(entries).map(([path, content]) => [path, strFromU8(content)]));
}
