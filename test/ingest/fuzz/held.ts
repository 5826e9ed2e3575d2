/**
 * The files of a company held against what they state: each is changed in every simple way, and what moves a figure must be
 * refused or told of, unless its rule says that nothing in the file contradicts it.
 */
import * as assert from 'uvu/assert'
import {
  type Judged,
  judge,
  type Mutation,
  type MutationOptions,
  mutationsOf,
  sampled,
  shownMutation,
} from '../../support/mutations.ts'
import { bookOf, type Parts, packed, seedOf } from './corpus.ts'

export interface FileRule extends MutationOptions {
  /** What nothing in the file speaks of. */
  readonly isUnstated?: (mutation: Mutation) => boolean
}

/** A list of entries states that each of them balances, but not how many there are. */
export const isMissingEntry = ({ kind, what }: Mutation): boolean =>
  kind === 'cut' || (kind === 'deleted' && what.startsWith('entry '))

/** What lines share in a cell, counted from 0, that holds a digit: a heading's does not. */
export const cellOf =
  (at: number, separator = ',') =>
  (line: string): string | null => {
    const text = line.split(separator)[at]?.trim() ?? ''
    return /\d/.test(text) ? text : null
  }

/** Lines that name no entry are of the one above them. */
export function carriedDown(entryOf: (line: string) => string | null): (line: string) => string | null {
  let last: string | null = null
  return (line) => {
    last = entryOf(line) ?? last
    return last
  }
}

/** Rows of a sheet are its lines; those below one that goes move up, as in a spreadsheet program. */
const SHEET: MutationOptions = {
  between: /(?=<row |<\/sheetData>)/,
  amount: /(?<=<v>)-?\d+(?:\.\d+)?(?=<\/v>)/g,
  encoding: null,
}

function inBook(parts: Parts, path: string, mutation: Mutation): Mutation {
  const { book } = bookOf(path)!
  return { ...mutation, bytes: () => packed({ ...parts, [path]: numbered(mutation.bytes()) })[book]! }
}

function numbered(sheet: Buffer): Buffer {
  let row = 0
  const text = sheet.toString('latin1').replace(/<row [\s\S]*?(?:<\/row>|$)/g, (element) => {
    row++
    return element.replace(/( r="[A-Z]*)\d+"/g, `$1${row}"`)
  })
  return Buffer.from(text, 'latin1')
}

/** `path` in a workbook is that of a sheet: `budget.xlsx/xl/worksheets/sheet1.xml`. */
export async function hold(
  parts: Parts,
  path: string,
  rule: FileRule,
  usual: number,
): Promise<readonly Judged[]> {
  const book = bookOf(path)
  const all = mutationsOf(parts[path]!, book === null ? rule : { ...SHEET, ...rule })
  const some = sampled(all, usual).map((mutation) =>
    book === null ? mutation : inBook(parts, path, mutation),
  )
  const judged = await judge(packed(parts), book?.book ?? path, some)
  const silent = judged.filter(({ verdict }) => verdict === 'silent').map(({ mutation }) => mutation)
  assert.equal(silent.filter((mutation) => rule.isUnstated?.(mutation) !== true).map(shownMutation), [], path)
  return judged
}

/** A judge that sees nothing move, or everything, judges nothing. */
export function isJudging(judged: readonly Judged[]): void {
  for (const verdict of ['same', 'told'] as const)
    assert.ok(
      judged.some((each) => each.verdict === verdict),
      `no mutation was "${verdict}"`,
    )
}

/** Every file of the corpus, but for its settings and the parts of a workbook that are no sheet. */
export async function holdCorpus(corpus: string, rules: Readonly<Record<string, FileRule>>, usual: number) {
  const parts = seedOf(corpus)
  const paths = Object.keys(parts).filter(
    (path) => path !== 'company.yaml' && (bookOf(path)?.part.startsWith('xl/worksheets/') ?? true),
  )
  assert.equal(
    Object.keys(rules).filter((path) => !paths.includes(path)),
    [],
    'rules of no file',
  )
  const judged: Judged[] = []
  for (const path of paths) judged.push(...(await hold(parts, path, rules[path] ?? {}, usual)))
  isJudging(judged)
}
