// Runs before the first paint, and in browsers that are too old for the rest, so it is a classic script and does only what
// would otherwise be seen to jump: the theme, the form of diffs, and hiding what only a
// page without script shows. Before that it starts the engine, which takes longest.

import { startEarly } from "./early-worker.ts";

const root = document.documentElement;

/** Whether another scenario than that of the page takes its place. */
function arrives(): boolean {
  try {
    return (
      location.hash !== "" || (localStorage.getItem("preadmit.kept") ?? localStorage.getItem("preadmit.work")) !== null
    );
  } catch {
    return false; // storage is off, and nothing is kept
  }
}

const arriving = root.dataset["page"] === "playground" && arrives();

// Where no service worker is, asking for what it keeps would take longer than the server's first byte.
const kept = "serviceWorker" in navigator && navigator.serviceWorker.controller !== null;

startEarly(document.currentScript, arriving, kept);

// What reads links is fetched together with the page's module where the address is one.
if (/^#\d+\//.test(location.hash)) {
  for (const file of document.currentScript?.dataset["codec"]?.split(" ") ?? []) {
    const link = document.createElement("link");
    link.rel = "modulepreload";
    link.href = file;
    document.head.append(link);
  }
}

root.classList.add("js");
if (arriving) root.dataset["arriving"] = ""; // what takes its place is not shown before
try {
  const theme = localStorage.getItem("preadmit.theme");
  if (theme === "light" || theme === "dark") root.dataset["theme"] = theme;
  if (localStorage.getItem("preadmit.diff") === "side") root.dataset["diff"] = "side";
} catch {
  // Storage is off: the system's theme it is.
}
// The page around an embedded example says which theme it has.
const asked = location.pathname.startsWith("/embed/") && new URLSearchParams(location.search).get("theme");
if (asked === "light" || asked === "dark") root.dataset["theme"] = asked;

// Modules have run when the document is complete. Where the playground's did not,
// the page is what it is without script, and says why.
document.addEventListener("DOMContentLoaded", () => {
  const note = document.getElementById("no-module");
  if (note === null || root.dataset["app"] !== undefined) return;
  root.classList.remove("js");
  delete root.dataset["arriving"];
  note.hidden = false;
});
