/**
 * U+FFFD in a source: the program that wrote it could not read a letter there. The file is valid, and the letter is lost, so
 * that names and texts would be published without it.
 */
import { open } from 'node:fs/promises'
import { error, type Finding, warning } from '../workspace/finding.ts'
import { rowAt } from './scan.ts'

const LOST = '\ufffd'

const lostLetters = (file: string, row: number | null, text: string): Finding =>
  warning(
    'lost-letters',
    `letters were lost before this file was exported: "${LOST}" stands in their place`,
    {
      file,
      row,
      text: text.trim().slice(0, 200),
      remedy:
        'export it again as UTF-8, or correct the names in the accounting program; as it stands, they are published like this',
    },
  )

/** Of a text file: `offset` is that of the first one, see `Scan.lostLetter`. */
export async function lostInFile(path: string, file: string, offset: number): Promise<Finding> {
  const from = Math.max(0, offset - 60)
  const part = Buffer.alloc(120)
  const handle = await open(path)
  try {
    const { bytesRead } = await handle.read(part, 0, part.length, from)
    const at = offset - from
    const text = part.subarray(0, bytesRead)
    const start = Math.max(text.subarray(0, at).lastIndexOf(0x0a), text.subarray(0, at).lastIndexOf(0x0d)) + 1
    const ends = [text.indexOf(0x0a, at), text.indexOf(0x0d, at)].filter((end) => end !== -1)
    return lostLetters(
      file,
      await rowAt(path, offset),
      text.subarray(start, Math.min(bytesRead, ...ends)).toString('utf8'),
    )
  } finally {
    await handle.close()
  }
}

/** A program or a disk that failed leaves zeros where rows were: what stood there is lost, and no figure would tell. */
export const zeroBytes = (file: string, row: number): Finding =>
  error('zero-bytes', 'holds zero bytes, which no text has: the file is damaged, and rows may be missing', {
    file,
    row,
    remedy: 'export it again',
  })

/** Of a table that is read whole. */
export function lostInRows(
  file: string,
  rows: readonly { readonly row: number; readonly cells: readonly string[] }[],
): Finding[] {
  const found = rows.find(({ cells }) => cells.some((cell) => cell.includes(LOST)))
  return found === undefined
    ? []
    : [lostLetters(file, found.row, found.cells.filter((cell) => cell.includes(LOST)).join(', '))]
}
