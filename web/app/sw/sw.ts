// The service worker: after the first visit the playground starts from the
// cache and works without a network. A new version is fetched in the background
// and waits until the reader takes it.

import { withoutNetwork } from "./missing.ts";
import { keepVisited } from "./visited.ts";

/** What to keep, and a name that changes with it; set by tools/offline.mjs. */
declare const FILES: readonly string[];
declare const VERSION: string;

/** The global object, which the types take for that of any worker. */
const scope = self as unknown as ServiceWorkerGlobalScope;

const CORE = `preadmit-core-${VERSION}`;
/** Pages and examples that were visited. */
const VISITED = "preadmit-visited";

scope.addEventListener("install", (event) => {
  event.waitUntil(
    caches.open(CORE).then(async (cache) => {
      // What an older version has under the same hashed name need not be fetched again.
      await Promise.all(
        FILES.map(async (file) => {
          const old = file.startsWith("/assets/") ? await caches.match(file) : undefined;
          if (old === undefined)
            await cache.add(new Request(file, { cache: file.startsWith("/assets/") ? "default" : "reload" }));
          else await cache.put(file, old);
        }),
      );
    }),
  );
});

scope.addEventListener("activate", (event) => {
  event.waitUntil(
    caches
      .keys()
      .then((names) =>
        Promise.all(names.filter((n) => n.startsWith("preadmit-core-") && n !== CORE).map((n) => caches.delete(n))),
      ),
  );
});

// The page sends this when the reader takes the new version.
scope.addEventListener("message", (event) => {
  if (event.data === "take over") void scope.skipWaiting();
});

scope.addEventListener("fetch", (event) => {
  const url = new URL(event.request.url);
  if (event.request.method !== "GET" || url.origin !== scope.location.origin) return;
  const path = url.pathname;
  event.respondWith(FILES.includes(path) ? fromCache(event.request, path) : fromNetwork(event));
});

/** What this version keeps, opened once: each request for it would ask another process. */
let core: Promise<Cache> | undefined;

async function fromCache(request: Request, path: string): Promise<Response> {
  core ??= caches.open(CORE).catch((reason: unknown) => {
    core = undefined; // the next request tries again
    throw reason;
  });
  const cache = await core;
  const kept = await cache.match(path);
  if (kept !== undefined && !anew(request)) return kept;
  try {
    return await fetch(request);
  } catch (reason) {
    if (kept === undefined) throw reason;
    return kept;
  }
}

/** Whether what is kept could not be used (engine-host.ts, engine-parts.ts). */
function anew(request: Request): boolean {
  return request.cache === "no-store" || request.headers.get("Cache-Control") === "no-cache";
}

async function fromNetwork(event: FetchEvent): Promise<Response> {
  const { request } = event;
  const cache = await caches.open(VISITED);
  try {
    const response = await fetch(request);
    if (response.ok) event.waitUntil(keepVisited(cache, request, response.clone()));
    return response;
  } catch (error) {
    const old = await cache.match(request);
    const answer = old ?? (await withoutNetwork(await caches.open(CORE), request));
    if (answer !== undefined) return answer;
    throw error;
  }
}
