/**
 * Plans how the books read a Parquet ledger: which column of the file, or which folder of a partitioned table, holds each canonical
 * column. The types of the columns are checked here, the values in the books.
 */
import { present } from '../../contract/present.ts'
import type { Basis } from '../../contract/vocabulary.ts'
import type { LedgerSetting } from '../../workspace/company.ts'
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { UnreadColumn } from '../claims/claims.ts'
import {
  basisOfEntry,
  type FileReading,
  type LedgerInput,
  type LedgerParquet,
  type ParquetValue,
  type SourceRecord,
} from '../format/intake.ts'
import { EXTRA_DAYS, isExtra, isKind, LEDGER_COLUMNS, type LedgerColumn } from '../format/ledger-columns.ts'
import { folderValues } from '../parquet/folders.ts'
import type { ParquetColumn, ParquetFooter } from '../parquet/footer.ts'
import { ISO_DATE } from '../text/months.ts'
import { REQUIRED } from './header.ts'
import { isMapped } from './mapped/map.ts'
import { findColumns, type Head, missingColumn } from './table.ts'

/** Columns with amounts in minor units (cents) as whole numbers, and the canonical columns that they stand for. */
const MINOR = { debit_minor: 'debit', credit_minor: 'credit', amount_minor: 'amount' } as const
type MinorColumn = keyof typeof MINOR
const MINOR_COLUMNS = Object.keys(MINOR) as MinorColumn[]
const COLUMNS = [...LEDGER_COLUMNS, ...MINOR_COLUMNS]
type Column = (typeof COLUMNS)[number]
const AMOUNTS: readonly string[] = ['debit', 'credit', 'amount']

/** A header in which columns of minor units have the names of the canonical columns that they stand for. */
export const withoutMinor = (header: readonly string[]): string[] =>
  header.map((name) => name.replace(/^(debit|credit|amount)_minor$/i, '$1'))

/** Folders that only repeat a part of the date, which the rows have themselves. */
const PART_OF_DATE = /^(year|month|day|quarter|week|y|m|d|yyyy|mm|dd|yyyymm|year_?month|dt|ds|p_?date)$/i

/** A Parquet file whose footer was read. */
export interface ParquetSource extends Pick<LedgerParquet, 'file' | 'path' | 'table'> {
  readonly footer: ParquetFooter
  /** What tells this state of the file from any other. */
  readonly state: Pick<SourceRecord, 'bytes' | 'sha256' | 'etag' | 'version'>
}

export function planParquet(
  { file, path, table, footer, state }: ParquetSource,
  setting: LedgerSetting,
  key: string,
): FileReading {
  const source = {
    ...{ file, ...state, encoding: 'parquet', role: 'ledger' as const },
    rows: footer.problem === null ? footer.rows : null,
  }
  const refused = (...findings: readonly Finding[]): FileReading => ({
    ...{ inputs: [], sources: [source], findings, unread: [] },
  })
  if (footer.problem !== null)
    return refused(error('unreadable-parquet', footer.problem.what, { file, remedy: footer.problem.remedy }))
  const wrong = settingFindings(setting, key)
  if (wrong.length > 0) return refused(...wrong)
  const layout = layoutOf(file, key, footer.columns, setting)
  if (layout.findings.length > 0) return refused(...layout.findings)
  const input: LedgerParquet = {
    ...{ kind: 'parquet', file, path, rows: footer.rows, columns: layout.columns, types: layout.types },
    ...{ basis: layout.basis, ...(table === undefined ? {} : { table }) },
    ...(setting.engine === undefined
      ? { others: { key, answers: setting, headers: layout.others } }
      : { engine: setting.engine }),
    ...{ dateFormat: setting.dateFormat ?? ISO_DATE, decimal: '.', thousands: '' },
  }
  return { inputs: [input], sources: [source], findings: [], unread: layout.unread }
}

/** Settings that only text has. */
function settingFindings(setting: LedgerSetting, key: string): Finding[] {
  const place = (column: string) => ({ file: COMPANY_FILE, column: `${key}.${column}` })
  const findings: Finding[] = []
  if (setting.format !== undefined && setting.format !== 'parquet')
    findings.push(
      error('invalid-setting', `the files are Parquet, and not ${setting.format}`, {
        ...place('format'),
        remedy: 'write parquet, or take the line out: files are recognised by their content',
      }),
    )
  if (isMapped({ ...setting, count: undefined }))
    findings.push(
      error(
        'invalid-setting',
        'of Parquet, columns are renamed, and neither joined, reversed nor left out by rows',
        {
          ...place(setting.skip === undefined ? 'columns' : 'skip'),
          remedy: 'let the query that writes the files make the canonical columns',
        },
      ),
    )
  return findings
}

interface Layout extends Pick<LedgerParquet, 'columns' | 'types'> {
  readonly basis: Basis | null
  readonly findings: readonly Finding[]
  readonly unread: readonly UnreadColumn[]
  /** Those of them that are columns of the file. */
  readonly others: readonly string[]
}

