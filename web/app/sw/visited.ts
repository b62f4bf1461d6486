// The pages and examples that were visited, for reading them without a network.
// There is room for a few; the one that was fetched longest ago makes way.

/** How many answers are kept. */
export const MAX_VISITED = 60;

/** What an answer may have at most, in bytes: pages have less, pictures are not worth it. */
export const MAX_BYTES = 1 << 20;

/** Keeps an answer in the cache, if it is worth it. */
export async function keepVisited(cache: Cache, request: Request, response: Response): Promise<void> {
  if (Number(response.headers.get("Content-Length")) > MAX_BYTES) return;
  if ((await response.clone().blob()).size > MAX_BYTES) return;
  // A cache has its entries in the order in which they were put: an old answer
  // to the same request would keep its place.
  await cache.delete(request);
  await cache.put(request, response);
  const requests = await cache.keys();
  await Promise.all(requests.slice(0, -MAX_VISITED).map((old) => cache.delete(old)));
}
