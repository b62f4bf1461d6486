// The whole script that a page loads to have <preadmit-example> (example-element.ts).
//
//   <script async src="https://SITE/embed.js"></script>
//   <preadmit-example example="first-look" file="policies">
//     <pre><code>...the text as it should read without the script...</code></pre>
//   </preadmit-example>
//
// or in one line, which shows the example at once:
//
//   <script async src="https://SITE/embed.js" data-example="first-look"></script>
//
// The attributes are those of embed-attributes.ts.

import { ATTRIBUTES } from "./embed-attributes.ts";
import { define, LEAST, NAME } from "./example-element.ts";

const script = document.currentScript as HTMLScriptElement | null;
define(script?.src ?? location.href);

/** Puts the example of a script that names one behind it. */
function putExample(of: HTMLScriptElement): void {
  if (of.dataset["example"] === undefined && of.dataset["scenario"] === undefined) return;
  const element = document.createElement(NAME);
  for (const name of [...ATTRIBUTES, "title"]) {
    const value = of.getAttribute(`data-${name}`);
    if (value !== null) element.setAttribute(name, value);
  }
  if (!element.hasAttribute("height")) element.setAttribute("height", String(LEAST));
  element.setAttribute("at-once", "");
  of.after(element);
}

if (script !== null) putExample(script);
