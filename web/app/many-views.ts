// The comparison with other versions, and with another scenario, the table of many requests and
// the tests, which are loaded when they are first needed.

import { byID, inSight } from "./dom.ts";
import type { EngineClient } from "./engine-client.ts";
import type { Case, Scenario, Span, TableCase } from "./protocol.ts";
import type { TableView } from "./many/table-view.ts";
import type { TestsView } from "./many/tests-view.ts";
import type { VersionsView } from "./many/versions-view.ts";
import type { WhatIfView } from "./many/what-if.ts";
import { notice } from "./notice.ts";
import { reasonOf } from "./reason.ts";

export interface ManyEvents {
  scenario(): Scenario;
  cases(): readonly Case[];
  onCases(cases: readonly Case[]): void;
  /** Shows a place of the policies. */
  onPlace(span: Span): void;
  /** Shows a request in place of the one that is there. */
  onRequest(request: TableCase): void;
  onFiles(files: File[]): void;
  /** Opens a tab of the result. */
  select(view: string): void;
}

export class ManyViews {
  readonly #engine: EngineClient;
  readonly #events: ManyEvents;
  #table: Promise<TableView> | undefined;
  #tests: Promise<TestsView> | undefined;
  #versions: Promise<VersionsView> | undefined;
  #whatIf: Promise<WhatIfView> | undefined;

  constructor(engine: EngineClient, events: ManyEvents) {
    this.#engine = engine;
    this.#events = events;
  }

  /** A tab was opened. */
  open(view: string): void {
    if (view === "versions") this.#run(this.#loadVersions().then((versions) => versions.open(this.#events.scenario())));
    if (view === "table") this.#run(this.#loadTable().then((table) => table.follow()));
    if (view === "tests") this.#run(this.#loadTests());
    if (view === "whatif") this.#run(this.#loadWhatIf().then((whatIf) => whatIf.show()));
  }

  /** Another result is shown: what other versions said is of an older text. */
  outdate(): void {
    this.#run(this.#versions?.then((versions) => versions.invalidate()));
  }

  /** The texts have changed, and nobody types. */
  follow(view: string): void {
    if (view === "table") this.#run(this.#table?.then((table) => table.follow()));
    if (view === "whatif") this.#run(this.#whatIf?.then((whatIf) => whatIf.show()));
    if (this.#events.cases().length > 0 || this.#tests !== undefined)
      this.#run(this.#loadTests().then((tests) => tests.run()));
  }

  /** Other cases are there. */
  showCases(): void {
    if (this.#events.cases().length > 0 || this.#tests !== undefined)
      this.#run(this.#loadTests().then((tests) => tests.show()));
  }

  /** Makes a table of a text with many requests. */
  tableOfText(text: string): void {
    this.#run(
      Promise.all([this.#loadTable(), import("./many/capture.ts")]).then(([table, { textSource }]) => {
        this.show("table");
        return table.read([textSource("", text)], tabsInSight);
      }),
    );
  }

  /** Shows a view, which on a phone is far below the texts. */
  show(view: string): void {
    this.#events.select(view);
    tabsInSight();
  }

  /** Makes a table of files. */
  tableOfFiles(files: readonly File[]): void {
    this.#run(
      Promise.all([this.#loadTable(), import("./many/capture.ts")]).then(([table, { fileSource }]) => {
        this.show("table");
        return table.read(files.map(fileSource), tabsInSight);
      }),
    );
  }

  #loadTable(): Promise<TableView> {
    return (this.#table ??= import("./many/table-view.ts").then(
      ({ TableView }) =>
        new TableView(bodyOf("table"), this.#engine, {
          scenario: this.#events.scenario,
          onCase: (request, name) => {
            this.#events.onRequest(request);
            this.show("steps");
            notice(`The request is now ${name}.`, {
              name: "Back to the table",
              run: () => {
                this.show("table");
                this.#run(this.#table?.then((table) => table.focus()));
              },
            });
          },
        }),
    ));
  }

  #loadTests(): Promise<TestsView> {
    return (this.#tests ??= import("./many/tests-view.ts").then(
      ({ TestsView }) =>
        new TestsView(bodyOf("tests"), this.#engine, {
          scenario: this.#events.scenario,
          cases: this.#events.cases,
          onCases: this.#events.onCases,
          onOpen: ({ request, defaulting, name }) => {
            this.#events.onRequest({ request, ...(defaulting !== undefined && { defaulting }) });
            notice(`The request of ${name} is under Request.`);
          },
          onFiles: this.#events.onFiles,
          onPlace: this.#events.onPlace,
        }),
    ));
  }

  #loadVersions(): Promise<VersionsView> {
    return (this.#versions ??= import("./many/versions-view.ts").then(
      ({ VersionsView }) => new VersionsView(this.#engine),
    ));
  }

  #loadWhatIf(): Promise<WhatIfView> {
    return (this.#whatIf ??= import("./many/what-if.ts").then(
      ({ WhatIfView }) => new WhatIfView(bodyOf("whatif"), this.#engine, this.#events.scenario),
    ));
  }

  /** What cannot be loaded, without a network for example, is said. */
  #run(work: Promise<unknown> | undefined): void {
    work?.catch((error: unknown) => {
      this.#table = this.#tests = this.#versions = this.#whatIf = undefined;
      notice(`This part of the page could not be loaded: ${reasonOf(error)}`);
    });
  }
}

/** Brings the view to the top of a phone's screen: at once, and again when its rows have made the page long enough for that. */
function tabsInSight(): void {
  inSight(byID("view-tabs", HTMLElement));
}

function bodyOf(view: string): HTMLElement {
  const body = byID(`view-${view}`, HTMLElement).querySelector<HTMLElement>(".view-body");
  if (body === null) throw new Error(`the page has no place for ${view}`);
  return body;
}