/** A column that holds a value in all rows of the file, as the file or the name of a folder states it. */
type Place = { readonly name: string } & (
  | { readonly column: ParquetColumn; readonly folder?: undefined }
  | { readonly column?: undefined; readonly folder: string | null }
)

function layoutOf(
  file: string,
  key: string,
  columns: readonly ParquetColumn[],
  setting: LedgerSetting,
): Layout {
  const folders = folderValues(file).filter(([name]) => !columns.some((column) => isSame(column.name, name)))
  const places: readonly Place[] = [
    ...columns.map((column) => ({ name: column.name, column })),
    ...folders.map(([name, folder]) => ({ name, folder })),
  ]
  const head: Head = { file, key, header: places.map(({ name }) => name), headerRow: 1 }
  const found = findColumns<Column>(head, COLUMNS, REQUIRED.ledger, setting.columns)
  const at: { readonly [name in Column]?: number } = found.at
  const amounts = amountColumns(at, setting.columns ?? {})
  const isBasisStated = setting.basis !== undefined
  const used = COLUMNS.filter(
    (name) =>
      at[name] !== undefined &&
      (isAmount(name) ? amounts.includes(name) : name !== 'basis' || !isBasisStated) &&
      (!isExtra(name) ||
        setting.columns?.[name] !== undefined ||
        readingOf(name, present(places[at[name] ?? -1], `column ${name}`)) !== null),
  )
  const read = used.map((name) => ({ name, place: present(places[at[name] ?? -1], `column ${name}`) }))
  const taken = new Set(read.map(({ place }) => place))
  const left = places.filter(
    (place) => !taken.has(place) && (place.column !== undefined || !PART_OF_DATE.test(place.name)),
  )
  const kinds = read.flatMap(({ name, place }) => (isKind(name) ? [place] : []))
  const findings = [
    ...found.findings,
    ...(amounts.length === 0 ? [missingColumn(head, 'amount', 'amount')] : []),
    ...read.flatMap(({ name, place }) => typeFindings(file, name, place)),
    ...(setting.engine === undefined
      ? []
      : read.flatMap(({ name, place }) => engineFindings(file, name, place, setting))),
    ...read.flatMap(({ place }) => twins(file, place, columns)),
  ]
  return {
    columns: Object.fromEntries(read.map(({ name, place }) => [canonical(name), readingOf(name, place)])),
    types: read.map(({ name, place }) => `${name} ${place.column?.type ?? ''}`).join(', '),
    basis: used.includes('basis') ? null : basisOfEntry(setting),
    // A table has no row of headers that a finding could name.
    findings: findings.map((finding) => ({ ...finding, row: null })),
    unread: left.map(({ name, folder }) => ({
      ...{ file, headerRow: null, header: name },
      // An engine counts no values, so that a column is asked by its header.
      values: folder !== undefined ? new Map([[folder ?? '', 1]]) : setting.engine ? null : new Map(),
    })),
    others: [...left, ...kinds].flatMap(({ name, column }) => (column === undefined ? [] : [name])),
  }
}

const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()
const isMinor = (name: Column): name is MinorColumn => name in MINOR
const isAmount = (name: Column): boolean => isMinor(name) || AMOUNTS.includes(name)
const canonical = (name: Column): LedgerColumn => (isMinor(name) ? MINOR[name] : name)

/**
 * The columns with the amounts: debit and credit, else a net amount, each as decimals or in minor units. A net amount beside debit and
 * credit repeats them, and counts only where company.yaml maps it.
 */
function amountColumns(
  at: { readonly [name in Column]?: number },
  map: Readonly<Record<string, string>>,
): readonly Column[] {
  const one = (name: Column, minor: MinorColumn): Column | null =>
    at[name] !== undefined ? name : at[minor] !== undefined ? minor : null
  const amount = one('amount', 'amount_minor')
  const [debit, credit] = [one('debit', 'debit_minor'), one('credit', 'credit_minor')]
  const isAmountMapped = amount !== null && map[amount] !== undefined
  const areSidesMapped = debit !== null && map[debit] !== undefined
  if (debit !== null && credit !== null && !(isAmountMapped && !areSidesMapped)) return [debit, credit]
  return amount === null ? [] : [amount]
}

type Use = 'text' | 'date' | 'amount' | 'minor'

/** How a column of each kind is read; a kind that is missing cannot be read there. */
const READS = {
  text: { text: 'text', number: 'whole', uuid: 'whole' },
  date: { text: 'text', day: 'day', time: 'time' },
  minor: { number: 'minor' },
} as const

const useOf = (name: Column): Use =>
  isMinor(name)
    ? 'minor'
    : isAmount(name)
      ? 'amount'
      : name === 'date' || EXTRA_DAYS.includes(name)
        ? 'date'
        : 'text'

/** The types that a column may have, for people. */
const TYPES: Readonly<Record<Use, string>> = {
  text: 'text or whole numbers',
  date: 'DATE, TIMESTAMP without a time zone, or text',
  amount: 'DECIMAL, such as DECIMAL(18, 2)',
  minor: 'BIGINT or INTEGER',
}

