// The page that opens a gist or a file of GitHub: it shows what it would ask whom, asks
// when the reader confirms, and hands the text to the playground. Where the site does not
// allow this page to ask other hosts, it says so and asks nobody.

import { byID } from "./dom.ts";
import { fetchText, HOSTS, nameFor, rawAddress } from "./github-file.ts";
import { hand } from "./handed.ts";
import { reasonOf } from "./reason.ts";
import { installTheme } from "./theme.ts";

const field = byID("github-address", HTMLInputElement);
const confirm = byID("github-confirm", HTMLElement);
const said = byID("github-said", HTMLElement);
const fetchButton = byID("github-fetch", HTMLButtonElement);

let chosen: URL | undefined;

function say(text: string): void {
  said.textContent = text;
  said.hidden = text === "";
}

/** Shows what would be asked, or what is wrong with the address. */
function ask(): void {
  say("");
  try {
    chosen = rawAddress(field.value);
  } catch (error) {
    confirm.hidden = true;
    say(reasonOf(error));
    return;
  }
  byID("github-host", HTMLElement).textContent = chosen.host;
  byID("github-file", HTMLElement).textContent = chosen.href;
  confirm.hidden = false;
  fetchButton.focus();
}

async function open(url: URL): Promise<void> {
  fetchButton.disabled = true;
  say(`Asking ${url.host}…`);
  try {
    const text = await fetchText(url);
    if (hand(nameFor(url, text), text)) location.assign("/#new");
    else
      say("This browser does not let one page pass text to another. Download the file and open it in the playground.");
  } catch (error) {
    say(reasonOf(error));
  } finally {
    fetchButton.disabled = false;
  }
}

/** Whether the header of this page allows the hosts; it is the header that decides. */
async function allowed(): Promise<boolean> {
  try {
    const { headers } = await fetch(location.pathname, { method: "HEAD", cache: "no-store" });
    const policy = headers.get("content-security-policy");
    const connect = /connect-src ([^;]*)/.exec(policy ?? "")?.[1];
    return policy === null || HOSTS.every((host) => connect?.includes(`https://${host}`) === true);
  } catch {
    return true; // there is no network: asking says so
  }
}

installTheme();
byID("github-form", HTMLFormElement).addEventListener("submit", (event) => {
  event.preventDefault();
  ask();
});
fetchButton.addEventListener("click", () => {
  if (chosen !== undefined) void open(chosen);
});
byID("github-cancel", HTMLButtonElement).addEventListener("click", () => {
  confirm.hidden = true;
  say("");
  field.focus();
});
field.addEventListener("input", () => {
  confirm.hidden = true;
  say("");
});
void allowed().then((on) => {
  byID("github-off", HTMLElement).hidden = on;
  byID("github-form", HTMLElement).hidden = !on;
  document.documentElement.dataset["github"] = on ? "on" : "off";
  // An address behind the # fills the field in. It is asked for like any other.
  const given = decodeURIComponent(location.hash.slice(1));
  if (!on || given === "") return;
  field.value = given;
  ask();
});
