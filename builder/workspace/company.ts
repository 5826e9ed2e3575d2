/** Defines the schema of `datasets/<company-id>/company.yaml`: what a company is and where its sources are. */
import { z } from 'zod'
import { isCalendarDate } from '../contract/calendar.ts'
import { isCurrency } from '../contract/currency.ts'
import {
  ACCOUNT_TYPES,
  type AccountType,
  CASH_FLOW_CATEGORIES,
  type CashFlowCategory,
  CLASSIFICATIONS,
  type Classification,
} from '../contract/vocabulary.ts'
import { LEDGER_ENGINES } from './engines.ts'
import { eliminationsIn, groupSchema, mustHave, NOT_BESIDE_GROUP } from './group.ts'
import { presentationKeys } from './presentation.ts'
import { COMPANY_ID, text } from './setting-types.ts'
import { isTableAddress, parseTableAddress, TABLE_FORM } from './table-address.ts'

/** Ids and account numbers are text, also where YAML reads a number. */
const idText = z.union([text, z.number().int().transform(String)])
const date = text
  .regex(/^\d{4}-\d{2}-\d{2}$/, 'must be a date, YYYY-MM-DD')
  .refine(isCalendarDate, 'is not a valid date')
  .refine((value) => /^(19|2[01])/.test(value), 'must lie between 1900 and 2199')
const dimensionTarget = z.enum(['class', 'department', 'none'])
const amount = z.union([
  z
    .number()
    .refine((value) => Number.isSafeInteger(value * 1e4) || /^-?\d+(\.\d+)?$/.test(String(value)))
    .transform(String),
  text.regex(/^-?\d+(\.\d+)?$/, 'must be an amount such as 1234.50'),
])

/** Whether a text is a name of the IANA time zone list. Offsets such as +02:00 are refused, because they ignore daylight saving time. */
function isTimeZone(value: string): boolean {
  try {
    return /^[A-Z]/i.test(value) && new Intl.DateTimeFormat('en', { timeZone: value }) !== null
  } catch {
    return false
  }
}

/** How a table is read. Every key is optional; the comment states the default. */
const tableOptions = {
  columns: z.record(z.string(), idText).optional(), // canonical column → header in the file
  sheet: z.union([idText, z.array(idText)]).optional(), // XLSX: all sheets
  delimiter: z.enum([',', ';', '\t', '|']).optional(), // detected
  encoding: z
    .enum([
      'utf-8',
      'iso-8859-1',
      'iso-8859-15',
      'windows-1252',
      'cp437',
      'macintosh',
      'utf-16le',
      'utf-16be',
    ])
    .optional(), // detected
  dateFormat: text.optional(), // YYYY-MM-DD
  decimal: z.enum(['.', ',']).optional(), // .
  thousands: z.enum(['', ',', '.', ' ', "'"]).optional(), // none
}
/** What the rows of a table are, where a column says it that is not read. */
const cellText = z.union([idText, z.literal('')])
const values = z.record(z.string(), z.union([cellText, z.array(cellText)]))
const rowOptions = {
  skip: values.optional(), // header → values of rows that are left out
  count: values.optional(), // header → values of rows that count; another value is asked
  ignore: z.union([idText, z.array(idText)]).optional(), // columns, titles and sheets that change nothing
}
const table = z.union([
  text.transform((files) => ({ files })),
  z.strictObject({ files: text, ...tableOptions }),
])
export type TableOptions = {
  readonly [key in keyof typeof tableOptions]?: z.output<(typeof tableOptions)[key]>
}

/** Ledger formats with a parser of their own; all other files are tables. */
const LEDGER_FORMATS = [
  'sie',
  'fec',
  'saft',
  'plain-text',
  'ads',
  'quickbooks',
  'xero',
  'odoo',
  'erpnext',
  'netsuite',
  'gnucash',
  'business-central',
  'sage50',
] as const
export type LedgerFormat = (typeof LEDGER_FORMATS)[number]