/** Larger decimals do not fit the exact arithmetic of 38 digits. */
const MOST_DECIMALS = 18

function readingOf(name: Column, { column, folder }: Place): ParquetValue | null {
  if (column === undefined) return useOf(name) === 'text' || useOf(name) === 'date' ? { folder } : null
  const { kind, scale } = column
  const use = useOf(name)
  if (use === 'amount')
    return kind === 'decimal' && scale <= MOST_DECIMALS
      ? { column: column.name, read: 'decimal', scale }
      : null
  const isWhole = use === 'text' && kind === 'decimal' && scale === 0
  const reads: Partial<Record<ParquetColumn['kind'], 'text' | 'whole' | 'day' | 'time' | 'minor'>> =
    READS[use]
  const read = isWhole ? 'whole' : reads[kind]
  return read === undefined ? null : { column: column.name, read }
}

function typeFindings(file: string, name: Column, place: Place): Finding[] {
  if (readingOf(name, place) !== null) return []
  const use = useOf(name)
  const type = place.column?.type ?? 'the name of a folder'
  return [
    error('column-type', `is ${type}, where ${TYPES[use]} is needed${reasonOf(use, place)}`, {
      file,
      column: place.name,
      remedy: remedyOf(name, place),
    }),
  ]
}

/** What DuckDB reads and an engine does not: UUIDs, and dates as text in another form than ISO. */
function engineFindings(
  file: string,
  name: Column,
  { column, name: own }: Place,
  setting: LedgerSetting,
): Finding[] {
  const isText = useOf(name) === 'date' && (column === undefined || column.kind === 'text')
  const isForeign = isText && (setting.dateFormat ?? ISO_DATE) !== ISO_DATE
  if (column?.kind !== 'uuid' && !isForeign) return []
  return [
    error(
      'column-type',
      `is ${column?.type ?? 'the name of a folder'}, which is not read with "engine: ${setting.engine}"`,
      {
        file,
        column: own,
        remedy: isForeign
          ? `write the day: CAST(… AS DATE) AS ${own}`
          : `write the text of it: CAST(${own} AS VARCHAR)`,
      },
    ),
  ]
}

/** Why a type is refused, where that is not plain. */
function reasonOf(use: Use, { column }: Place): string {
  if (use === 'amount' && /^(DOUBLE|FLOAT)/.test(column?.type ?? ''))
    return ': binary floating point holds most amounts, such as 0.10, only nearly'
  if (use === 'amount' && column?.kind === 'number')
    return ': a whole number does not say whether it counts whole units or cents'
  if (use === 'date' && column?.type.includes('TIMESTAMP'))
    return ': on which day an instant lies depends on the time zone'
  return ''
}

function remedyOf(name: Column, { name: own, column }: Place): string {
  const use = useOf(name)
  if (use === 'amount' && column?.kind === 'number')
    return `if it counts minor units (cents), map it: columns: { ${name}_minor: ${own} }; else write it as DECIMAL: CAST(${own} AS DECIMAL(18, 2))`
  if (use === 'amount') return `write it from the exact source: CAST(… AS DECIMAL(18, 2)) AS ${own}`
  if (use === 'date') return `write the day: CAST(${own} AS DATE), in the time zone of the books`
  return `write the column as ${TYPES[use]}`
}

/** Reports a column whose name another column has in other capitals: engines do not tell the two apart. */
function twins(file: string, { column }: Place, columns: readonly ParquetColumn[]): Finding[] {
  if (column === undefined) return []
  const alike = columns.filter(({ name }) => isSame(name, column.name))
  if (alike.length < 2) return []
  return [
    error(
      'duplicate-column',
      `${alike.map(({ name }) => `"${name}"`).join(' and ')} differ only in capitals`,
      {
        file,
        column: column.name,
        remedy: 'keep one of these columns, or rename the others',
      },
    ),
  ]
}

/**
 * Errors for columns that some Parquet files of a ledger entry have and others lack: rows of the others would count without a
 * class, for example, and nobody would notice. There is one finding for each column.
 */
export function columnsThatDiffer(inputs: readonly LedgerInput[]): Finding[] {
  const files = inputs.filter((input) => input.kind === 'parquet')
  return LEDGER_COLUMNS.filter((column) => !AMOUNTS.includes(column)).flatMap((column) => {
    if (isExtra(column)) return []
    const having = files.find(({ columns }) => columns[column] !== undefined)
    const lacking = files.filter(({ columns }) => columns[column] === undefined)
    const [first] = lacking
    if (having === undefined || first === undefined) return []
    const which = lacking.length === 1 ? 'it has' : `it and ${lacking.length - 1} more have`
    return [
      error('columns-differ', `${which} no column "${column}", which ${having.file} has`, {
        file: first.file,
        column,
        remedy:
          'write all files with the same columns (empty ones where there is no value), or give these files an entry of their own under "ledger"',
      }),
    ]
  })
}
