import { styleTags, tags as t } from "@lezer/highlight";

/**
 * What each part of the CEL grammar is, in the terms of highlighting themes.
 * Macros, the variables that Kubernetes declares and the type names of literals
 * have tags of their own, because they follow rules of their own.
 */
export const celHighlighting = styleTags({
  VariableName: t.variableName,
  KubernetesVariable: t.special(t.variableName),
  FieldName: t.propertyName,
  FunctionName: t.function(t.variableName),
  MethodName: t.function(t.propertyName),
  MacroName: t.macroName,
  // One name from end to end: Object.spec.template, not a chain of selections.
  "TypeName!": t.typeName,
  Number: t.number,
  String: t.string,
  Bytes: t.special(t.string),
  Escape: t.escape,
  Boolean: t.bool,
  Null: t.null,
  in: t.operatorKeyword,
  "Not LogicOp": t.logicOperator,
  CompareOp: t.compareOperator,
  "ArithOp Minus": t.arithmeticOperator,
  "Optional Question Colon": t.operator,
  Comment: t.lineComment,
  ".": t.derefOperator,
  ",": t.separator,
  "( )": t.paren,
  "[ ]": t.squareBracket,
  "{ }": t.brace,
});