const ledgerEntry = z
  .strictObject({
    files: text,
    engine: z.enum(LEDGER_ENGINES, { error: `must be ${LEDGER_ENGINES.join(' or ')}` }).optional(), // DuckDB, inside the program
    format: z.enum(['csv', 'xlsx', 'parquet', ...LEDGER_FORMATS]).optional(), // by content
    basis: z.enum(['accrual', 'cash'], { error: 'must be "accrual" or "cash"' }).optional(), // accrual, unless the file has a basis column
    priorYear: z.enum(['psaldo', 'none']).optional(), // SIE: none
    ...tableOptions,
    ...rowOptions,
  })
  .refine(({ files }) => !isTableAddress(files) || parseTableAddress(files) !== null, {
    path: ['files'],
    error: TABLE_FORM,
  })
  .refine(({ files, engine }) => !isTableAddress(files) || engine !== undefined, {
    path: ['engine'],
    error: 'must be spark: only an engine on a cluster reads a table in a bucket',
  })
/** The files of a table in a lake are named by `table`. */
const ledger = z.preprocess((entry) => {
  if (typeof entry !== 'object' || entry === null || !('table' in entry) || 'files' in entry) return entry
  const { table, ...others } = entry
  return { files: table, ...others }
}, ledgerEntry)

/**
 * The classification of an account that is in no statement: it is off the balance sheet, or statistical. People write it as its
 * classification; inside the program it is its type. It is not among the types of the interface, where such accounts do not appear.
 */
export const NOT_IN_STATEMENTS = 'NotInStatements' as const

const KINDS = [...CLASSIFICATIONS, NOT_IN_STATEMENTS] as const
const accountAsWritten = z.strictObject({
  classification: z.enum(KINDS, { error: `must be one of ${KINDS.join(', ')}` }),
  type: z
    .enum(Object.keys(ACCOUNT_TYPES) as [keyof typeof ACCOUNT_TYPES], {
      error: `must be one of ${Object.keys(ACCOUNT_TYPES).join(', ')}`,
    })
    .optional(),
  cashFlow: z.enum(CASH_FLOW_CATEGORIES).optional(),
})
interface StatedAccount {
  readonly classification: Classification
  readonly type?: AccountType | typeof NOT_IN_STATEMENTS | undefined
  readonly cashFlow?: CashFlowCategory | undefined
}
const account = accountAsWritten.transform(
  ({ classification, ...more }): StatedAccount =>
    classification === NOT_IN_STATEMENTS
      ? { classification: 'Asset', type: NOT_IN_STATEMENTS }
      : { classification, ...more },
)

const aggregation = z.enum(['sum', 'average', 'last', 'min', 'max'], {
  error: 'must be one of sum, average, last, min, max',
})

/** Keys that may stay blank: a build warns of them. */
export const MAY_WAIT: ReadonlySet<string> = new Set(['opening'])

/** What marks opening balances. */
const opening = z.strictObject({
  files: z.array(text).optional(),
  references: z.array(idText).optional(),
  journals: z.array(idText).optional(),
  types: z.array(idText).optional(),
  transactions: z.array(idText).optional(),
  priorYearsNotClosed: amount.optional(),
})
type Opening = z.output<typeof opening> & { readonly none?: true }
const noOpening = z.literal('none', { error: 'must be none, or a map of what marks the opening balances' })

/** The units in which a sheet may state its figures. */
export const SCALES = [1, 1000, 1_000_000] as const
export type Scale = (typeof SCALES)[number]
const scale = z.literal(SCALES, { error: 'must be 1, 1000 or 1000000' })

/** Figures of parent accounts, classes and departments are their own, no sums of rows beside them. */
const parents = z.literal('own', { error: 'must be own' })

/** Figures are stated since the beginning of the fiscal year. */
const cumulative = z.literal('cumulative', { error: 'must be cumulative' })

/** The sign conventions of budgets; ingest/tables/budgets/amounts.ts says which figures each of them reverses. */
const BUDGET_SIGNS = ['natural', 'costs-negative', 'debit-positive', 'credit-positive'] as const
export const BUDGET_EQUITY = ['with-result', 'without-result'] as const
export type BudgetEquity = (typeof BUDGET_EQUITY)[number]
export type BudgetSign = (typeof BUDGET_SIGNS)[number]

export const companyId = text.regex(
  COMPANY_ID,
  'must be 1 to 64 lower-case letters, digits, "-" or "_", and begin with a letter or digit',
)

