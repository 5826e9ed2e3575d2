/** The header of a FEC: which column stands where, and how the lines below it are written. */
import type { LedgerSetting } from '../../../workspace/company.ts'
import { error, type Finding } from '../../../workspace/findings/finding.ts'
import { parseDate } from '../../text/months.ts'
import { remembered } from '../../text/remembered.ts'

const COLUMNS = [
  'JournalCode',
  'JournalLib',
  'EcritureNum',
  'EcritureDate',
  'CompteNum',
  'CompteLib',
  'CompAuxNum',
  'CompAuxLib',
  'PieceRef',
  'PieceDate',
  'EcritureLib',
  'Debit',
  'Credit',
  'Montant',
  'Sens',
  'EcritureLet',
  'DateLet',
  'ValidDate',
] as const
/** Columns that some files have by the same regulation, and that say nothing about the amounts, which are in euros. */
const BESIDE = ['Montantdevise', 'Idevise', 'DateRglt', 'ModeRglt', 'NatOp', 'IdClient'].map((name) =>
  name.toLowerCase(),
)
export type Column = (typeof COLUMNS)[number]

/** Columns that every file has; those of amounts are checked apart, since there are two ways to write them. */
const REQUIRED = ['JournalCode', 'EcritureDate', 'CompteNum'] as const

export interface FecLayout {
  readonly delimiter: string
  readonly at: { readonly [column in Column]?: number }
  /** All others, by header. */
  readonly others: readonly (readonly [header: string, at: number])[]
  /** Columns up to the last one that has a name. */
  readonly width: number
  /** Cells of the header: one more where the program ends each line with the delimiter. */
  readonly cells: number
  /** Each cell stands in quotation marks, against the rule. */
  readonly quoted: boolean
  /** A date as `YYYY-MM-DD`; null where the text is none. */
  readonly dayOf: (text: string) => string | null
  readonly decimals: number
}

const plain = (cell: string): string => cell.replace(/[\s\0\x1a\ufeff"_]+/g, '').toLowerCase()
function firstLine(text: string): string {
  const [line = ''] = text.replace(/^[\ufeff\s]+/, '').split(/[\r\n]/, 1)
  return line
}

function positions(cells: readonly string[]): FecLayout['at'] {
  const names = cells.map(plain)
  return Object.fromEntries(
    COLUMNS.flatMap((column) => {
      const at = names.indexOf(column.toLowerCase())
      return at === -1 ? [] : [[column, at]]
    }),
  )
}

/** By rule a tab or "|"; other separators have been seen. */
const delimiterOf = (line: string): string =>
  ['\t', '|', ';', ','].reduce((best, each) =>
    line.split(each).length > line.split(best).length ? each : best,
  )

/** The first line names journal, date and account in the words of the regulation. */
export function looksLikeFec(head: string): boolean {
  const line = firstLine(head)
  const at = positions(line.split(delimiterOf(line)))
  return at.JournalCode !== undefined && at.CompteNum !== undefined && at.EcritureDate !== undefined
}

/** By rule YYYYMMDD; a French program that breaks the rule writes the day first, or the ISO form. */
const DATE_FORMATS = ['YYYYMMDD', 'DD/MM/YYYY', 'YYYY-MM-DD', 'DD-MM-YYYY'] as const

const firstOf = (formats: readonly string[], text: string): string | null =>
  formats.map((format) => parseDate(text, format)).find((date) => date !== null) ?? null

export function readHeader(
  head: string,
  file: string,
  { delimiter: stated, dateFormat }: Pick<LedgerSetting, 'delimiter' | 'dateFormat'>,
  decimals: number,
): { readonly layout: FecLayout; readonly findings: readonly Finding[] } {
  const line = firstLine(head)
  const delimiter = stated ?? delimiterOf(line)
  const cells = line.split(delimiter)
  const at = positions(cells)
  const isSigned = at.Montant !== undefined && at.Sens !== undefined
  const missing = [
    ...REQUIRED.filter((column) => at[column] === undefined),
    ...(isSigned ? [] : (['Debit', 'Credit'] as const).filter((column) => at[column] === undefined)),
  ]
  return {
    layout: {
      delimiter,
      at,
      others: cells.flatMap((cell, i): [string, number][] =>
        plain(cell) === '' || BESIDE.includes(plain(cell)) || Object.values(at).includes(i)
          ? []
          : [[cell.replace(/["\0\ufeff]/g, '').trim(), i]],
      ),
      width: cells.findLastIndex((cell) => plain(cell) !== '') + 1,
      cells: cells.length,
      quoted: /^\s*"[^"]*"\s*$/.test(cells[0] ?? ''),
      dayOf: remembered((text) => firstOf(dateFormat === undefined ? DATE_FORMATS : [dateFormat], text)),
      decimals,
    },
    findings: missing.map((column) =>
      error('missing-column', `the file has no column ${column}`, {
        file,
        row: 1,
        column,
        text: cells.join(' ').slice(0, 200),
        remedy: 'export the FEC again with all 18 columns of the regulation',
      }),
    ),
  }
}
