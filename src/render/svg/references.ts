/** An element with what it holds and the ids it refers to. */
export interface SvgNode {
  readonly name: string;
  readonly children: SvgNode[];
  readonly references: string[];
}

/** Ids in `url(#id)` of a style or an attribute. */
export function referencesOf(text: string): string[] {
  return [...text.matchAll(/url\s*\(\s*['"]?\s*#([^'")\s]+)/gi)].map((match) => match[1] ?? '');
}

/**
 * How many elements a document comes to when each reference stands for what it leads to, which is what a renderer draws in
 * the worst case: ten `use` of ten `use` of ten are a thousand. Counting stops above `most`. `circular` when an element
 * leads to itself or to one it stands in.
 */
export function expandedSize(
  root: SvgNode,
  byId: ReadonlyMap<string, SvgNode>,
  most: number,
): number | 'circular' {
  const sizes = new Map<SvgNode, number>();
  const open = new Set<SvgNode>();
  let circular = false;
  const sizeOf = (node: SvgNode): number => {
    const known = sizes.get(node);
    if (known !== undefined) return known;
    if (open.has(node)) {
      circular = true;
      return 0;
    }
    open.add(node);
    let size = 1;
    const parts = [...node.children, ...node.references.flatMap((id) => byId.get(id) ?? [])];
    for (const part of parts) {
      size = Math.min(most + 1, size + sizeOf(part));
      if (circular) break;
    }
    open.delete(node);
    sizes.set(node, size);
    return size;
  };
  const size = sizeOf(root);
  return circular ? 'circular' : size;
}
