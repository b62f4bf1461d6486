export {parser as celParser} from "./parser.js"
export {celHighlighting} from "./highlight.js"
export {cel, celLanguage} from "./cel.js"
export {yamlWithCel, yamlWithCelLanguage} from "./yaml.js"
