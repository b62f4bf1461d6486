// The gallery's search: words and filters select cards, all of which are in the page.

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
  const best = document.querySelector<HTMLElement>("#gallery-found");
  if (search === null || count === null || empty === null || best === null) return;
  const cards = [...document.querySelectorAll<HTMLElement>("[data-search]")];
  const homes = new Map(cards.map((card) => [card, card.parentElement] as const));
  let finding: Promise<(query: string) => HTMLElement[]> | undefined;

  const update = async (): Promise<void> => {
    const query = search.value;
    if (query.trim() !== "") finding ??= load(cards);
    const find = await finding?.catch(() => undefined);
    if (query !== search.value) return; // a later key shows its own
    // With words the best are first, else each is in its topic again.
    const found = query.trim() === "" || find === undefined ? cards : find(query);
    for (const card of cards) homes.get(card)?.append(card);
    if (found !== cards) best.append(...found);
    let total = 0;
    for (const card of cards) {
      const fits = filters.every(
        ({ name, select }) => select.value === "" || (card.dataset[name] ?? "").split(" ").includes(select.value),
      );
      card.hidden = !fits || (found !== cards && card.parentElement !== best);
      if (!card.hidden) total++;
    }
    for (const topic of document.querySelectorAll<HTMLElement>("[data-topic]"))
      topic.hidden = topic.querySelector("[data-search]:not([hidden])") === null;
    count.textContent = total === 1 ? "1 example" : `${total} examples`;
    empty.hidden = total > 0;
  };
  search.addEventListener("input", () => void update());
  for (const { select } of filters) select.addEventListener("change", () => void update());
  document.querySelector("#gallery-all")?.addEventListener("click", () => {
    search.value = "";
    for (const { select } of filters) select.value = "";
    void update();
    search.focus();
  });
  // A browser fills in again what was there before a reload.
  void update();
}

async function load(cards: readonly HTMLElement[]): Promise<(query: string) => HTMLElement[]> {
  const { finder } = await import("./find.ts");
  return finder(cards, {
    title: { text: (card) => card.querySelector("h3")?.textContent ?? "", worth: 4 },
    text: { text: (card) => card.dataset["search"] ?? "", worth: 1 },
  });
}
