/**
 * The text of source rows, from the sources that were kept with a snapshot; each file is checked against its hash
 * first. A row is what the books count as one: a record of delimited text, a line, or a row of a sheet.
 */

import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { recordTexts } from '../books/read/parquet/keys.ts'
import { present } from '../contract/present.ts'
import { DELIMITERS } from '../ingest/text/csv.ts'
import type { Encoding } from '../ingest/text/decode.ts'
import { rawRecordsOf } from '../ingest/text/delimited.ts'
import { linesOf } from '../ingest/text/lines.ts'
import { textOf } from '../ingest/text/scan.ts'
import { parseXlsx } from '../ingest/workbook/xlsx.ts'
import { SnapshotDamagedError } from '../snapshot/files/damage.ts'
import { memberOf } from '../snapshot/files/input-state.ts'
import { bookPath, INPUTS, inputPath, MANIFEST } from '../snapshot/files/layout.ts'
import type { InputEntry } from '../snapshot/files/manifest.ts'
import { openSnapshot, type Snapshot } from '../snapshot/files/open.ts'
import { sha256OfFile } from '../system/hash.ts'
import { readFile } from '../system/plain-file.ts'
import { failed, type Resolved, unknown } from './inspect.ts'

export interface SourceRow {
  readonly file: string
  readonly row: number
  /**
   * The text without its line end; cells of a workbook are separated by tabs, and a record of
   * Parquet is JSON. Null where the file has no such line,
   * as in an XML without line ends, whose entries are counted instead.
   */
  readonly text: string | null
}

/**
 * The rows in the order asked for, each once. A finding where a source was not kept; throws {@link
 * SnapshotDamagedError} where a kept file is not the one that was read.
 */
export async function sourceRows(
  snapshot: Snapshot,
  rows: readonly { readonly file: string | null; readonly row: number }[],
): Promise<Resolved<readonly SourceRow[]>> {
  const wanted = new Map<string, Set<number>>()
  // Books of earlier versions state no file for some lines.
  for (const { file, row } of rows)
    if (file !== null) wanted.set(file, (wanted.get(file) ?? new Set()).add(row))
  const found: SourceRow[] = []
  for (const [file, numbers] of wanted) {
    const inputs = snapshot.manifest.Inputs.filter(({ File }) => File === file)
    const member = inputs.find((each) => memberOf(each) !== null)
    if (member) {
      found.push(...(await memberRows(snapshot, member, numbers)))
      continue
    }
    const input = inputs.find(({ Kept }) => Kept === true)
    if (!input) return failed(notKept(snapshot.id, file))
    const texts = await textsOf(await keptPath(snapshot, input), input, numbers)
    for (const row of numbers) found.push({ file, row, text: texts.get(row) ?? null })
  }
  return { value: found }
}

/** The postings of a group's member, which name their own file and row; the member's snapshot must be the one that was read. */
async function memberRows(
  { folder }: Snapshot,
  input: InputEntry,
  rows: ReadonlySet<number>,
): Promise<SourceRow[]> {
  const { company, snapshotId, manifestHash } = present(memberOf(input), 'the member of a group')
  const member = await openSnapshot(dirname(dirname(folder)), company, snapshotId, manifestHash)
  const postings = bookPath('postings.parquet')
  await member.check(postings)
  const texts = await recordTexts(join(member.folder, postings), rows)
  const text = (row: number) =>
    texts.get(row) ?? 'no posting of the member: an opening, or made by its translation'
  return [...rows].map((row) => ({ file: input.File, row, text: text(row) }))
}

const notKept = (id: string, file: string) =>
  unknown(
    'inputs-not-kept',
    `${id} keeps no copy of ${file}`,
    file,
    'say "keepInputs: true" in tieout.yaml: snapshots from then on keep their sources',
  )

/** The path of the kept copy of a source, after its hash was checked. Throws {@link SnapshotDamagedError}. */
export async function keptPath(
  { folder, id, company }: Snapshot,
  { File, Sha256 }: InputEntry,
): Promise<string> {
  if (Sha256 === null)
    throw new SnapshotDamagedError(`${MANIFEST} of ${id} says that ${File} is kept, and not under which hash`)
  const path = inputPath(dirname(folder), Sha256)
  const hash = await sha256OfFile(path).catch((problem: NodeJS.ErrnoException) => {
    if (problem.code === 'ENOENT') return null
    throw problem
  })
  if (hash === Sha256) return path
  throw new SnapshotDamagedError(
    `${INPUTS}/${Sha256}, the ${File} kept with snapshot ${id} of ${company}, ${hash === null ? 'is missing' : 'was changed'}`,
  )
}

async function textsOf(
  path: string,
  input: InputEntry,
  wanted: ReadonlySet<number>,
): Promise<Map<number, string>> {
  if (input.Encoding === 'xlsx') return sheetRows(path, input, wanted)
  if (input.Encoding === 'parquet') return recordTexts(path, wanted)
  const last = Math.max(...wanted)
  const texts = new Map<number, string>()
  let row = 0
  for await (const text of await recordsIn(path, input)) {
    row++
    if (wanted.has(row)) texts.set(row, text)
    if (row === last) break
  }
  return texts
}

async function sheetRows(path: string, { File, Sheet }: InputEntry, wanted: ReadonlySet<number>) {
  const { sheets } = await parseXlsx(await readFile(path), '.', File)
  const rows = sheets.find(({ name }) => name === Sheet)?.rows ?? []
  return new Map(rows.filter(({ row }) => wanted.has(row)).map(({ row, cells }) => [row, cells.join('\t')]))
}

/** Formats in which every line is a row; in other text a quoted cell may contain a line end. */
const OF_LINES: readonly (string | undefined)[] = ['sie', 'fec', 'saft', 'yaml']
const HEAD = 65536

async function recordsIn(
  path: string,
  { Format, Encoding, Delimiter }: InputEntry,
): Promise<AsyncIterable<string>> {
  const text = textOf(path, Encoding as Encoding)
  const head = await headOf(path)
  // A Ledger export that escapes quotes with a backslash is not CSV by RFC 4180: its rows are read as lines.
  const escapes = Format === 'plain-text' && head.includes('\\"')
  if (OF_LINES.includes(Format) || escapes) return lines(text, head)
  return records(text, Delimiter ?? commonestDelimiter(head))
}

/** The beginning of the file, in which line ends can be recognised in any encoding. */
async function headOf(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await file.close()
  }
}

async function* lines(text: AsyncIterable<string>, head: string): AsyncGenerator<string> {
  for await (const part of linesOf(text, head)) for (const line of part) yield line.replace(/(?<!\r)\r+$/, '')
}

async function* records(text: AsyncIterable<string>, delimiter: string): AsyncGenerator<string> {
  for await (const part of rawRecordsOf(text, delimiter)) for (const record of part) yield record.text
}

/** Manifests of earlier versions do not state the delimiter of every file: the most frequent one is taken. */
function commonestDelimiter(head: string): string {
  const bare = head.replaceAll('\0', '').replace(/"(?:[^"]|"")*"/g, '')
  const count = (delimiter: string): number => bare.split(delimiter).length
  return DELIMITERS.reduce((best, delimiter) => (count(delimiter) > count(best) ? delimiter : best))
}
