export { parser as celParser } from "./parser.js";
export { celHighlighting } from "./highlight.js";
export { cel, celLanguage } from "./cel.js";
export { yamlWithCel, yamlWithCelLanguage } from "./yaml.js";
export {
  completeWith,
  completionSource,
  hoverHelp,
  type CompletionAnswer,
  type CompletionItem,
  type CompletionProvider,
  type HoverAnswer,
  type HoverProvider,
  type ItemKind,
} from "./complete.js";
export {
  notes,
  setNotes,
  valueAt,
  type LineNote,
  type MarkNote,
  type Note,
  type Tone,
  type UnevaluatedNote,
  type ValueNote,
} from "./notes.js";
