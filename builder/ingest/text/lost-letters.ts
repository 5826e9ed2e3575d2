/**
 * Letters that cannot be right. U+FFFD in a source means that the program that wrote it could not read a letter
 * there: the file is valid, but names and texts would be published without the letter. In a file with two encodings
 * the letters of one of them are wrong, whichever is used.
 */
import { open } from 'node:fs/promises'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import { decodeText, type Encoding, mixedLine } from './decode.ts'
import { rowAt } from './scan.ts'

export const LOST = '\ufffd'

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

/** For a text file; `offset` is that of the first lost letter, see `Scan.lostLetter`. */
export const lostInFile = async (path: string, file: string, offset: number): Promise<Finding> =>
  lostLetters(file, await rowAt(path, offset), await lineAround(path, offset, 'utf-8'))

const mixedEncodings = (file: string, row: number, text: string): Finding =>
  warning(
    'mixed-encodings',
    `row ${row} has letters in UTF-8, other rows have letters in another encoding: the file is read in one encoding, so some are read wrong`,
    {
      file,
      row,
      text: text.trim().slice(0, 200),
      remedy:
        'export it again as UTF-8: perhaps two exports were joined into one file; if all rows read right, state the "encoding" in company.yaml',
    },
  )

/** For a text file; `offset` is that of the first letter in UTF-8, see `Scan.utf8InLatin`. */
export const mixedInFile = async (
  path: string,
  file: string,
  offset: number,
  encoding: Encoding,
): Promise<Finding> =>
  mixedEncodings(file, await rowAt(path, offset), await lineAround(path, offset, encoding))

/** For a table that is read as a whole. */
export function mixedInText(file: string, bytes: Buffer, text: string): Finding[] {
  const row = mixedLine(bytes)
  return row === null ? [] : [mixedEncodings(file, row, text.split('\n')[row - 1] ?? '')]
}

async function lineAround(path: string, offset: number, encoding: Encoding): Promise<string> {
  const from = Math.max(0, offset - 60)
  const part = Buffer.alloc(120)
  const handle = await open(path)
  try {
    const { bytesRead } = await handle.read(part, 0, part.length, from)
    const at = offset - from
    const text = part.subarray(0, bytesRead)
    const start = Math.max(text.subarray(0, at).lastIndexOf(0x0a), text.subarray(0, at).lastIndexOf(0x0d)) + 1
    const ends = [text.indexOf(0x0a, at), text.indexOf(0x0d, at)].filter((end) => end !== -1)
    return decodeText(text.subarray(start, Math.min(bytesRead, ...ends)), encoding).text
  } finally {
    await handle.close()
  }
}

/**
 * A program or disk that failed leaves zero bytes in the place of rows; the remaining figures would not show that
 * rows are missing.
 */
export const zeroBytes = (file: string, row: number): Finding =>
  error('zero-bytes', 'has zero bytes, which text never has: the file is damaged, and rows may be missing', {
    file,
    row,
    remedy: 'export it again',
  })

/** For a table that is read as a whole. */
export function lostInRows(
  file: string,
  rows: readonly { readonly row: number; readonly cells: readonly string[] }[],
): Finding[] {
  const found = rows.find(({ cells }) => cells.some((cell) => cell.includes(LOST)))
  return found === undefined
    ? []
    : [lostLetters(file, found.row, found.cells.filter((cell) => cell.includes(LOST)).join(', '))]
}
