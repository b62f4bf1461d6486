// How much memory the engine may hold before a fresh one takes its place. The memory
// of WebAssembly only grows: what one large scenario needed stays taken.

const MB = 1 << 20;

/** The most, in bytes; machines with less memory, and phones, get less. */
const MOST = 512 * MB;
const LEAST = 128 * MB;

/** What of this machine's memory an engine may keep: an eighth of it, as far as the browser says how much there is. */
export function memoryLimit(
  gigabytes = (globalThis.navigator as { deviceMemory?: number } | undefined)?.deviceMemory,
  phone = globalThis.matchMedia?.("(pointer: coarse)").matches ?? false,
): number {
  const eighth = ((gigabytes ?? (phone ? 2 : 8)) * 1024 * MB) / 8;
  return Math.min(MOST, Math.max(LEAST, eighth));
}

/** Whether an engine that has taken so much is to be replaced. A scenario that needs more at once, in a fresh engine too, gets it. */
export function tooMuch(taken: number, atFirst: number, limit: number): boolean {
  return taken > Math.max(limit, 1.5 * atFirst);
}
