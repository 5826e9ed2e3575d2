/**
 * Lists the rules by which this version gives other figures from the same sources than an earlier one. A
 * manifest states how many rules it was made under. Where only the program differs, the guard over closed
 * months names the newer rules and offers them as the reason.
 *
 * To add a rule, append it to the list: the version that introduces it (that of package.json), one sentence
 * without a full stop that an accountant understands, and the formats that it concerns, as manifests name
 * them (`csv`, `xlsx`, `sie`, …), unless it concerns all. Use no quotation marks, dollar signs, backquotes or
 * exclamation marks, since the sentence is copied into a command. Never change, move or remove a released
 * rule: its position is its number.
 */
import { MEMBER_FORMAT } from '../files/input-state.ts'

export interface RuleChange {
  readonly since: string
  readonly says: string
  readonly formats?: readonly string[]
}

const AGGREGATION =
  'A metric whose days become a month in another way is stated differently in closed months, as under another unit'

const BY_ENTRY =
  'A translated entry of a group balances by itself, and what rounding leaves of the month of an account is an entry of that month'

export const RULES: readonly RuleChange[] = [
  {
    since: '0.2.0',
    says: 'The result of a year that a program moves without an entry is dated on the first day of the new year',
  },
  {
    since: '0.2.0',
    says: 'A budget that a SIE file states under two years counts once, in the months that it names',
    formats: ['sie'],
  },
  {
    since: '0.2.0',
    says: 'Years of two digits are 1969 to 2068 in every file; workbooks, column maps and budgets took 99 for 2099',
  },
  {
    since: '0.2.0',
    says: 'Brackets in a formula are no sign: =(5.00) is 5.00, not -5.00',
    formats: ['quickbooks', 'xero'],
  },
  {
    since: '0.2.0',
    says: 'The row of a parent account in a report is the sum of its sub-accounts, no opening of its own',
    formats: ['quickbooks', 'xero'],
  },
  {
    since: '0.2.0',
    says: 'An account that later exports call otherwise is the same account by its number',
    formats: ['quickbooks', 'xero'],
  },
  {
    since: '0.2.0',
    says: 'Detailed openings of a FEC, dated as their invoices, belong to the first day of the year',
    formats: ['fec'],
  },
  {
    since: '0.2.0',
    says: 'All SIE accounts from 8990 to 8999 close the year, not 8999 alone',
    formats: ['sie'],
  },
  {
    since: '0.2.0',
    says: 'Whatever figure a SIE file states twice counts once, openings too',
    formats: ['sie'],
  },
  {
    since: '0.2.0',
    says: 'In SIE, an object of a sub-dimension that a voucher names under the dimension above it is one member',
    formats: ['sie'],
  },
  {
    since: '0.2.0',
    says: 'Budgets are multiplied by the scale that their sheet states, such as thousands',
    formats: ['csv', 'xlsx'],
  },
  {
    since: '0.2.0',
    says: 'Totals in a budget sheet, by quarter, half-year or section, and lines that are no account do not count',
    formats: ['csv', 'xlsx'],
  },
  {
    since: '0.2.0',
    says: 'A header that stands again inside a plain-text export is no entry',
    formats: ['plain-text'],
  },
  {
    since: '0.2.0',
    says: 'General ledgers of this program are read as such, with their openings, not as a report of Xero or a table',
    formats: ['odoo', 'erpnext', 'netsuite', 'gnucash', 'business-central', 'sage50'],
  },
  {
    since: '0.2.0',
    says: 'On the derived cash basis, cash inside a document beyond what it comes to is owed, and paying it back is no income or cost',
    formats: ['csv', 'xlsx', 'fec'],
  },
  {
    since: '1.0.0',
    says: 'A sub-account without a number is an account of its own, not that of the number of its parent',
    formats: ['quickbooks', 'netsuite'],
  },
  {
    since: '1.0.0',
    says: 'An account that was deleted in the program is the account of its name, not another one',
    formats: ['quickbooks'],
  },
  {
    since: '1.0.0',
    says: 'The budget of a balance sheet account in SIE is the change of the month, and its balance the opening and all changes since',
    formats: ['sie'],
  },
  {
    since: '1.0.0',
    says: 'Entries of the last day of a fiscal year that bring all income and expenses to zero against equity close the year, without a mark',
  },
  {
    since: '1.0.0',
    says: 'A day that a spreadsheet made of a typed month and year is the month that was typed, where the sheet of the budget names the year',
    formats: ['xlsx'],
  },
  {
    since: '1.0.0',
    says: 'In budgets and metrics, the row of a parent account, class or department that sums up its children does not count beside them',
    formats: ['csv', 'xlsx'],
  },
  {
    since: '1.0.0',
    says: 'In budgets and metrics, a column of locations, regions, cost centres or projects is the department or class that its cells name',
    formats: ['csv', 'xlsx'],
  },
  {
    since: '1.0.0',
    says: 'A duration in a workbook is hours and minutes, and 100 that its format shows as 100k is no 100',
    formats: ['xlsx'],
  },
  {
    since: '1.0.0',
    says: 'The total of an earlier year beside the months of a budget is not spread over that year',
    formats: ['csv', 'xlsx'],
  },
  {
    since: '1.0.0',
    says: 'Drafts, estimates, orders and lines that the program marks as not posted do not count',
    formats: ['quickbooks', 'netsuite', 'odoo'],
  },
  {
    since: '1.0.0',
    says: 'A percentage such as 71.6% of a metric whose unit says percent is 71.6, not 0.716',
    formats: ['csv', 'xlsx'],
  },
  {
    since: '1.0.0',
    says: AGGREGATION,
    formats: ['csv', 'xlsx'],
  },
  {
    since: '1.0.0',
    says: 'On the derived cash basis, money is unapplied until its document is there, also where it names none, and what is paid back takes it back',
    formats: ['csv', 'xlsx', 'fec'],
  },
  {
    since: '2.0.0',
    says: BY_ENTRY,
    formats: [MEMBER_FORMAT],
  },
]

/** Whether a snapshot that was made under `count` rules says which metrics are aggregated in another way than before. */
export const comparesAggregations = (count = 0): boolean =>
  count > RULES.findIndex(({ says }) => says === AGGREGATION)

/** Whether a group that was made under `count` rules has translated entries that balance. */
export const roundsByEntry = (count = 0): boolean => count > RULES.findIndex(({ says }) => says === BY_ENTRY)

/** Returns the rules after the first `count` that concern one of these formats. */
export const rulesAfter = (count: number, formats: ReadonlySet<string>): readonly RuleChange[] =>
  RULES.slice(count).filter((rule) => rule.formats?.some((format) => formats.has(format)) ?? true)
