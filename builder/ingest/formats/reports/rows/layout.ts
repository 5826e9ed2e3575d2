/**
 * Where things stand in an accounting program's report: rows of title above the header, the header, and which column is
 * which. What is peculiar to a program is data: a {@link ReportFamily}.
 */
import { isCurrency } from '../../../../contract/currency.ts'
import type { LedgerFormat } from '../../../../workspace/company.ts'
import type { Answers } from '../../../claims/claims.ts'
import { plainWords } from '../../../claims/vocabulary.ts'
import type { AccountKind } from '../../../format/account-kinds.ts'
import type { Shared } from '../../../format/entry-names.ts'
import type { FilePreview } from '../../../format/preview.ts'
import { DELIMITERS, TITLE_ROWS } from '../../../text/csv.ts'
import type { Cells } from '../../../text/delimited.ts'

export const ROLES = [
  'id',
  'date',
  'type',
  'num',
  'name',
  'memo',
  'account',
  'code',
  'accountType',
  'detailType',
  'debit',
  'credit',
  'amount',
  'balance',
  'split',
  'line',
  'period',
  'currency',
  'accountCurrency',
  'dueDate',
  'enteredOn',
  'enteredBy',
] as const
export type Role = (typeof ROLES)[number]
export type Positions = { readonly [role in Role]?: number }

/** ledger: by account, a section each or a column; journal: entry by entry; chart: the list of accounts. */
export type ReportKind = 'ledger' | 'journal' | 'chart'
/** How a journal shows where an entry ends; none: a journal or ledger that shows no entries at all. */
export type EntryForm = 'numbered' | 'continued' | 'totalled' | 'none'
export type Target = 'class' | 'department'

/** A column of classes, departments or the like; its id is what `dimensions` in company.yaml calls it. */
export interface Dimension {
  readonly id: string
  readonly at: number
  /** What it is unless company.yaml says otherwise. */
  readonly target: Target | 'none'
}

export type Mark = 'opening' | 'change' | 'closing' | 'total' | 'grand' | 'nothing'

export interface RowMarks {
  /** Columns in which a mark may stand, beside the first ones. */
  readonly at: readonly Role[]
  /** The first match counts. */
  readonly words: readonly (readonly [RegExp, Mark])[]
  /** Accounts have a row of their own. Some programs write an account's totals into it already. */
  readonly headings: 'none' | 'plain' | 'totals'
  /** Headings may stand inside others, for sub-accounts. */
  readonly isNested?: boolean
  /** Openings and totals name no account and belong to the lines between them; the first opening is that of the whole report. */
  readonly isGrouped?: boolean
  /** What the program writes below the last line of every account; null where it writes nothing. */
  readonly ends: 'total' | 'closing' | null
  /** What the program writes below all accounts, always. */
  readonly hasGrand?: boolean
  /** Debits and credits of totals include those of the opening. */
  readonly totalsWithOpening?: boolean
}

/** Lines that do not count by one column, as plain data. */
export interface LeftOut {
  readonly at: number
  /** Values of lines that do not count, as {@link plainWords}. */
  readonly values: readonly string[]
  /** The same as written, where values have a form. */
  readonly pattern: RegExp | null
}

export interface Layout {
  readonly kind: ReportKind
  readonly at: Positions
  readonly dimensions: readonly Dimension[]
  readonly header: Cells
  readonly headerRow: number
  /** Position of the first header that is not blank: labels of sections and totals stand there or to its left. */
  readonly firstNamed: number
  /** What stands above the header: firm, title, period, basis. */
  readonly titles: readonly string[]
  /** How the program marks its rows; null: by the words of QuickBooks and Xero. */
  readonly marks: RowMarks | null
  /** Fills in what a program leaves out of a row or writes in another form: a new reader of rows, in order, for each walk. */
  readonly plainRows: ((layout: Layout) => (cells: Cells) => Cells) | null
  /** Accounts stand beside each other, never one inside another. */
  readonly isFlat: boolean
  /** Positions of columns that nobody reads. */
  readonly unread: readonly number[]
  /** Lines that do not count. */
  readonly leftOut: readonly LeftOut[]
  /** A column beside debit and credit that repeats their difference on each line. */
  readonly repeated: number | undefined
}

