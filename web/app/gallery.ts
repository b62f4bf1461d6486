// The search of the gallery: words and a level choose among the cards, which are
// all in the page.

/** Whether a text has every one of the words, in any order and case. */
export function matches(text: string, query: string): boolean {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((w) => w !== "");
  return words.every((w) => text.includes(w));
}

/** Makes the search work, on the page that has one. */
export function installGallery(): void {
  const search = document.querySelector<HTMLInputElement>("#gallery-search");
  const level = document.querySelector<HTMLSelectElement>("#gallery-level");
  const count = document.querySelector<HTMLElement>("#gallery-count");
  const empty = document.querySelector<HTMLElement>("#gallery-empty");
  if (search === null || level === null || count === null || empty === null) return;

  const update = (): void => {
    let total = 0;
    for (const topic of document.querySelectorAll<HTMLElement>("[data-topic]")) {
      let found = 0;
      for (const card of topic.querySelectorAll<HTMLElement>("[data-search]")) {
        const { search: text, level: own } = card.dataset;
        card.hidden = !matches(text ?? "", search.value) || (level.value !== "" && level.value !== own);
        if (!card.hidden) found++;
      }
      topic.hidden = found === 0;
      total += found;
    }
    count.textContent = total === 1 ? "1 example" : `${total} examples`;
    empty.hidden = total > 0;
  };
  search.addEventListener("input", update);
  level.addEventListener("change", update);
  document.querySelector("#gallery-all")?.addEventListener("click", () => {
    search.value = "";
    level.value = "";
    update();
    search.focus();
  });
  // A browser fills in again what was there before a reload.
  update();
}
