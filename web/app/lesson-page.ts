// A lesson of the tour: the text beside a small playground, and the checks of its task,
// which follow what the reader writes.

import { byID } from "./dom.ts";
import { Superseded } from "./engine-client.ts";
import { Embed } from "./embed-view.ts";
import { casesOf, isPassed, whyNot, type Lesson } from "./lesson-check.ts";
import { installOffline } from "./offline.ts";
import type { CaseResult, Scenario } from "./protocol.ts";
import { reasonOf } from "./reason.ts";
import { keepWritten, lessonDone, lessonsDone, writtenIn } from "./tour-progress.ts";

const slug = document.body.dataset["lesson"] ?? "";
const said = byID("lesson-done", HTMLElement);
let lesson: Lesson | undefined;
/** Counts the rounds of checks: a later one makes an earlier one void. */
let round = 0;

const embed = new Embed({
  async load() {
    const response = await fetch(`/tour/${slug}/lesson.json`);
    if (!response.ok) throw new Error(`The lesson could not be read: the server answered ${String(response.status)}.`);
    lesson = (await response.json()) as Lesson;
    return { ...lesson.start, ...writtenIn(slug) };
  },
  option: (name) => (name === "file" ? (document.body.dataset["show"] ?? null) : null),
  run: false,
  onReady: () => installOffline(),
  onChange: (scenario) => keepWritten(slug, scenario),
  onResult: (scenario) => void check(scenario),
});

/** Asks the engine about every check, and shows what it says. */
async function check(written: Scenario): Promise<void> {
  if (lesson === undefined) return;
  const own = ++round;
  let passed = 0;
  for (const [i, one] of lesson.checks.entries()) {
    let results: CaseResult[] = [];
    try {
      for (const test of casesOf(one, lesson, written)) {
        const reply = await embed.engine.call("cases/run", { scenario: written, cases: [test] });
        results = [...results, ...reply.results];
      }
    } catch (error) {
      if (!(error instanceof Superseded)) said.textContent = reasonOf(error);
      return;
    }
    if (own !== round) return;
    const right = isPassed(results);
    if (right) passed++;
    mark(i, right, right ? "" : whyNot(results[0]));
  }
  const all = passed === lesson.checks.length;
  said.textContent = all
    ? "Done: all checks pass."
    : `${String(passed)} of ${String(lesson.checks.length)} checks pass.`;
  said.classList.toggle("is-done", all);
  byID("lesson-next", HTMLAnchorElement).hidden = !all;
  byID("lesson-check", HTMLButtonElement).classList.toggle("primary", !all);
  if (all) lessonDone(slug);
}

function mark(index: number, right: boolean, why: string): void {
  const item = byID("lesson-checks", HTMLElement).children[index];
  if (!(item instanceof HTMLElement)) return;
  item.dataset["state"] = right ? "passed" : "failed";
  const state = item.querySelector(".check-said");
  if (state !== null) state.textContent = right ? ", passed" : ", not passed";
  let note = item.querySelector(".check-why");
  if (note === null && why !== "") {
    note = document.createElement("span");
    note.className = "check-why";
    item.append(note);
  }
  if (note !== null) note.textContent = why;
}

const buttons = ["lesson-check", "lesson-reset", "lesson-solution"].map((id) => byID(id, HTMLButtonElement));
byID("lesson-check", HTMLButtonElement).addEventListener("click", () => void embed.evaluate());
byID("lesson-reset", HTMLButtonElement).addEventListener("click", () => {
  if (lesson === undefined) return;
  embed.put(lesson.start);
  keepWritten(slug, undefined);
});
byID("lesson-solution", HTMLButtonElement).addEventListener("click", () => {
  if (lesson !== undefined) embed.put({ ...lesson.start, ...lesson.solution });
});
if (lessonsDone().has(slug)) said.textContent = "You have done this lesson before.";
// A click before the lesson is there would check nothing.
void embed.open().then(() => buttons.forEach((button) => (button.disabled = lesson === undefined)));
