/**
 * The rows of SIE files for the books. Rows of vouchers are there already; those of a part that was read with anything but what is known
 * now are written again: another year, other dimensions, other ids of its vouchers.
 */
import { isDeepStrictEqual } from 'node:util'
import { present } from '../../../contract/present.ts'
import { inOrder } from '../../../workspace/in-order.ts'
import { createReadStream } from '../../../workspace/plain-file.ts'
import { share } from '../../../workspace/threads.ts'
import type { Scratch } from '../../text/scan.ts'
import { HEADER } from './csv.ts'
import type { PartRows, PartToRead, SieHands } from './parts.ts'
import { atOnceOf, chunksOf, type ReadFile, type ReadPart, readWith } from './texts.ts'
import type { VoucherContext, VoucherRemarks } from './vouchers.ts'

/** A file whose rows go into the books. */
export interface FileToWrite {
  readonly read: ReadFile
  /** Null where none of its vouchers go into the books, but other rows. */
  readonly context: VoucherContext | null
  /** The line of a voucher → its id, where that is not the plain one. */
  readonly ids: ReadonlyMap<number, string>
  /** Rows above those of the vouchers, as CSV. */
  readonly above: string
}

export interface WrittenFile {
  readonly path: string
  /** Of all parts whose vouchers go into the books. */
  readonly remarks: readonly VoucherRemarks[]
}

/** In the order of `files`. */
export async function writeRows(
  files: readonly FileToWrite[],
  scratch: Scratch,
  hands: SieHands | null,
): Promise<WrittenFile[]> {
  const plans = files.map(planOf)
  const orders = plans.flatMap(({ parts }) => parts.flatMap(({ again }) => again ?? []))
  const again = inOrder(orders, atOnceOf(hands), async (order) => (await readWith(hands, order)).rows)
  const written: WrittenFile[] = []
  for (const plan of plans) written.push(await writeFile(plan, again, scratch))
  return written
}

interface Plan extends FileToWrite {
  readonly parts: readonly { readonly part: ReadPart; readonly again: PartToRead | null }[]
}

function planOf(file: FileToWrite): Plan {
  const { read, context, ids } = file
  const shared = context && share(context)
  const idsOf = byPart(read.parts, ids)
  const parts = (context === null ? [] : read.parts).map((part, i) => {
    const own = present(idsOf[i], 'ids of a part')
    const isRight = part.lineCount === 0 || (own.size === 0 && isDeepStrictEqual(part.context, context))
    return { part, again: isRight ? null : { ...part.order, context: shared, ids: own } }
  })
  return { ...file, parts }
}

/** Ids are in the order of lines. */
function byPart(parts: readonly ReadPart[], ids: ReadonlyMap<number, string>): Map<number, string>[] {
  const own = parts.map(() => new Map<number, string>())
  let at = 0
  for (const [line, id] of ids) {
    while (line >= (parts[at + 1]?.order.firstLine ?? Number.POSITIVE_INFINITY)) at++
    own[at]?.set(line, id)
  }
  return own
}

async function writeFile(
  { read, parts, above }: Plan,
  again: AsyncIterator<PartRows>,
  scratch: Scratch,
): Promise<WrittenFile> {
  const before = present(read.path, 'rows of a file')
  const remarks: VoucherRemarks[] = []
  const note = (rows: Pick<PartRows, 'remarks'>) => {
    if (rows.remarks !== null) remarks.push(rows.remarks)
  }
  const isDone = parts.length > 0 && parts.every((part) => part.again === null)
  if (isDone && above === '') {
    for (const { part } of parts) note(part)
    return { path: before, remarks }
  }
  async function* rows(): AsyncGenerator<Uint8Array | string> {
    yield HEADER + above
    for (const each of parts) {
      const { start, end } = each.part.rows
      if (each.again === null) {
        note(each.part)
        if (start < end) yield* createReadStream(before, { start, end: end - 1 }) as AsyncIterable<Buffer>
      } else {
        const made = (await again.next()).value as PartRows
        note(made)
        yield made.csv
      }
    }
  }
  return { path: await scratch.written(chunksOf(rows())), remarks }
}
