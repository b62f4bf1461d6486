import {
  parseMixed,
  Tree,
  type Input,
  type NestedParse,
  type ParseWrapper,
  type PartialParse,
  type SyntaxNodeRef,
} from "@lezer/common";
import { LanguageSupport, type LRLanguage } from "@codemirror/language";
import { yamlLanguage } from "@codemirror/lang-yaml";
import { celLanguage } from "./cel.js";
import { isCelPlace, kindsOf } from "./places.js";
import { blockRanges, flowRanges, type ScalarRanges } from "./scalar.js";
import { shallow } from "./shallow.js";

const literalCel = celLanguage.parser;
const foldedCel = celLanguage.parser.configure({ dialect: "folded" });

/** Gives the CEL parser for a YAML node that holds CEL, null elsewhere. */
function nestCel(node: SyntaxNodeRef, input: Input): NestedParse | null {
  const scalar = scalarAt(node, input);
  if (!scalar || !scalar.ranges.length) return null;
  return { parser: scalar.folded ? foldedCel : literalCel, overlay: scalar.ranges };
}

function scalarAt(node: SyntaxNodeRef, input: Input): ScalarRanges | null {
  switch (node.name) {
    case "Literal":
    case "QuotedLiteral":
      return isCelPlace(node.node, input) ? flowRanges(input.read(node.from, node.to), node.from) : null;
    case "BlockLiteralContent": {
      const block = node.node.parent;
      if (!block || !isCelPlace(block, input)) return null;
      const header = block.getChild("BlockLiteralHeader");
      return blockRanges(header ? input.read(header.from, header.to) : "|", input.read(node.from, node.to), node.from);
    }
  }
  return null;
}

const nest = parseMixed(nestCel);

/** The kinds of the text that a tree was parsed from, to tell when they change. */
const kindsOfTree = new WeakMap<Tree, string>();

/** Notes on every tree it gives which kinds its text had. */
class Remember implements PartialParse {
  constructor(
    private readonly inner: PartialParse,
    private readonly kinds: string,
  ) {}
  get parsedPos() {
    return this.inner.parsedPos;
  }
  get stoppedAt() {
    return this.inner.stoppedAt;
  }
  stopAt(pos: number) {
    this.inner.stopAt(pos);
  }
  advance(): Tree | null {
    const tree = this.inner.advance();
    if (tree) kindsOfTree.set(tree, this.kinds);
    return tree;
  }
}

/**
 * Nests CEL, and parses anew from the start when the kind of a document has
 * changed: the parser would otherwise take over, unseen, the parts of the old
 * tree far from the edit, where a field has become CEL or ceased to be.
 */
const wrap: ParseWrapper = (inner, input, fragments, ranges) => {
  const kinds = kindsOf(input.read(0, input.length));
  if (fragments.some((fragment) => (kindsOfTree.get(fragment.tree) ?? kinds) != kinds)) {
    fragments = [];
    inner = yamlLanguage.parser.startParse(input, fragments, ranges);
  }
  const remember = new Remember(nest(inner, input, fragments, ranges), kinds);
  return shallow(remember, input.length, () => yamlWithCelLanguage.parser.topNode);
};

/** YAML in which CEL is a language of its own at the places where Kubernetes reads it. */
export const yamlWithCelLanguage: LRLanguage = yamlLanguage.configure({ wrap }, "yaml-cel");

/** Language support for Kubernetes manifests (YAML or JSON) with CEL inside. */
export function yamlWithCel(): LanguageSupport {
  return new LanguageSupport(yamlWithCelLanguage);
}
