// Many requests at once: what each policy makes of each of them. The engine reads
// and evaluates them in short slices, so that nothing else waits.

import { download } from "../dom.ts";
import { button, fileButton, make } from "../elements.ts";
import { EngineLost, type EngineClient } from "../engine-client.ts";
import type { Scenario, TableCase } from "../protocol.ts";
import { reasonOf } from "../reason.ts";
import { fileSource, readAll, textSource, type Source } from "./capture.ts";
import { Grid, type Column } from "./grid.ts";
import { chosen, counts, FIXED, nameOf, ndjson, placeOf, policyColumns, Verdicts, type Order } from "./rows.ts";
import { verdictOf, wordOf, type Word } from "./words.ts";

/** Up to so many rows are evaluated anew, slice by slice, whenever the policies change. */
const FEW = 2000;

/** How often the rows are shown while they come, in milliseconds. */
const REFRESH = 200;

const EMPTY =
  "What would your policies do with all your objects? Paste several into the request and choose Table of all, or open a List (kubectl get deployments -A -o yaml) or a folder of manifests. Captured requests work too: an audit log or AdmissionReviews, one per line. Each request gets a row, each policy a column.";

export interface TableEvents {
  scenario(): Scenario;
  /** Shows the request of a row. */
  onCase(request: TableCase, name: string): void;
}

export class TableView {
  readonly #engine: EngineClient;
  readonly #events: TableEvents;
  readonly #note = make("p", { class: "many-note" });
  readonly #status = make("p", { class: "visually-hidden", role: "status" });
  readonly #problems = make("ul", { class: "many-problems" });
  readonly #progress = make("progress", { attributes: { "aria-label": "Requests evaluated" } });
  readonly #stop = button("Stop", () => this.#halt("Stopped"));
  readonly #again = button("Run again", () => void this.#run());
  readonly #export = button("Export NDJSON", () => this.#save());
  readonly #words = make("input", { attributes: { "aria-label": "Rows with these words", placeholder: "Filter" } });
  readonly #verdict = make("select", { attributes: { "aria-label": "Rows with this verdict" } });
  readonly #none = make("p", { class: "muted", text: "No row has these words and this verdict." });
  readonly #filters: HTMLElement;
  readonly #grid: Grid;
  #sources: readonly Source[] = [];
  #table = 0;
  #total = 0;
  #verdicts = new Verdicts();
  #columns: readonly Column[] = FIXED;
  #order: Order = { key: "#", down: false };
  #shown: number[] = [];
  /** Counts what was begun; only the last goes on. */
  #turn = 0;
  #running = false;
  /** What the rows are evaluated with; empty while they are read. */
  #base = "";
  #refresh = 0;
  #drawn: (() => void) | undefined;

