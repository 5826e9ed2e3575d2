/** Has the parts of several files read side by side, by others, and takes them in the order of the files. */
import { rmSync } from 'node:fs'
import { inOrder } from '../../workspace/in-order.ts'
import type { Scratch } from '../text/scan.ts'

/** A part of a file, as others read it; null where the file, or this part, cannot be read in parts. */
export interface TakenPart<Read> {
  readonly read: Read | null
  readonly isLast: boolean
}

/** `ordersOf` gives an order for each part of a file, or null if it is to be read as a whole. */
export const partsInOrder = <File, Order, Read>(
  files: Iterable<File>,
  ordersOf: (file: File) => Promise<readonly Order[] | null>,
  atOnce: number,
  make: (order: Order) => Promise<Read | null>,
): AsyncGenerator<TakenPart<Read>> =>
  inOrder(ordersIn(files, ordersOf), atOnce, async ({ order, isLast }) => ({
    read: order && (await make(order)),
    isLast,
  }))

async function* ordersIn<File, Order>(
  files: Iterable<File>,
  ordersOf: (file: File) => Promise<readonly Order[] | null>,
) {
  for (const file of files) {
    const orders = await ordersOf(file)
    if (orders === null) yield { order: null, isLast: true }
    else for (const order of orders) yield { order, isLast: order === orders.at(-1) }
  }
}

/**
 * The parts of the next file, as long as each goes on where the one above it ended. `joining.isWhole` is false if one does not, or if
 * the file is not read in parts.
 */
export async function* joinedParts<Read>(
  parts: AsyncIterator<TakenPart<Read>>,
  joining: { isWhole: boolean },
  goesOn: (read: Read) => boolean,
): AsyncGenerator<Read> {
  for (let isLast = false; !isLast; ) {
    const next: TakenPart<Read> = (await parts.next()).value
    isLast = next.isLast
    joining.isWhole &&= next.read !== null && goesOn(next.read)
    if (joining.isWhole && next.read !== null) yield next.read
  }
}

/** The path of what was written of the next file; null, and nothing written, where its parts do not join: see {@link joinedParts}. */
export async function writtenParts(
  scratch: Scratch,
  rowsOf: (joining: { isWhole: boolean }) => AsyncIterable<Buffer>,
): Promise<string | null> {
  const joining = { isWhole: true }
  const path = await scratch.written(rowsOf(joining))
  if (joining.isWhole) return path
  rmSync(path)
  return null
}
