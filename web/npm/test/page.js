// The page that browser.mjs opens: the site's address is in its own.
import { define } from "/element.js";

define(new URLSearchParams(location.search).get("site"));
