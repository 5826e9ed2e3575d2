/** What stands on a page, as another HTML parser (parse5) reads it. */
import type { DefaultTreeAdapterTypes } from 'parse5'

export type Node = DefaultTreeAdapterTypes.Node
export type Element = DefaultTreeAdapterTypes.Element

/** All elements, each before those inside it. */
export const all = (node: Node): Element[] => {
  const below = 'childNodes' in node ? node.childNodes.flatMap(all) : []
  return 'tagName' in node ? [node, ...below] : below
}

export const named = (node: Node, name: string): Element[] =>
  all(node).filter(({ tagName }) => tagName === name)

export const attribute = (element: Element, name: string): string | undefined =>
  element.attrs.find((each) => each.name === name)?.value

export const textOf = (node: Node): string =>
  'value' in node ? node.value : 'childNodes' in node ? node.childNodes.map(textOf).join('') : ''
