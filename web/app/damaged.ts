// What is shown in the verdict's place when the address is a link that cannot be
// read: why, and what can be read of it.

import { byID } from "./dom.ts";
import { button, make } from "./elements.ts";
import type { Salvaged } from "./link.ts";
import { notice } from "./notice.ts";
import type { Scenario } from "./protocol.ts";
import { TEXTS } from "./texts.ts";

export interface Damage {
  /** A sentence for the reader. */
  message: string;
  salvaged?: Salvaged;
}

const ID = "link-damaged";

/** Takes the place of the verdict until there is another scenario, or the reader writes one. */
export function showDamage(damage: Damage | undefined, open: (scenario: Scenario) => void): void {
  hideDamage();
  if (damage === undefined) return;
  const { message, salvaged } = damage;
  const card = make("section", { id: ID, class: "damaged", attributes: { "aria-label": "Damaged link" } });
  const alert = make(
    "div",
    { role: "alert" },
    make("h2", { text: "This link cannot be opened" }),
    make("p", { text: message }),
  );
  card.append(alert);
  if (salvaged !== undefined) {
    alert.append(make("p", { text: `The beginning of it can be read: ${readable(salvaged)}.` }));
    card.append(button("Open the readable part", () => recover(salvaged), "primary"));
  }
  byID("results", HTMLElement).classList.add("is-damaged");
  byID("outcome", HTMLElement).before(card);

  // The texts, and with them the verdict, may not be what the sender had: a notice says so.
  function recover(found: Salvaged): void {
    open(found.scenario);
    notice(
      `This is the readable part of a damaged link: ${readable(found)}. It may differ from the original even if it looks complete.`,
    );
  }
}

/** Whether it says that a link cannot be opened. */
export function isDamageShown(): boolean {
  return document.getElementById(ID) !== null;
}

export function hideDamage(): void {
  document.getElementById(ID)?.remove();
  byID("results", HTMLElement).classList.remove("is-damaged");
}

function readable({ scenario, cut }: Salvaged): string {
  const names = TEXTS.filter((text) => scenario[text]).map((text) =>
    text === cut ? `${text}, perhaps cut off` : text,
  );
  return new Intl.ListFormat("en", { type: "conjunction" }).format(names);
}
