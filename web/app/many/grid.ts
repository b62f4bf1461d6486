// A table of which only the rows in sight are on the page, after the ARIA pattern
// of a grid: one tab stop, arrow keys move, Enter opens.

import { button, make } from "../elements.ts";

/** The height of a row, as in styles/many.css, in pixels. */
const HEIGHT = 44;

/** How many rows are made above and below those in sight. */
const SPARE = 8;

export interface Column {
  /** Names the column for sort. */
  key: string;
  title: string;
  /** The kind of what the column is about, under the title. */
  hint: string;
}

export interface GridEvents {
  /** Fills a row: one cell for each column. */
  cells(row: number): HTMLTableCellElement[];
  /** Whether a row shows what does not hold any more. */
  isOld(row: number): boolean;
  /** What a screen reader calls the table. */
  label: string;
  open(row: number): void;
  /** The reader wants another order. */
  sort(key: string): void;
}

export class Grid {
  readonly element: HTMLElement;
  readonly #events: GridEvents;
  readonly #table = make("table", { class: "many-table", role: "grid" });
  readonly #head = make("tr");
  readonly #body = make("tbody");
  #columns: readonly Column[] = [];
  /** The rows that are shown, in their order, by their numbers. */
  #rows: readonly number[] = [];
  /** The place of the active row among those that are shown; -1 is none. */
  #active = -1;
  #drawn = "";
  #frame = 0;

  constructor(events: GridEvents) {
    this.#events = events;
    this.#table.tabIndex = 0;
    this.#table.ariaLabel = events.label;
    this.#table.append(make("thead", {}, this.#head), this.#body);
    this.element = make("div", { class: "many-scroll" }, this.#table);
    this.element.addEventListener("scroll", () => this.#later());
    new ResizeObserver(() => this.#later()).observe(this.element);
    this.#table.addEventListener("keydown", (event) => this.#key(event));
    this.#body.addEventListener("click", (event) => {
      const place = Number((event.target as Element).closest<HTMLElement>("[data-place]")?.dataset["place"] ?? -1);
      if (place < 0) return;
      this.#activate(place);
      this.#open();
    });
  }

  /** Shows rows in an order; what is active stays active. */
  show(columns: readonly Column[], sorted: { key: string; down: boolean }, rows: readonly number[]): void {
    const active = this.#rows[this.#active];
    this.#columns = columns;
    this.#rows = rows;
    this.#active = active === undefined ? -1 : rows.indexOf(active);
    this.#drawHead(sorted);
    this.#table.ariaRowCount = String(rows.length + 1);
    this.#table.ariaColCount = String(columns.length);
    this.#drawn = "";
    this.#draw();
  }

  focus(): void {
    this.#table.focus();
  }

  #drawHead(sorted: { key: string; down: boolean }): void {
    const focused = this.#head.contains(document.activeElement) ? document.activeElement?.textContent : undefined;
    this.#head.ariaRowIndex = "1";
    this.#head.replaceChildren(
      ...this.#columns.map(({ key, title, hint }) => {
        const head = make("th", { attributes: { scope: "col" } });
        head.title = hint === "" ? title : `${hint} ${title}`;
        head.ariaSort = sorted.key !== key ? "none" : sorted.down ? "descending" : "ascending";
        const sort = button(title, () => this.#events.sort(key), "many-sort");
        head.append(sort);
        if (focused === title) queueMicrotask(() => sort.focus());
        return head;
      }),
    );
  }

  #later(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#draw());
  }

  /** Makes the rows in sight. */
  #draw(): void {
    const { scrollTop, clientHeight } = this.element;
    const first = Math.max(0, Math.floor(scrollTop / HEIGHT) - SPARE);
    const last = Math.min(this.#rows.length, Math.ceil((scrollTop + clientHeight) / HEIGHT) + SPARE);
    const drawn = `${String(first)} ${String(last)} ${String(this.#active)}`;
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    const rows: HTMLTableRowElement[] = [];
    for (let place = first; place < last; place++) rows.push(this.#row(place));
    this.#body.replaceChildren(space(first), ...rows, space(this.#rows.length - last));
    if (this.#active >= first && this.#active < last)
      this.#table.setAttribute("aria-activedescendant", `many-row-${String(this.#active)}`);
    else this.#table.removeAttribute("aria-activedescendant");
  }

  #row(place: number): HTMLTableRowElement {
    const number = this.#rows[place] ?? 0;
    const row = make("tr", { id: `many-row-${String(place)}` }, ...this.#events.cells(number));
    row.classList.toggle("is-old", this.#events.isOld(number));
    row.dataset["place"] = String(place);
    row.ariaRowIndex = String(place + 2);
    row.ariaSelected = String(place === this.#active);
    return row;
  }

  #activate(place: number): void {
    this.#active = Math.max(0, Math.min(this.#rows.length - 1, place));
    // The head stays in sight above the rows.
    const top = this.#active * HEIGHT;
    const head = this.#head.offsetHeight;
    if (top < this.element.scrollTop) this.element.scrollTop = top;
    else if (top + HEIGHT + head > this.element.scrollTop + this.element.clientHeight)
      this.element.scrollTop = top + HEIGHT + head - this.element.clientHeight;
    this.#draw();
  }

  #open(): void {
    const row = this.#rows[this.#active];
    if (row !== undefined) this.#events.open(row);
  }

  #key(event: KeyboardEvent): void {
    if (event.target !== this.#table || event.ctrlKey || event.metaKey || event.altKey || this.#rows.length === 0)
      return;
    const page = Math.max(1, Math.floor(this.element.clientHeight / HEIGHT) - 2);
    const steps: Readonly<Record<string, number>> = {
      ArrowDown: this.#active + 1,
      ArrowUp: this.#active - 1,
      PageDown: this.#active + page,
      PageUp: this.#active - page,
      Home: 0,
      End: this.#rows.length - 1,
    };
    const to = steps[event.key];
    if (to !== undefined) this.#activate(to);
    else if (event.key === "Enter" || event.key === " ") this.#open();
    else if (event.key === "ArrowLeft" || event.key === "ArrowRight")
      this.element.scrollLeft += event.key === "ArrowLeft" ? -80 : 80;
    else return;
    event.preventDefault();
  }
}

/** What stands for rows that are out of sight. */
function space(rows: number): HTMLTableRowElement {
  const row = make("tr", { class: "many-space" });
  row.ariaHidden = "true";
  row.style.setProperty("height", `${String(rows * HEIGHT)}px`);
  return row;
}
