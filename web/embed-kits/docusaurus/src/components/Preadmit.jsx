// Embeds a Preadmit scenario. The code between the tags and the outcome are in the built
// page, coloured by Docusaurus; the script of the site makes them live.
//
//   <Preadmit site="https://SITE/" example="first-look" outcome="Denied" message="…">
//
//   ```yaml
//   …the code…
//   ```
//
//   </Preadmit>
//
// The properties are the attributes of docs/embedding.md, and site, outcome, message and
// tone.

import React from "react";
import Head from "@docusaurus/Head";

const NAMES = ["example", "scenario", "file", "lines", "view", "theme", "title"];
const TONES = { admitted: "#17703f", mutated: "#6a3fb0", denied: "#b3261e" };

export default function Preadmit(props) {
  const { site, example, scenario, outcome, message, tone, children } = props;
  if (!site) throw new Error("Preadmit: no site is given");
  if (!example && !scenario) throw new Error("Preadmit: an example or a scenario is needed");
  const base = site.replace(/\/$/, "");
  const height = Number(props.height ?? 480);
  const attributes = Object.fromEntries(NAMES.filter((n) => props[n]).map((n) => [n, props[n]]));
  for (const name of ["unfold", "readonly"]) {
    if (props[name] === true || props[name] === "" || props[name] === "true") attributes[name] = "";
  }
  const edge = { borderLeft: `.25em solid ${TONES[tone] ?? "currentColor"}`, paddingLeft: ".5em" };
  return (
    <>
      <Head>
        <script async src={`${base}/embed.js`} />
      </Head>
      <preadmit-example
        {...attributes}
        height={String(height)}
        style={{ display: "flex", flexDirection: "column", height: `${height}px`, margin: "1em 0" }}
      >
        <div tabIndex={0} style={{ flex: 1, minHeight: 0, overflow: "auto" }}>{children}</div>
        <p>
          {outcome && <strong style={edge}>{outcome}</strong>}
          {outcome && message ? ": " : " "}
          {message}{" "}
          <a href={`${base}/${scenario ?? `#example=${example}`}`}>Open in Preadmit</a>
        </p>
      </preadmit-example>
    </>
  );
}
