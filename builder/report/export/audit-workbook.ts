/** Writes what an auditor took from a snapshot as a workbook or a page: a sheet of what was asked and proven, and the rows. */
import { decimalsOf } from '../../books/reference/frame.ts'
import { currencyDecimals } from '../../contract/currency.ts'
import { quoted } from '../../database/database.ts'
import type { Ageing } from '../../inspect/audit/ageing.ts'
import { type Benford, CHI_SQUARED_LIMIT } from '../../inspect/audit/benford.ts'
import type { Bridge, EquityLine } from '../../inspect/audit/bridge.ts'
import { hitsSql, type JournalTests } from '../../inspect/audit/journal-tests.ts'
import type { AuditedLines } from '../../inspect/audit/lines.ts'
import { writeOutput } from '../../system/output.ts'
import { plainDigits, sheetLayout } from './looks.ts'
import { writePage } from './sheet-page.ts'
import { bold, once, tableSheet } from './sheets.ts'
import type { ColumnKind } from './table.ts'
import { type Sheet, writeWorkbook } from './xlsx.ts'
import type { SheetCell } from './xlsx-cells.ts'

const text = (content: string): SheetCell => ({ text: content })
const number = (value: number): SheetCell => ({ number: String(value) })

const HIT_COLUMNS: readonly (readonly [name: string, kind: ColumnKind])[] = [
  ['rule', 'text'],
  ['why', 'text'],
  ['entry', 'text'],
  ['date', 'date'],
  ['account', 'text'],
  ['name', 'text'],
  ['debit', 'money'],
  ['credit', 'money'],
  ['memo', 'text'],
  ['party', 'text'],
  ['file', 'text'],
  ['row', 'integer'],
]

/** Writes the journal tests with all hits. Throws PlaceError where `to` is taken, NoRoomError where there are too many hits. */
export async function writeJournalTests(
  lines: AuditedLines,
  tests: JournalTests,
  to: string,
  software: string,
): Promise<void> {
  const { db, frame } = lines
  const rows = ({ id }: JournalTests['rules'][number]) =>
    `SELECT * FROM (${hitsSql(frame)}) WHERE rule = ${quoted(id)}`
  const decimals = decimalsOf(frame)
  const columns = HIT_COLUMNS.map(([name, kind]) => ({ name, kind }))
  const sheets: Sheet[] = [
    testsSheet(lines, tests, software),
    ...tests.rules
      .filter(({ hits }) => hits > 0)
      .map((rule) => tableSheet(db, rule.id, { name: rule.id, columns, query: rows(rule), decimals })),
    ...(tests.benford.length === 0 ? [] : [benfordSheet(lines, tests.benford)]),
  ]
  await writeSheets(sheets, to)
}

/** Writes a workbook, or a page where `to` ends in .html. Throws PlaceError where it is taken. */
export const writeSheets = (sheets: readonly Sheet[], to: string): Promise<void> =>
  writeOutput(to, 'file', (staged) =>
    to.toLowerCase().endsWith('.html')
      ? writePage(staged, sheets)
      : writeWorkbook(staged, sheets, { longFigures: 0, longTexts: 0 }),
  )

function testsSheet({ frame }: AuditedLines, tests: JournalTests, software: string): Sheet {
  const { population } = tests
  const money = (amount: string): SheetCell => ({
    number: amount,
    style: { format: plainDigits(decimalsOf(frame)) },
  })
  const facts: readonly (readonly [string, SheetCell])[] = [
    ['Company', text(frame.name)],
    ['Days', text(`${tests.startDate} to ${tests.endDate}`)],
    ['Basis', text(`${tests.basis}, ${tests.currency}`)],
    ['Lines', number(population.lines)],
    ['Entries', number(population.entries)],
    ['Debits', money(population.debit)],
    ['Credits', money(population.credit)],
    [
      'Complete',
      text(population.isComplete ? 'debits equal credits, and both are those of the trial balance' : 'NO'),
    ],
    ['Snapshot', text(tests.snapshotId)],
    ['Manifest SHA-256', text(tests.manifestSha256)],
    ['SHA-256 of the hits', text(tests.sha256)],
    ['Made by', text(software)],
  ]
  return {
    name: 'Tests',
    widths: [22, 44, 12, 12, 60, 50],
    frozen: { rows: 0, columns: 0 },
    layout: sheetLayout({
      company: frame.name,
      title: 'Tests of journal entries',
      snapshotId: tests.snapshotId,
    }),
    rows: once([
      [bold('Tests of journal entries')],
      ...facts.map(([name, cell]) => [bold(name), cell]),
      [],
      ['Test', 'What it finds', 'Lines', 'Entries', 'Parameters', 'Left out'].map(bold),
      ...tests.rules.map((rule) => [
        ...[text(rule.id), text(rule.title), number(rule.hits), number(rule.entries)],
        text(parametersText(rule.parameters)),
        rule.leftOut === null ? null : text(rule.leftOut),
      ]),
    ]),
  }
}

/** `of 1000; days 5` */
export const parametersText = (parameters: Readonly<Record<string, string>>): string =>
  Object.entries(parameters)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ')

