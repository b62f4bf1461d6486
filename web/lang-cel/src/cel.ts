import {
  continuedIndent,
  delimitedIndent,
  foldInside,
  foldNodeProp,
  indentNodeProp,
  LanguageSupport,
  LRLanguage,
} from "@codemirror/language";
import { parser } from "./parser.js";
import { shallow } from "./shallow.js";

/** CEL as a CodeMirror language: grammar, indentation, folding, brackets. */
export const celLanguage: LRLanguage = LRLanguage.define({
  name: "cel",
  parser: parser.configure({
    props: [
      indentNodeProp.add({
        ListExpression: delimitedIndent({ closing: "]", align: false }),
        "MapExpression StructExpression": delimitedIndent({ closing: "}", align: false }),
        "ArgList ParenthesizedExpression": delimitedIndent({ closing: ")", align: false }),
        ConditionalExpression: continuedIndent(),
        "String Bytes": () => null,
      }),
      foldNodeProp.add({
        "ListExpression MapExpression ArgList ParenthesizedExpression": foldInside,
        // The name of the type stays; what is between the braces folds.
        StructExpression: (node) => {
          const open = node.getChild("{"),
            close = node.getChild("}");
          return open && close && open.to < close.from ? { from: open.to, to: close.from } : null;
        },
      }),
    ],
    wrap: (inner, input) => shallow(inner, input.length, () => celLanguage.parser.topNode),
  }),
  languageData: {
    commentTokens: { line: "//" },
    closeBrackets: {
      brackets: ["(", "[", "{", "'", '"', "'''", '"""'],
      stringPrefixes: ["r", "R", "b", "B", "br", "bR", "Br", "BR"],
    },
    indentOnInput: /^\s*[)\]}]$/,
  },
});

/** Language support for a text that is one CEL expression. */
export function cel(): LanguageSupport {
  return new LanguageSupport(celLanguage);
}
