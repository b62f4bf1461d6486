// Trees that are nested too deeply for the editor. What colours a text, folds it or finds
// its brackets goes down its tree by recursion, and so does the library that builds the
// tree: some thousand levels are more than the stack of a browser holds, the fewer the
// less its compiler has seen of the code. The exception would end the change of the
// editor in which it is thrown, and what was pasted would be lost.

import { NodeProp, Tree, TreeBuffer, type NodeType, type PartialParse } from "@lezer/common";

/** How deep a tree may be. Two hundred lists in lists, the most that the engine reads, are 400 levels. */
export const DEEPEST = 600;

/** The depths of trees, which are shared by those of later texts. */
const known = new WeakMap<Tree | TreeBuffer, number>();

/** How many levels a tree has, with those of trees mounted in it. */
export function depthOf(root: Tree | TreeBuffer): number {
  // Without recursion: its depth is the question.
  const open = [root];
  for (let node = open.at(-1); node !== undefined; node = open.at(-1)) {
    const unknown = known.has(node) ? [] : partsOf(node).filter((part) => !known.has(part));
    if (unknown.length > 0) {
      open.push(...unknown);
      continue;
    }
    open.pop();
    if (known.has(node)) continue;
    const below = partsOf(node).reduce((most, part) => Math.max(most, known.get(part) ?? 0), 0);
    known.set(node, node instanceof TreeBuffer ? levels(node) : below + 1);
  }
  return known.get(root) ?? 0;
}

function partsOf(node: Tree | TreeBuffer): readonly (Tree | TreeBuffer)[] {
  if (node instanceof TreeBuffer) return [];
  const mounted = node.prop(NodeProp.mounted);
  return mounted === undefined ? node.children : [...node.children, mounted.tree];
}

/** The levels of a buffer, which has four numbers for each node: the last is where what is in the node ends. */
function levels({ buffer }: TreeBuffer): number {
  const ends: number[] = [];
  let most = 0;
  for (let at = 0; at < buffer.length; at += 4) {
    while (ends.length > 0 && (ends.at(-1) ?? 0) <= at) ends.pop();
    ends.push(buffer[at + 3] ?? 0);
    most = Math.max(most, ends.length);
  }
  return most;
}

class Shallow implements PartialParse {
  constructor(
    private readonly inner: PartialParse,
    private readonly length: number,
    private readonly top: () => NodeType,
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
    let tree;
    try {
      tree = this.inner.advance();
    } catch {
      // The library has run out of stack itself, or lost its way in so many levels.
      return this.flat();
    }
    return tree !== null && depthOf(tree) > DEEPEST ? this.flat() : tree;
  }

  /** A tree without colours. */
  private flat(): Tree {
    return new Tree(this.top(), [], [], this.inner.stoppedAt ?? this.length);
  }
}

/** Gives a text that is nested too deeply a tree of one node, of the type top. */
export function shallow(inner: PartialParse, length: number, top: () => NodeType): PartialParse {
  return new Shallow(inner, length, top);
}
