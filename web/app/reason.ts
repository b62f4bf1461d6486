/** Says why something failed: an error's message, or what was thrown in the place of one. */
export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
