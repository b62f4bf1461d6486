// Side-by-side diff. The page always has a unified one in its HTML; this one is
// made when asked for, from a module that is loaded then.

import type { EvaluateReply, Report } from "./protocol.ts";

export class DiffView {
  #report: Report | undefined;
  #before = "";
  #after = "";
  #side = false;

  show({ report, yaml }: EvaluateReply): void {
    this.#report = report;
    this.#before = yaml.before;
    this.#after = yaml.after;
  }

  /** The tab was opened, or its content is new: puts the switch on top. */
  open(): void {
    const body = document.querySelector<HTMLElement>("#view-diff .view-body");
    const report = this.#report;
    if (body === null || report === undefined || this.#before === "") return;
    if (body.querySelector(".diff-switch") === null) body.prepend(this.#switch(body));
    if (this.#side) void this.#showSides(body);
  }

  #switch(body: HTMLElement): HTMLElement {
    const box = document.createElement("div");
    box.className = "diff-switch";
    box.setAttribute("role", "group");
    box.ariaLabel = "Kind of diff";
    for (const [name, side] of [["Unified", false], ["Side by side", true]] as const) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name;
      button.ariaPressed = String(side === this.#side);
      button.addEventListener("click", () => {
        this.#side = side;
        for (const b of box.querySelectorAll("button")) b.ariaPressed = String(b === button);
        body.querySelector(".merge")?.remove();
        body.classList.toggle("is-side-by-side", side);
        if (side) void this.#showSides(body);
      });
      box.append(button);
    }
    return box;
  }

  async #showSides(body: HTMLElement): Promise<void> {
    const report = this.#report;
    const { mergeView } = await import("./merge.ts");
    if (report !== this.#report) return;
    body.querySelector(".merge")?.remove();
    const host = document.createElement("div");
    host.className = "merge";
    mergeView(host, this.#before, this.#after);
    body.querySelector(".diff-switch")?.after(host);
    body.classList.add("is-side-by-side");
  }
}
