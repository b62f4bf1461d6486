// Docusaurus' Head: what it holds.

export default function Head({ children }: { children: unknown }): unknown {
  return children;
}