  constructor(place: HTMLElement, engine: EngineClient, events: TableEvents) {
    this.#engine = engine;
    this.#events = events;
    this.#grid = new Grid({
      isOld: (row) => this.#verdicts.isOld(row),
      label: "Requests, with each policy's result",
      cells: (row) => this.#cells(row),
      open: (row) => void this.#open(row),
      sort: (key) => this.#sort(key),
    });
    this.#words.type = "search";
    this.#words.addEventListener("input", () => this.#draw());
    this.#verdict.addEventListener("change", () => this.#draw());
    this.#filters = make("div", { class: "many-tools" }, this.#words, this.#verdict, this.#export);
    const take = (files: File[]): void => void this.read(files.map(fileSource));
    place.classList.add("many");
    place.replaceChildren(
      make(
        "div",
        { class: "many-tools" },
        fileButton("Open files…", false, take),
        fileButton("Open a folder…", true, take),
        button("From the request", () => void this.read([textSource("", events.scenario().request ?? "")])),
        this.#again,
        this.#stop,
      ),
      this.#note,
      this.#progress,
      this.#problems,
      this.#filters,
      this.#grid.element,
      this.#none,
      this.#status,
    );
    this.#draw();
  }

  focus(): void {
    this.#grid.focus();
  }

  /** Reads sources and evaluates all that is in them; drawn is called with the first rows on the page. */
  async read(sources: readonly Source[], drawn?: () => void): Promise<void> {
    this.#sources = sources;
    this.#drawn = drawn;
    const turn = this.#begin();
    this.#verdicts = new Verdicts();
    this.#columns = FIXED;
    this.#total = 0;
    this.#base = "";
    this.#tell("Reading…");
    this.#draw();
    try {
      const { table, records, problems } = await readAll(this.#engine, sources, (so) => {
        if (turn === this.#turn) this.#tell(`Reading: ${so.toLocaleString("en")} so far…`);
        return turn === this.#turn;
      });
      if (turn !== this.#turn) return;
      this.#table = table;
      this.#total = records;
      this.#list(problems);
      if (records === 0) this.#halt("There are no requests here. ");
      else await this.#run();
    } catch (error) {
      if (turn === this.#turn) this.#halt(reasonOf(error));
    }
  }

  /** The texts have changed: the rows are evaluated anew, very many only when the reader says so. */
  follow(): void {
    if (this.#total === 0 || this.#base === "") return;
    const same = baseOf(this.#events.scenario()) === this.#base;
    if (same && this.#verdicts.changed) {
      // The change was undone.
      this.#verdicts.changed = false;
      if (this.#verdicts.old === 0) this.#finish();
      else this.#halt("Stopped");
    } else if (!same && this.#total <= FEW) void this.#run();
    else if (!same) {
      this.#verdicts.changed = true;
      this.#halt("The policies have changed. These are the earlier verdicts");
    }
  }

  /** Begins something in place of what is under way. */
  #begin(): number {
    this.#running = true;
    this.#progress.removeAttribute("value");
    this.#list([]);
    return ++this.#turn;
  }

  #halt(why: string): void {
    this.#turn++;
    this.#running = false;
    const { fresh, changed, old, rows } = this.#verdicts;
    const part =
      !changed && fresh < this.#total && rows.length > 0
        ? ` after ${fresh.toLocaleString("en")} of ${this.#total.toLocaleString("en")}.`
        : changed
          ? "."
          : "";
    const others = !changed && old > 0 ? " The others show their earlier verdicts." : "";
    this.#draw();
    this.#tell(`${why}${part}${others}`);
  }

  /** Evaluates the rows, slice by slice. Those that have a verdict keep it until then. */
  async #run(): Promise<void> {
    const turn = this.#begin();
    const scenario = this.#events.scenario();
    this.#base = baseOf(scenario);
    this.#verdicts.begin();
    if (this.#verdicts.rows.length > 0) this.#draw();
    try {
      for (let first = true; turn === this.#turn; first = false) {
        const reply = await this.#engine.call("table/run", {
          table: this.#table,
          from: this.#verdicts.fresh,
          ...(first && { scenario }),
        });
        if (turn !== this.#turn) return;
        if (reply.gone === true) return await this.read(this.#sources); // the engine was started anew
        if (first) this.#list(reply.problems ?? []);
        this.#verdicts.take(reply.rows);
        this.#columns = policyColumns(reply.rows, this.#columns);
        if (this.#verdicts.fresh >= reply.total) break;
        this.#soon();
      }
      this.#running = false;
      this.#columns = policyColumns(this.#verdicts.rows, FIXED); // some may have gone
      this.#finish();
    } catch (error) {
      if (turn !== this.#turn) return;
      const advice = error instanceof EngineLost ? " The next request is too large to evaluate." : "";
      this.#halt(`${reasonOf(error)}${advice}`);
    }
  }

  #finish(): void {
    this.#draw();
    const all = counts(this.#verdicts.rows)
      .map(([verdict, count]) => `${count.toLocaleString("en")} ${verdict.toLowerCase()}`)
      .join(", ");
    const requests =
      this.#verdicts.rows.length === 1 ? "1 request" : `${this.#verdicts.rows.length.toLocaleString("en")} requests`;
    this.#tell(`${requests}: ${all}.`);
    this.#status.textContent = this.#note.textContent;
  }

  /** Shows what has come, not at every slice. */
  #soon(): void {
    if (this.#refresh !== 0) return;
    this.#refresh = window.setTimeout(() => {
      this.#refresh = 0;
      if (!this.#running) return;
      this.#draw();
      this.#tell(`${this.#verdicts.fresh.toLocaleString("en")} of ${this.#total.toLocaleString("en")} evaluated…`);
    }, REFRESH);
  }

  #tell(text: string): void {
    this.#note.textContent = text;
  }

  #list(problems: readonly string[]): void {
    this.#problems.replaceChildren(...problems.slice(0, 5).map((text) => make("li", { text })));
    this.#problems.hidden = problems.length === 0;
  }

  #draw(): void {
    const some = this.#verdicts.rows.length > 0;
    if (!some && !this.#running) this.#tell(EMPTY);
    this.#stop.hidden = this.#progress.hidden = !this.#running;
    this.#again.hidden = this.#running || !some;
    this.#filters.hidden = this.#grid.element.hidden = !some;
    if (this.#total > 0) {
      this.#progress.max = this.#total;
      this.#progress.value = this.#verdicts.fresh;
    }
    const was = this.#verdict.value;
    const verdicts = counts(this.#verdicts.rows);
    this.#verdict.replaceChildren(
      new Option(`All verdicts (${this.#verdicts.rows.length.toLocaleString("en")})`, ""),
      ...verdicts.map(([name, count]) => new Option(`${name} (${count.toLocaleString("en")})`, name)),
    );
    this.#verdict.value = verdicts.some(([name]) => name === was) ? was : "";
    this.#shown = chosen(this.#verdicts.rows, { words: this.#words.value, verdict: this.#verdict.value }, this.#order);
    this.#grid.show(this.#columns, this.#order, this.#shown);
    this.#none.hidden = !some || this.#shown.length > 0;
    this.#export.disabled = this.#shown.length === 0;
    this.#export.textContent = `Export ${this.#shown.length.toLocaleString("en")} as NDJSON`;
    if (!some) return;
    const drawn = this.#drawn;
    this.#drawn = undefined;
    drawn?.();
  }

  #sort(key: string): void {
    const { key: was, down } = this.#order;
    this.#order = key !== was ? { key, down: false } : down ? { key: "#", down: false } : { key, down: true };
    this.#draw();
  }

  #cells(number: number): HTMLTableCellElement[] {
    const row = this.#verdicts.rows[number] ?? { line: 0 };
    const about = [row.operation, row.kind].filter(Boolean).join(" ") || placeOf(row);
    const request = make(
      "td",
      { class: "many-request", title: `${nameOf(row)}, ${placeOf(row)}` },
      make("span", { class: "many-name", text: nameOf(row) }),
      make("span", { class: "many-about", text: row.subResource ? `${about}/${row.subResource}` : about }),
    );
    const verdict = wordCell(verdictOf(row), row.problem ?? row.skipped ?? row.message ?? "");
    if (this.#verdicts.isOld(number))
      verdict.append(make("span", { class: "visually-hidden", text: ", before the change" }));
    if (row.message) {
      const why = row.message.split("denied request: ").at(-1) ?? "";
      verdict.append(make("span", { class: "many-about", text: why }));
    }
    const policies = this.#columns.slice(FIXED.length).map(({ key }) => {
      const cell = row.cells?.find((c) => `${c.kind}/${c.name}` === key);
      return wordCell(wordOf(cell), cell?.reason ?? "");
    });
    return [make("td", { class: "many-number", text: String(number + 1) }), request, verdict, ...policies];
  }

  async #open(number: number): Promise<void> {
    const row = this.#verdicts.rows[number];
    if (row === undefined) return;
    try {
      const request = await this.#engine.call("table/case", { table: this.#table, row: number }, "table/case");
      if (request.gone === true) return await this.read(this.#sources);
      this.#events.onCase(request, `row ${String(number + 1)}, ${nameOf(row)}`);
    } catch {
      this.#tell(`Row ${String(number + 1)}, ${placeOf(row)}: ${row.problem ?? row.skipped ?? "it has no request"}.`);
      this.#status.textContent = this.#note.textContent;
    }
  }

  #save(): void {
    download("preadmit-table.ndjson", ndjson(this.#verdicts, this.#shown), "application/x-ndjson");
  }
}

function wordCell({ text, tone, sign }: Word, reason: string): HTMLTableCellElement {
  const cell = make("td", { class: `many-word is-${tone}`, title: reason });
  if (text !== "") cell.append(make("span", { text: sign, attributes: { "aria-hidden": "true" } }), ` ${text}`);
  return cell;
}

/** What the verdicts depend on besides the request. */
function baseOf({ policies, cluster, kubernetes, options, now, beforeValidation }: Scenario): string {
  return JSON.stringify([policies, cluster, kubernetes, { ...options, defaulting: undefined }, now, beforeValidation]);
}
