// How far the reader is in the tour, and what they have written in its lessons: kept in
// this browser, unless nothing is to be kept.

import { keepsNothing, TOUR } from "./kept.ts";
import type { Scenario } from "./protocol.ts";
import { isScenario } from "./schema.ts";

interface Progress {
  /** The lessons whose checks were all passed once. */
  done: string[];
  /** What was written in a lesson. */
  texts: Record<string, Scenario>;
}

function read(): Progress {
  const progress: Progress = { done: [], texts: {} };
  try {
    const value: unknown = JSON.parse(localStorage.getItem(TOUR) ?? "{}");
    if (typeof value !== "object" || value === null) return progress;
    const { done, texts } = value as { done?: unknown; texts?: unknown };
    if (Array.isArray(done)) progress.done = done.filter((slug) => typeof slug === "string");
    if (typeof texts === "object" && texts !== null)
      progress.texts = Object.fromEntries(
        Object.entries(texts as Record<string, unknown>).filter((e): e is [string, Scenario] => isScenario(e[1])),
      );
  } catch {
    // Storage is off, or what is there is not ours: the tour begins anew.
  }
  return progress;
}

function write(progress: Progress): void {
  if (keepsNothing()) return;
  try {
    localStorage.setItem(TOUR, JSON.stringify(progress));
  } catch {
    // Storage is off or full: the lessons work, and are not remembered.
  }
}

export function lessonsDone(): ReadonlySet<string> {
  return new Set(read().done);
}

export function lessonDone(slug: string): void {
  const progress = read();
  if (progress.done.includes(slug)) return;
  write({ ...progress, done: [...progress.done, slug] });
}

/** What the reader has written in a lesson. */
export function writtenIn(slug: string): Scenario | undefined {
  const { texts } = read();
  return Object.hasOwn(texts, slug) ? texts[slug] : undefined;
}

/** Keeps what is written in a lesson; undefined forgets it. */
export function keepWritten(slug: string, scenario: Scenario | undefined): void {
  const progress = read();
  const others = Object.fromEntries(Object.entries(progress.texts).filter(([key]) => key !== slug));
  write({ ...progress, texts: scenario === undefined ? others : { ...others, [slug]: scenario } });
}

/** Marks what is done, on the page that lists the lessons. */
export function installTourProgress(): void {
  const said = document.querySelector<HTMLElement>("#tour-progress");
  if (said === null) return;
  const items = [...document.querySelectorAll<HTMLElement>("[data-lesson]")];
  const done = lessonsDone();
  const count = items.filter((item) => done.has(item.dataset["lesson"] ?? "")).length;
  for (const item of items) {
    if (!done.has(item.dataset["lesson"] ?? "")) continue;
    item.classList.add("is-done");
    item.querySelector("a")?.append(doneMark());
  }
  const next = items.find((item) => !done.has(item.dataset["lesson"] ?? ""))?.querySelector("a");
  if (count === 0) return;
  said.textContent = `${String(count)} of ${String(items.length)} done. `;
  if (next === null || next === undefined) return;
  const link = document.createElement("a");
  link.href = next.href;
  link.className = "button primary";
  link.textContent = `Go on: ${next.textContent}`;
  said.append(link);
}

function doneMark(): HTMLElement {
  const mark = document.createElement("span");
  mark.className = "tour-mark";
  mark.textContent = " ✓ done";
  return mark;
}