/** Whether FY2025 is the fiscal year that ends in 2025, or the one that begins in it. */
const FISCAL_YEAR_NAMES = ['end', 'start'] as const
export type FiscalYearName = (typeof FISCAL_YEAR_NAMES)[number]

const companyObject = z.strictObject({
  id: companyId,
  name: text,
  fiscalMonthEnd: z.preprocess(
    (value) => (typeof value === 'string' && /^0[1-9]$/.test(value) ? Number(value) : value), // `06`
    z
      .number({ error: 'must be a month number, 1 to 12' })
      .int('must be a whole month number')
      .min(1, 'must be 1 to 12')
      .max(12, 'must be 1 to 12'),
  ),
  fiscalYearName: z
    .enum(FISCAL_YEAR_NAMES, { error: `must be one of ${FISCAL_YEAR_NAMES.join(', ')}` })
    .optional(), // end
  currency: text.refine(isCurrency, 'must be an ISO 4217 code such as USD, EUR or SEK'),
  chartOfAccounts: table.optional(),
  /** Kinds of accounts, for formats whose chart lacks them (SIE). `tieout add` proposes them. */
  accounts: z.record(z.string(), account).optional(),
  classes: table.optional(),
  departments: table.optional(),
  ledger: z.array(ledger, { error: 'must be a list of files' }).min(1, 'needs at least one entry').optional(),
  /** Stands in the place of `ledger`: the books are those of other companies, taken together. */
  group: groupSchema.optional(),
  budgets: z
    .array(
      z.strictObject({
        id: idText,
        name: text,
        files: text,
        ...tableOptions,
        ...rowOptions,
        scale: scale.optional(), // what the sheet says, else 1
        parents: parents.optional(), // asked where they are not sums
        figures: cumulative.optional(), // each is of its own period
        sign: z.enum(BUDGET_SIGNS, { error: `must be one of ${BUDGET_SIGNS.join(', ')}` }).optional(), // natural
        equity: z.enum(BUDGET_EQUITY, { error: `must be one of ${BUDGET_EQUITY.join(', ')}` }).optional(), // no cash flow
        resultAccount: idText.optional(), // the only one of equity, else of the type RetainedEarnings
      }),
    )
    .optional(),
  metrics: z
    .array(
      z.strictObject({
        files: text,
        ...tableOptions,
        ...rowOptions,
        scale: scale.optional(),
        parents: parents.optional(),
        figures: cumulative.optional(),
      }),
    )
    .optional(),
  /** Trial balances of the company's own program, with which the books must agree account by account. */
  trialBalance: z
    .array(
      z.strictObject({
        files: text,
        date: date.optional(), // by a column, the title above the header, or the file's name
        basis: z.enum(['accrual', 'cash'], { error: 'must be "accrual" or "cash"' }).optional(), // accrual
        ...tableOptions,
      }),
    )
    .optional(),
  nonFinancial: z
    .array(z.strictObject({ id: idText, name: text, unit: z.string().optional(), aggregation }))
    .optional(),
  fiscalYears: z
    .array(
      z
        .strictObject({ start: date, end: date })
        .refine((year) => year.start < year.end, 'ends before it starts'),
    )
    .optional(),
  opening: z
    .union([
      opening.transform((marks): Opening => marks),
      noOpening.transform((): Opening => ({ none: true })),
    ])
    .optional(),
  closing: z
    .strictObject({
      accounts: z.array(idText).optional(),
      references: z.array(idText).optional(),
      journals: z.array(idText).optional(),
      types: z.array(idText).optional(),
      transactions: z.array(idText).optional(),
      commentary: z.literal('required', { error: 'must be required' }).optional(),
    })
    .optional(),
  cashFlow: z.record(z.string(), z.enum(CASH_FLOW_CATEGORIES)).optional(),
  /** Liabilities that are overdrafts: financing, but cash where an entry pays by them. */
  overdrafts: z.array(idText).optional(),
  disposals: z.strictObject({ gainsAndLosses: z.array(idText) }).optional(),
  dimensions: z.record(z.string(), dimensionTarget).optional(),
  cashBasis: z
    .strictObject({
      derive: z.enum(['auto', 'never']).optional(),
      maxUnlinked: z.union([z.number(), text]).optional(),
    })
    .optional(),
  /** Entries may be out of balance by the tolerance; each difference is booked to the account. */
  rounding: z
    .strictObject({
      tolerance: amount.refine(
        (value) => Number(value) > 0 && Number(value) <= 1,
        'must be more than 0, and 1 at most',
      ),
      account: idText,
    })
    .optional(), // every entry balances
  /** What periods of adjustments are called in exports, and the month or closing period that they are. */
  adjustmentPeriods: z
    .record(
      text,
      z
        .string()
        .regex(
          /^\d{4}-(0[1-9]|1[0-6])$/,
          'must be a month, 2024-12, or a closing period, 2024-13 to 2024-16',
        ),
    )
    .optional(), // none
  lockDate: date.optional(),
  ...presentationKeys,
  answered: z.record(z.string(), text).optional(), // question of `tieout add` → who answered it, and when
  /** The time zone that decides what "today" is; entries dated later are reported. */
  timeZone: text.refine(isTimeZone, 'must be the name of a time zone such as Europe/Stockholm').optional(), // the machine's
})
type Written = z.output<typeof companyObject>
export const companySchema = companyObject
  .refine(...mustHave('ledger', ({ ledger, group }: Written) => ledger ?? group))
  .refine(...mustHave('chartOfAccounts', ({ chartOfAccounts, group }: Written) => chartOfAccounts ?? !group))
  .refine(({ ledger, group }) => !(ledger && group), { path: ['ledger'], error: NOT_BESIDE_GROUP })
  .transform(({ ledger: files, ...company }) => {
    const ledger: z.output<typeof ledgerEntry>[] = files ?? eliminationsIn(company.group)
    return { ...company, ledger }
  })
