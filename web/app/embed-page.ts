// The page inside an embedded example. What it shows comes from its address; all embedded
// examples of a page share one engine.

import { portOfHub } from "./embed-channel.ts";
import { Embed } from "./embed-view.ts";
import { decodeLink, LinkError } from "./link.ts";
import { isLink } from "./permalink.ts";
import type { Scenario } from "./protocol.ts";

const options = new URLSearchParams(location.search);
const port = portOfHub(options.get("hub"));

async function load(): Promise<Scenario> {
  if (isLink(location.hash)) return decodeLink(location.hash);
  const slug = document.body.dataset["example"] || (options.get("example") ?? "");
  if (!/^[a-z0-9-]+$/.test(slug)) throw new LinkError("link-unknown", "This embedded example names no scenario.");
  const response = await fetch(`/examples/${slug}/scenario.json`);
  if (!response.ok) throw new Error(`There is no example "${slug}".`);
  return (await response.json()) as Scenario;
}

void new Embed({
  load,
  option: (name) => options.get(name),
  ...(port && { port }),
  run: options.get("run") !== null,
}).open();
