/**
 * Links settlements to documents by open items. Lines of one receivable or payable account with the same open-item
 * reference (an invoice number, a matching letter) form a group. Inside a group the oldest document is settled first.
 */
import { type Link, ROLE } from './cash-basis.ts'

export interface ItemLine {
  readonly seq: number
  readonly transaction: number
  readonly day: number
  readonly role: number
  readonly amount: number
  /** Number of the open-item group; null for a line without a reference. */
  readonly item: number | null
}

/** For the `seq` of each settling line, the documents that it settles; there may be several, and a document may have several lines. */
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

/** A line that increases a receivable or payable is a document; a line that reduces it settles one. */
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
    // A payment larger than all documents of the group overpays the last one.
    const last = others.at(-1)
    if (rest > 0 && last) own.push({ to: last.line.transaction, amount: sign * rest })
    if (own.length > 0) links.set(settling.seq, own)
  }
}
