// The element <preadmit-example>, as a module. It is the one that the script of a site defines.
//
//   import { define } from "preadmit/element";
//   define("https://SITE/");

export { define } from "../app/example-element.ts";
