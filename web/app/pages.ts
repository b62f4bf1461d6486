// What the pages around the playground need: the theme, and the search of the
// gallery.

import { installTheme } from "./theme.ts";

installTheme();

const search = document.querySelector<HTMLInputElement>("#gallery-search");
search?.addEventListener("input", () => {
  const words = search.value.toLowerCase().split(/\s+/).filter((w) => w !== "");
  for (const topic of document.querySelectorAll<HTMLElement>("[data-topic]")) {
    let found = 0;
    for (const card of topic.querySelectorAll<HTMLElement>("[data-search]")) {
      const text = card.dataset["search"] ?? "";
      card.hidden = !words.every((w) => text.includes(w));
      if (!card.hidden) found++;
    }
    topic.hidden = found === 0;
  }
});