function benfordSheet({ frame }: AuditedLines, found: readonly Benford[]): Sheet {
  const accounts = new Map(frame.accounts.map((account) => [account.id, account]))
  return {
    name: 'benford',
    widths: [14, 34, 10, 14, 14, 14, 50],
    frozen: { rows: 2, columns: 0 },
    rows: once([
      [
        text(
          `First two digits of debits of ten and more. Chi-squared beyond ${CHI_SQUARED_LIMIT} is unlikely to be chance (5 %).`,
        ),
      ],
      ['Account', 'Name', 'Amounts', 'Deviation', 'Chi-squared', 'Conformity', 'Most beyond chance'].map(
        bold,
      ),
      ...found.map((each) => [
        text(each.account === null ? 'all' : accounts.get(each.account)?.number || each.account),
        text(accounts.get(each.account ?? '')?.name ?? ''),
        ...[number(each.amounts), number(each.deviation), number(each.chiSquared)],
        text(each.conformity ?? 'too few'),
        text(
          each.most
            .map(({ digits, amounts, expected }) => `${digits}: ${amounts}, expected ${expected}`)
            .join('; '),
        ),
      ]),
    ]),
  }
}

/** Receivables and payables by age, a sheet for each side. */
export function ageingSheets(found: Ageing, software: string): Sheet[] {
  const style = { format: plainDigits(currencyDecimals(found.currency)) }
  const money = (number: string): SheetCell => ({ number, style })
  return found.sections.map(
    ({ side, parties, accounts, amounts, total, lines, dueDates }): Sheet => ({
      name: side === 'receivables' ? 'Receivables' : 'Payables',
      widths: [14, 40, ...amounts.map(() => 16), 16],
      frozen: { rows: 2, columns: 2 },
      layout: sheetLayout({ company: found.company, title: `${side} by age`, snapshotId: found.snapshotId }),
      rows: once([
        [bold(`${found.company}, ${found.asOf}, ${found.basis}, ${found.currency}: days since due`)],
        ['Id', 'Party', ...found.ages, 'Total'].map(bold),
        ...parties.map((row) => [
          row.partyId === null ? null : text(row.partyId),
          text(row.party ?? '(no party)'),
          ...[...row.amounts, row.total].map(money),
        ]),
        [null, bold('Total'), ...[...amounts, total].map(money)],
        [],
        ['Account', 'Name', 'Aged by', 'Trial balance', 'Sum here', 'Difference'].map(bold),
        ...accounts.map(({ id, number, name, by, balance, aged, difference }) => [
          ...[text(number || id), text(name), text(by === 'items' ? 'open items' : 'last movements')],
          ...[balance, aged, difference].map(money),
        ]),
        [],
        ...(dueDates < lines
          ? [
              [
                bold('Aged'),
                text(`${lines - dueDates} of ${lines} open lines by their date: they have no due date`),
              ],
            ]
          : []),
        [bold('Snapshot'), text(found.snapshotId)],
        [bold('Manifest'), text(found.manifestSha256)],
        [bold('Made by'), text(software)],
      ]),
    }),
  )
}

/** A bridge: the accounts, the lines that were corrected, and those that moved equity since. */
export function bridgeSheets(found: Bridge, software: string): Sheet[] {
  const { before, now, rows } = found
  const style = { format: plainDigits(currencyDecimals(found.currency)) }
  const money = (number: string): SheetCell => ({ number, style })
  const sheet = (
    name: string,
    widths: readonly number[],
    cells: readonly (readonly SheetCell[])[],
  ): Sheet => ({
    ...{ name, widths, frozen: { rows: 2, columns: 0 } },
    layout: sheetLayout({ company: found.company, title: name, snapshotId: now.snapshotId }),
    rows: once([
      [
        bold(
          `${found.company}, ${before.endDate} to ${now.endDate}, ${found.basis}, ${found.currency}, debit positive`,
        ),
      ],
      ...cells,
    ]),
  })
  const lineHead = ['Date', 'Entry', 'Account', 'Amount', 'Memo', 'File', 'Row'].map(bold)
  const lineOf = (line: Pick<EquityLine, 'account' | 'amount' | 'memo' | 'file' | 'row'>) => [
    ...[text(line.account), money(line.amount), text(line.memo ?? ''), text(line.file), number(line.row)],
  ]
  const closes = [
    ['From', before],
    ['To', now],
  ] as const
  return [
    sheet(
      'Bridge',
      [24, 40, 18, 18, 18, 18],
      [
        ['Account', 'Name', `Then ${before.endDate}`, 'Corrected', 'Since', `Now ${now.endDate}`].map(bold),
        ...rows.map((row) => [
          ...[text(row.number || row.id), text(row.name)],
          ...[row.old, row.corrections, row.activity, row.new].map(money),
        ]),
        [],
        ...closes.flatMap(([name, close]) => [
          [
            bold(name),
            text(`${close.snapshotId}, published ${close.publishedAt.slice(0, 10)} ${close.publishedBy}`),
          ],
          [bold('Manifest'), text(close.manifestSha256)],
        ]),
        ...(now.reason === null ? [] : [[bold('Restated'), text(now.reason)]]),
        [bold('Made by'), text(software)],
      ],
    ),
    sheet(
      'Corrections',
      [12, 12, 20, 14, 16, 44, 40, 10],
      [
        [bold('Line'), ...lineHead],
        ...found.corrected.map((line) => [
          ...[text(line.side), text(line.date ?? 'opening'), text(line.transactionId ?? '')],
          ...lineOf(line),
        ]),
      ],
    ),
    sheet(
      'Equity',
      [12, 20, 14, 16, 44, 40, 10],
      [lineHead, ...found.equity.map((line) => [text(line.date), text(line.entry), ...lineOf(line)])],
    ),
  ]
}
