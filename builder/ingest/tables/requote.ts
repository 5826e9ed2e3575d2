/** Copies a CSV whose quotes stand behind blanks or tabs, which DuckDB takes for text. */
import type { Finding } from '../../workspace/finding.ts'
import { CHUNK, csvRow } from '../format/records.ts'
import { quoteFault } from '../text/csv.ts'
import { type OnFault, recordsOf } from '../text/delimited.ts'
import { type Scratch, textOf } from '../text/scan.ts'

/** A CSV in UTF-8. */
export interface TextToRequote {
  /** How findings name it. */
  readonly file: string
  /** The path to open. */
  readonly path: string
  readonly delimiter: string
}

/** The path of the copy, whose cells are separated by commas. */
export async function requote(
  text: TextToRequote,
  scratch: Scratch,
): Promise<{ readonly path: string; readonly findings: readonly Finding[] }> {
  const findings: Finding[] = []
  const rows = requoted(text, (row, fault) => findings.push(quoteFault(text.file, row, fault)))
  return { path: await scratch.written(rows), findings }
}

/** The same records with each quote at the start of its cell. */
async function* requoted({ path, delimiter }: TextToRequote, onFault: OnFault): AsyncGenerator<string> {
  for await (const records of recordsOf(textOf(path, 'utf-8', CHUNK), delimiter, onFault))
    yield records.map(csvRow).join('')
}
