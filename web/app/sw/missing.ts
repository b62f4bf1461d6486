// What the service worker answers without a network for what it has not kept.

/** The scenario that an address asks for, out of all of them; undefined when it asks for none that is there. */
export function scenarioIn(path: string, all: unknown): string | undefined {
  const slug = /^\/examples\/([a-z0-9-]+)\/scenario\.json$/.exec(path)?.[1];
  if (slug === undefined || typeof all !== "object" || all === null || !Object.hasOwn(all, slug)) return undefined;
  return JSON.stringify((all as Record<string, unknown>)[slug]);
}

/** Answers from what was kept with the page: a scenario, or for a page one that says what is missing. */
export async function withoutNetwork(core: Cache, request: Request): Promise<Response | undefined> {
  if (request.mode === "navigate") return core.match("/offline/");
  const all = await core.match("/examples/scenarios.json");
  if (all === undefined) return undefined;
  const found = scenarioIn(new URL(request.url).pathname, await all.json());
  return found === undefined ? undefined : new Response(found, { headers: { "Content-Type": "application/json" } });
}
