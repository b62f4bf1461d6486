// The search of the gallery: words and filters choose among the cards, which are
// all in the page.

/** Whether a text has every one of the words, in any order and case. */
export function matches(text: string, query: string): boolean {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((w) => w !== "");
  return words.every((w) => text.includes(w));
}

/** What cards are filtered by: the name of a select and of the cards' attribute. */
const FILTERS = ["level", "kind", "outcome", "feature", "docs", "version"] as const;

/** Makes the search work, on the page that has one. */
export function installGallery(): void {
  const search = document.querySelector<HTMLInputElement>("#gallery-search");
  const filters = FILTERS.flatMap((name) => {
    const select = document.querySelector<HTMLSelectElement>(`#gallery-${name}`);
    return select === null ? [] : [{ name, select }];
  });
  const count = document.querySelector<HTMLElement>("#gallery-count");
  const empty = document.querySelector<HTMLElement>("#gallery-empty");
  if (search === null || count === null || empty === null) return;

  const update = (): void => {
    let total = 0;
    for (const topic of document.querySelectorAll<HTMLElement>("[data-topic]")) {
      let found = 0;
      for (const card of topic.querySelectorAll<HTMLElement>("[data-search]")) {
        const fits = filters.every(
          ({ name, select }) => select.value === "" || (card.dataset[name] ?? "").split(" ").includes(select.value),
        );
        card.hidden = !fits || !matches(card.dataset["search"] ?? "", search.value);
        if (!card.hidden) found++;
      }
      topic.hidden = found === 0;
      total += found;
    }
    count.textContent = total === 1 ? "1 example" : `${total} examples`;
    empty.hidden = total > 0;
  };
  search.addEventListener("input", update);
  for (const { select } of filters) select.addEventListener("change", update);
  document.querySelector("#gallery-all")?.addEventListener("click", () => {
    search.value = "";
    for (const { select } of filters) select.value = "";
    update();
    search.focus();
  });
  // A browser fills in again what was there before a reload.
  update();
}