/** A sheet, or a text under one delimiter. */
export interface Report {
  readonly sheet: string | null
  readonly delimiter: string | null
  readonly layout: Layout
}

export interface NeverCounts extends Partial<Omit<LeftOut, 'at'>> {
  /** A role, or headers in plain form. */
  readonly of: Role | readonly string[]
}

/** How a program writes an account: a number, where it has one, and its name. */
export interface AccountLabel {
  readonly number: string
  readonly name: string
  /** Of this label for sure; else it may be that of the last of several names behind it. */
  readonly isOwn?: true
}

export interface TypedAccount extends AccountLabel {
  /** With the names of its parents, where the program writes them. */
  readonly id?: string
  readonly type: string
  readonly detailType: string
}

export type Kind = Omit<AccountKind, 'by'> & { readonly doubt: string | null }

export interface ReportFamily {
  readonly id: LedgerFormat
  readonly name: string
  readonly knownBy: string
  /** Role → headers in plain form; the first that is there counts. */
  readonly headers: { readonly [role in Role]?: readonly string[] }
  /** The columns of dimensions, by headers in plain form. */
  readonly dimensions?: (headers: readonly { readonly text: string; readonly at: number }[]) => Dimension[]
  /** Titles, the first match counts. */
  readonly titles?: readonly (readonly [RegExp, ReportKind])[]
  /** Null where the header is that of another program. */
  readonly kindOf: (at: Positions, header: Cells, titled: ReportKind | null) => ReportKind | null
  /** Whether amounts and balances without sides have the sign of the account's own side, where the file does not tell; if absent, they are debit positive. */
  readonly hasNaturalSigns?: (layout: Layout) => boolean
  /** What the lines of one entry share where they carry no number of it, from fine to coarse; the date always. */
  readonly grouping: readonly [finest: readonly Shared[], ...coarser: (readonly Shared[])[]]
  /** Whether the program always writes a total, or basis and time, below a report that has totals. */
  readonly alwaysEnds?: (layout: Layout) => boolean
  /** Between a parent account and its child; null where the program does not write parents. */
  readonly separator: string | null
  /** Absent where a label is the name alone. */
  readonly parseLabel?: (label: string) => AccountLabel
  /** What the program writes behind the name of a deleted account. */
  readonly deleted?: RegExp
  /** By the program's own words for it; null where the kind is not known by them. */
  readonly accountKind: (account: TypedAccount) => Kind | null
  /** The export that states the kinds of accounts, where reports do not. */
  readonly chartHint: string
  /** Which reports bring balances forward. */
  readonly openingsHint: string
  readonly marks?: RowMarks
  /** What the program's documentation says never counts: values of a column, by its headers or its role. */
  readonly neverCounts?: readonly NeverCounts[]
  /** Headers, in plain form, of columns that the program explains: they change nothing. */
  readonly explained?: readonly string[]
  readonly plainRows?: (layout: Layout) => (cells: Cells) => Cells
  /** Columns that no header names, or that are added by {@link plainRows}. */
  readonly placed?: (at: Positions, header: Cells) => Positions
  /** The basis of every report; absent where the report or company.yaml states it. */
  readonly basis?: 'accrual'
  /** Lists of entries have no last row that would show that they are whole. */
  readonly ends?: 'never'
  /** Types of lines that are closing entries. */
  readonly closingTypes?: readonly string[]
  /** Columns that change nothing, by the program's documentation, whatever they hold. */
  readonly harmless?: readonly string[]
  /** In a list of entries, the column beside debit and credit that repeats their difference. */
  readonly repeated?: Role
}

/** Headers are the same whatever their capitals and blanks, the mark of a required column, and a currency behind a figure. */
export const plainHeader = (text: string): string =>
  text
    .replace(/^\*/, '')
    .trim()
    .toLowerCase()
    .replace(/\s+/g, ' ')
    .replace(/^(debit|credit|amount|balance|net|gross|running balance) [([]?[a-z]{3}[)\]]?$/, '$1')

/** Currencies that headers of figures state, such as `Debit (USD)` or `Credit USD`. */
export const currenciesIn = (header: Cells): readonly string[] =>
  header.flatMap((text) => {
    const code = /^(?:debit|credit|amount|balance) [([]?([a-z]{3})[)\]]?$/i
      .exec(text.trim())?.[1]
      ?.toUpperCase()
    return code !== undefined && isCurrency(code) ? [code] : []
  })

