/**
 * Open items: lines of one receivable or payable account that carry the same open-item reference (an invoice number, a
 * settlement letter) belong together. Inside such a group the oldest document is settled first.
 */
import { type Link, ROLE } from './cash-basis.ts'

export interface ItemLine {
  readonly seq: number
  readonly transaction: number
  readonly day: number
  readonly role: number
  readonly amount: number
  /** Number of the group; null where the line carries no reference. */
  readonly item: number | null
}

/** By `seq`: what each settling line settles. A line may settle several documents, a document have several lines. */
export function linkOpenItems(lines: readonly ItemLine[]): Map<number, Link[]> {
  const groups = new Map<number, ItemLine[]>()
  for (const line of lines) {
    if (line.item === null) continue
    const group = groups.get(line.item)
    if (group) group.push(line)
    else groups.set(line.item, [line])
  }
  const links = new Map<number, Link[]>()
  for (const group of groups.values()) settleGroup(group.sort(oldestFirst), links)
  return links
}

const oldestFirst = (a: ItemLine, b: ItemLine): number =>
  a.day - b.day || a.transaction - b.transaction || a.seq - b.seq

/** What a receivable or payable grows by is a document, what it shrinks by settles one. */
const isDocument = (line: ItemLine): boolean =>
  line.role === ROLE.receivable ? line.amount > 0 : line.amount < 0

function settleGroup(group: readonly ItemLine[], links: Map<number, Link[]>): void {
  const documents = group.filter(isDocument).map((line) => ({ line, open: Math.abs(line.amount) }))
  for (const settling of group) {
    if (isDocument(settling)) continue
    const sign = Math.sign(settling.amount)
    const own: Link[] = []
    let rest = Math.abs(settling.amount)
    // An entry does not settle itself.
    const others = documents.filter(({ line }) => line.transaction !== settling.transaction)
    for (const document of others) {
      const part = Math.min(rest, document.open)
      if (part === 0) continue
      own.push({ to: document.line.transaction, amount: sign * part })
      document.open -= part
      rest -= part
    }
    // More than all documents of the group: the last one is overpaid.
    const last = others.at(-1)
    if (rest > 0 && last) own.push({ to: last.line.transaction, amount: sign * rest })
    if (own.length > 0) links.set(settling.seq, own)
  }
}
