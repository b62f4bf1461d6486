// The page that comes without a network for one that is not kept lists those that are.

import { make } from "./elements.ts";

/** What the service worker names its cache of visited pages (sw/sw.ts). */
const VISITED = "preadmit-visited";

export async function installOfflinePages(): Promise<void> {
  const section = document.querySelector<HTMLElement>("#offline-kept");
  const list = document.querySelector<HTMLElement>("#offline-pages");
  if (section === null || list === null || !("caches" in window)) return;
  const requests = (await caches.has(VISITED)) ? await (await caches.open(VISITED)).keys() : [];
  const paths = requests.map(({ url }) => new URL(url).pathname).filter((path) => path.endsWith("/"));
  if (paths.length === 0) return;
  list.append(...paths.reverse().map((path) => make("li", {}, make("a", { text: path, attributes: { href: path } }))));
  section.hidden = false;
}