export type Company = z.output<typeof companySchema>
export type LedgerSetting = Company['ledger'][number]
export type TableSetting = { readonly files: string } & TableOptions
export type BudgetSetting = NonNullable<Company['budgets']>[number]
export type MetricSetting = NonNullable<Company['metrics']>[number]

const unfinishedMap = z.record(z.string(), z.unknown()).nullish()
const unfinishedList = z
  .array(z.looseObject({ files: z.string().optional() }), {
    error: 'must be a list, each of its entries on a line that begins with "-"',
  })
  .nullish()
const unfinishedTable = z.union([
  z.string({ error: 'must name a file, or be a map with "files"' }),
  z.looseObject({ files: z.string() }),
])

/**
 * The keys that `tieout add` reads and extends, in a company.yaml that may still have blanks. Only lists and maps are checked; the
 * build reports mistakes inside them.
 */
export const extensibleSchema = z.looseObject({
  chartOfAccounts: unfinishedTable.nullish(),
  classes: unfinishedTable.nullish(),
  departments: unfinishedTable.nullish(),
  accounts: unfinishedMap,
  dimensions: unfinishedMap,
  cashFlow: unfinishedMap,
  ledger: unfinishedList,
  trialBalance: unfinishedList,
  budgets: unfinishedList,
  metrics: unfinishedList,
  nonFinancial: unfinishedList,
  fiscalYears: unfinishedList,
})

/** The file that the value of `chartOfAccounts`, `classes` or `departments` names; null if the key is absent. */
export function namedFile(value: unknown): string | null {
  const named = unfinishedTable.safeParse(value).data ?? null
  return typeof named === 'string' ? named : (named?.files ?? null)
}

/** The valid entries of `ledger` in a company.yaml that may be unfinished. The build reports the others. */
export const readLedgerSettings = (entries: readonly unknown[]): readonly LedgerSetting[] =>
  entries.flatMap((entry) => ledger.safeParse(entry).data ?? [])

/** The setting of a table such as `chartOfAccounts`; null if it is not valid. */
export const readTableSetting = (value: unknown): TableSetting | null => table.safeParse(value).data ?? null

export function readDimensions(value: unknown): Company['dimensions'] {
  const entries = Object.entries(z.record(z.string(), z.unknown()).safeParse(value).data ?? {})
  return Object.fromEntries(
    entries.flatMap(([id, target]) => {
      const read = dimensionTarget.safeParse(target)
      return read.success ? [[id, read.data]] : []
    }),
  )
}
