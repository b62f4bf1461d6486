// The link at the foot of the page that reports a wrong answer is filled in when it is
// about to be used; what fills it in is loaded then.

import { byID } from "./dom.ts";
import type { Scenario } from "./protocol.ts";

export function installReport(scenario: () => Scenario): void {
  const link = byID("report-wrong", HTMLAnchorElement);
  const template = link.href;
  let address: typeof import("./report-wrong.ts").currentReport | undefined;
  const fill = async (): Promise<void> => {
    address ??= (await import("./report-wrong.ts")).currentReport;
    link.href = address(template, scenario());
  };
  const fillSoon = (): void => void fill().catch(() => undefined); // then the form opens empty
  for (const event of ["pointerenter", "pointerdown", "focus"]) link.addEventListener(event, fillSoon);
  link.addEventListener("click", (event) => {
    if (address !== undefined) {
      link.href = address(template, scenario());
      return;
    }
    event.preventDefault();
    void fill()
      .catch(() => (address = () => template))
      .then(() => link.click());
  });
}
