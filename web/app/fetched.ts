// The files of the engine, as they are got: what an earlier visit put aside is taken from there at once, and not by way
// of the service worker, where each byte passes through one process more. That takes 50 ms of a visit (docs/performance.md).

/**
 * The response to a request for a file. With kept it is what the service worker put aside, where that is found; it may be
 * broken, so what cannot be used is to be asked for again without.
 */
export async function fetched(url: string, kept: boolean): Promise<Response> {
  return (kept ? await putAside(url) : undefined) ?? (await fetch(url));
}

async function putAside(url: string): Promise<Response | undefined> {
  try {
    return await caches.match(url);
  } catch {
    return undefined; // a browser that lets no worker look there
  }
}