function positionsOf(header: readonly string[], headers: ReportFamily['headers']): Positions {
  const at: { [role in Role]?: number } = {}
  const taken = new Set<number>()
  for (const role of ROLES)
    for (const wanted of headers[role] ?? []) {
      const found = header.findIndex((text, i) => text === wanted && !taken.has(i))
      if (found === -1) continue
      at[role] = found
      taken.add(found)
      break
    }
  // In a list of accounts the only type is that of the account.
  if (at.date !== undefined || at.accountType !== undefined || at.type === undefined) return at
  const { type, ...others } = at
  return { ...others, accountType: type }
}

interface NumberedRow {
  readonly row: number
  readonly cells: Cells
}

type Skip = Answers['skip']

/** What company.yaml leaves out beside what the program never counts. */
function leftOutOf(header: readonly string[], at: Positions, family: ReportFamily, skip: Skip): LeftOut[] {
  const never = (family.neverCounts ?? []).flatMap(({ of, values = [], pattern = null }) => {
    const found = typeof of === 'string' ? at[of] : header.findIndex((text) => of.includes(text))
    return found === undefined || found === -1 ? [] : [{ at: found, values, pattern }]
  })
  const said = Object.entries(skip ?? {}).flatMap(([name, stated]) => {
    const found = header.indexOf(plainHeader(name))
    return found === -1 ? [] : [{ at: found, values: [stated].flat().map(plainWords), pattern: null }]
  })
  return [...never, ...said]
}

function layoutOf(rows: readonly NumberedRow[], family: ReportFamily, skip: Skip): Layout | null {
  const titles: string[] = []
  let titled: ReportKind | null = null
  for (const { row, cells } of rows) {
    const header = cells.map(plainHeader)
    const named = positionsOf(header, family.headers)
    const at = family.placed?.(named, header) ?? named
    const kind = family.kindOf(at, header, titled)
    if (kind !== null) {
      const taken = new Set(Object.values(at))
      const others = header.flatMap((text, i) => (text === '' || taken.has(i) ? [] : [{ text, at: i }]))
      const dimensions = (family.dimensions?.(others) ?? []).map((each) => ({
        ...each,
        id: cells[each.at] ?? each.id,
      }))
      return {
        kind,
        at,
        dimensions,
        header: cells,
        headerRow: row,
        firstNamed: header.findIndex((text) => text !== ''),
        titles,
        marks: kind === 'ledger' ? (family.marks ?? null) : null,
        plainRows: kind === 'chart' ? null : (family.plainRows ?? null),
        isFlat: family.separator === null,
        unread: others.flatMap(({ text, at: i }) =>
          dimensions.some((each) => each.at === i) || family.explained?.includes(text) ? [] : [i],
        ),
        leftOut: kind === 'chart' ? [] : leftOutOf(header, at, family, skip),
        repeated: kind === 'journal' && family.repeated !== undefined ? at[family.repeated] : undefined,
      }
    }
    for (const title of cells) {
      if (title === '') continue
      titles.push(title)
      titled ??= family.titles?.find(([pattern]) => pattern.test(title))?.[1] ?? null
    }
  }
  return null
}

/** Every report of a family in a file: one in a text, one on each sheet of a workbook that holds one. */
export function reportsIn(look: FilePreview, family: ReportFamily, skip?: Skip): readonly Report[] {
  if (look.workbook !== null)
    return look.workbook.sheets.flatMap(({ name, rows }) => {
      const layout = layoutOf(rows.slice(0, TITLE_ROWS + 1), family, skip)
      return layout === null ? [] : [{ sheet: name, delimiter: null, layout }]
    })
  for (const { delimiter, rows } of look.samples(TITLE_ROWS + 1)) {
    const numbered = rows.map((cells, i) => ({
      row: i + 1,
      cells: cells.map((cell, at) => (i === 0 && at === 0 ? cell.replace(/^\ufeff/, '') : cell).trim()),
    }))
    const layout = layoutOf(numbered, family, skip)
    if (layout !== null) return [{ sheet: null, delimiter: delimiter ?? DELIMITERS[0], layout }]
  }
  return []
}
