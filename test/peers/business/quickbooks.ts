/** QuickBooks Online and Desktop: ledgers with balances brought forward, journals and details with an opening entry. */
import type { Business, BusinessAccount, BusinessTransaction } from '../../support/business.ts'
import { csvOf, grouped, type ReportRow, usDate, workbookOf } from '../../support/report-files.ts'
import { credits, debits, type Exported, exportedReport, linesOf, sum } from './exported.ts'

const isCredit = ({ classification }: BusinessAccount): boolean =>
  ['Liability', 'Equity', 'Income', 'OtherIncome'].includes(classification)
const STAMP = 'Accrual Basis Tuesday, January 7, 2026 10:12 AM GMT-05:00'
const OPENING = 'OB'

/** The opening balances as the journal entry that a bookkeeper would make. */
const openingEntry = ({ accounts, year }: Business): BusinessTransaction => ({
  id: 0,
  date: year.start,
  type: 'Journal Entry',
  document: OPENING,
  party: '',
  lines: accounts
    .filter(({ opening }) => opening !== 0)
    .map(({ number, opening }) => ({
      account: number,
      amount: opening,
      class: null,
      department: null,
      memo: 'Opening',
    })),
})

const LEDGER = 'ledger: [{ files: "gl.*" }]'
const MARKED = `${LEDGER}\nopening: { references: [${OPENING}] }`
const byName = ({ name }: BusinessAccount) => ({ id: name, number: '', name })

/** Amounts and balances in each account's own sign; dates as in the United States. */
export function onlineLedger(business: Business): Exported {
  const rows: ReportRow[] = [
    [business.name],
    ['General Ledger'],
    ['January 1 - December 31, 2025'],
    [],
    [
      '',
      'Date',
      'Transaction Type',
      'Num',
      'Name',
      'Class',
      'Location',
      'Memo/Description',
      'Split',
      'Amount',
      'Balance',
    ],
  ]
  for (const account of business.accounts) {
    const sign = isCredit(account) ? -1 : 1
    const label = `${account.number} ${account.name}`
    const entries = linesOf(business.transactions, account.number)
    if (entries.length === 0 && account.opening === 0) continue
    rows.push([label])
    let balance = sign * account.opening
    if (account.opening !== 0)
      rows.push(['', 'Beginning Balance', '', '', '', '', '', '', '', '', grouped(balance)])
    for (const { transaction, line } of entries) {
      balance += sign * line.amount
      const { date, type, document, party } = transaction
      const { memo } = line
      const tags = [line.class ?? '', line.department ?? '']
      rows.push([
        '',
        usDate(date),
        type,
        document,
        party,
        ...tags,
        memo,
        '-Split-',
        grouped(sign * line.amount),
        grouped(balance),
      ])
    }
    const total = sum(entries.map(({ line }) => sign * line.amount))
    rows.push([`Total for ${label}`, '', '', '', '', '', '', '', '', `€${grouped(total)}`, ''], [])
  }
  rows.push([], [STAMP])
  return exportedReport(business, 'QuickBooks Online, general ledger, CSV', { 'gl.csv': csvOf(rows) }, LEDGER)
}

/** The newer layout as a workbook, where formulas stand for the totals and for every amount. */
export function onlineWorkbook(business: Business): Exported {
  const rows: ReportRow[] = [
    ['General Ledger'],
    [business.name],
    ['January-December, 2025'],
    [],
    [
      '',
      'Distribution account',
      'Transaction date',
      'Transaction type',
      'Num',
      'Name',
      'Memo/Description',
      'Debit',
      'Credit',
      'Balance',
      'Class full name',
      'Location full name',
    ],
  ]
  for (const account of business.accounts) {
    const sign = isCredit(account) ? -1 : 1
    rows.push([account.name])
    let balance = sign * account.opening
    rows.push(['', 'Beginning Balance', '', '', '', '', '', null, null, balance / 100])
    const first = rows.length + 1
    for (const { transaction, line } of linesOf(business.transactions, account.number)) {
      balance += sign * line.amount
      const { date, type, document, party } = transaction
      const amount = `=${(Math.abs(line.amount) / 100).toFixed(2)}`
      const sides = line.amount > 0 ? [amount, null] : [null, amount]
      rows.push([
        '',
        account.name,
        usDate(date),
        type,
        document,
        party,
        line.memo,
        ...sides,
        `=${(balance / 100).toFixed(2)}`,
        line.class,
        line.department,
      ])
    }
    rows.push([
      `Total for ${account.name}`,
      '',
      '',
      '',
      '',
      '',
      '',
      `=SUM(H${first}:H${rows.length})`,
      `=SUM(I${first}:I${rows.length})`,
    ])
  }
  rows.push([], [STAMP])
  return exportedReport(
    business,
    'QuickBooks Online, general ledger of names, workbook',
    { 'gl.xlsx': workbookOf({ 'General Ledger': rows }) },
    LEDGER,
    byName,
  )
}

/** No balances brought forward, no sections: an account in every row. */
export function onlineDetail(business: Business): Exported {
  const all = [openingEntry(business), ...business.transactions]
  const rows: ReportRow[] = [
    ['Transaction Detail by Account'],
    [business.name],
    ['All Dates'],
    [],
    [
      'Date',
      'Transaction Type',
      'Num',
      'Name',
      'Memo/Description',
      'Account',
      'Class',
      'Location',
      'Split',
      'Amount',
      'Balance',
    ],
  ]
  for (const account of business.accounts) {
    const sign = isCredit(account) ? -1 : 1
    let balance = 0
    for (const { transaction, line } of linesOf(all, account.number)) {
      balance += sign * line.amount
      const { date, type, document, party } = transaction
      rows.push([
        usDate(date),
        type,
        document,
        party,
        line.memo,
        `${account.number} ${account.name}`,
        line.class,
        line.department,
        'x',
        grouped(sign * line.amount),
        grouped(balance),
      ])
    }
  }
  rows.push([STAMP])
  return exportedReport(
    business,
    'QuickBooks Online, transaction detail, CSV',
    { 'gl.csv': csvOf(rows) },
    MARKED,
  )
}

/** The words of an entry on its first row only, its total without a label. */
export function onlineJournal(business: Business): Exported {
  const rows: ReportRow[] = [
    [business.name],
    ['Journal'],
    ['All Dates'],
    [],
    [
      '',
      'Date',
      'Transaction Type',
      'Num',
      'Name',
      'Memo/Description',
      'Account',
      'Class',
      'Location',
      'Debit',
      'Credit',
    ],
  ]
  const names = new Map(business.accounts.map(({ number, name }) => [number, `${number} ${name}`]))
  const all = [openingEntry(business), ...business.transactions]
  for (const { date, type, document, party, lines } of all) {
    for (const [i, line] of lines.entries()) {
      const head = i === 0 ? [usDate(date), type, document, party] : ['', '', '', '']
      const sides = line.amount > 0 ? [`€${grouped(line.amount)}`, ''] : ['', `€${grouped(-line.amount)}`]
      rows.push(['', ...head, line.memo, names.get(line.account)!, line.class, line.department, ...sides])
    }
    rows.push(
      ['', '', '', '', '', '', '', '', '', `€${grouped(debits(lines))}`, `€${grouped(credits(lines))}`],
      [],
    )
  }
  const lines = all.flatMap((transaction) => transaction.lines)
  rows.push([
    'TOTAL',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    `€${grouped(debits(lines))}`,
    `€${grouped(credits(lines))}`,
  ])
  rows.push([], ['Tuesday, January 7, 2026 10:12 AM GMT-05:00'])
  return exportedReport(business, 'QuickBooks Online, journal, CSV', { 'gl.csv': csvOf(rows, '\n') }, MARKED)
}

/** The number of each entry on a row of its own, accounts by number and name in two columns. */
export function onlineJournalWorkbook(business: Business): Exported {
  const names = new Map(business.accounts.map(({ number, name }) => [number, name]))
  const rows: ReportRow[] = [
    ['Journal'],
    [business.name],
    ['All Dates'],
    [],
    [
      '',
      'Transaction date',
      'Transaction type',
      'Num',
      'Name',
      'Memo/Description',
      'Distribution account number',
      'Account full name',
      'Debit',
      'Credit',
      'Class',
      'Location',
    ],
  ]
  for (const { id, date, type, document, party, lines } of [
    openingEntry(business),
    ...business.transactions,
  ]) {
    rows.push([String(7000 + id)])
    for (const line of lines) {
      const sides = line.amount > 0 ? [line.amount / 100, null] : [null, -line.amount / 100]
      const account = [line.account, `${line.account} Top:${names.get(line.account)}`]
      rows.push([
        '',
        usDate(date),
        type,
        document,
        party,
        line.memo,
        ...account,
        ...sides,
        line.class,
        line.department,
      ])
    }
    rows.push([`Total for ${7000 + id}`, '', '', '', '', '', '', '', '=I1+I2', '=J1+J2'])
  }
  rows.push([], ['Tuesday, January 7, 2026 10:12 AM GMTZ'])
  return exportedReport(
    business,
    'QuickBooks Online, journal, workbook',
    { 'gl.xlsx': workbookOf({ Sheet1: rows }) },
    MARKED,
  )
}

/** Debits and credits, balances debit positive and in the row of the account, `1000 · Bank`. */
export function desktopLedger(business: Business): Exported {
  const rows: ReportRow[] = [
    [
      '',
      'Type',
      'Date',
      'Num',
      'Adj',
      'Name',
      'Memo',
      'Class',
      'Location',
      'Split',
      'Debit',
      'Credit',
      'Balance',
    ],
  ]
  for (const account of business.accounts) {
    const label = `${account.number} · ${account.name}`
    let balance = account.opening
    rows.push([label, '', '', '', '', '', '', '', '', '', '', '', grouped(balance)])
    const entries = linesOf(business.transactions, account.number)
    for (const { transaction, line } of entries) {
      balance += line.amount
      const { date, type, document, party } = transaction
      const sides = line.amount > 0 ? [grouped(line.amount), ''] : ['', grouped(-line.amount)]
      rows.push([
        '',
        type,
        usDate(date),
        document,
        '',
        party,
        line.memo,
        line.class,
        line.department,
        '-SPLIT-',
        ...sides,
        grouped(balance),
      ])
    }
    const lines = entries.map(({ line }) => line)
    rows.push([
      `Total ${label}`,
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      '',
      grouped(debits(lines)),
      grouped(credits(lines)),
      grouped(balance),
    ])
  }
  const lines = business.transactions.flatMap((transaction) => transaction.lines)
  rows.push([
    'TOTAL',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    '',
    grouped(debits(lines)),
    grouped(credits(lines)),
    '0.00',
  ])
  return exportedReport(
    business,
    'QuickBooks Desktop, general ledger, CSV',
    { 'gl.csv': csvOf(rows) },
    LEDGER,
  )
}

/** Blank columns between the others, a number in the first row of each entry, printed like an amount. */
export function desktopJournal(business: Business): Exported {
  const spaced = (...cells: readonly (string | number | null)[]): ReportRow =>
    cells.flatMap((cell) => ['', cell])
  const names = new Map(business.accounts.map(({ number, name }) => [number, `${number} · ${name}`]))
  const rows: ReportRow[] = [
    [business.name],
    ['Journal'],
    ['All Transactions'],
    spaced(
      'Trans #',
      'Type',
      'Date',
      'Num',
      'Name',
      'Memo',
      'Account',
      'Class',
      'Location',
      'Debit',
      'Credit',
    ),
  ]
  const all = [openingEntry(business), ...business.transactions]
  for (const { id, date, type, document, party, lines } of all) {
    for (const [i, line] of lines.entries()) {
      const head =
        i === 0 ? [`364,${String(id).padStart(3, '0')}`, type, usDate(date), document] : ['', '', '', '']
      const sides = line.amount > 0 ? [line.amount / 100, null] : [null, -line.amount / 100]
      rows.push(
        spaced(...head, party, line.memo, names.get(line.account)!, line.class, line.department, ...sides),
      )
    }
    rows.push(spaced('', '', '', '', '', '', '', '', 'TOTAL', debits(lines) / 100, credits(lines) / 100))
  }
  const lines = all.flatMap((transaction) => transaction.lines)
  rows.push([
    'TOTAL',
    ...spaced('', '', '', '', '', '', '', '', '', debits(lines) / 100, credits(lines) / 100).slice(1),
  ])
  return exportedReport(
    business,
    'QuickBooks Desktop, journal, workbook',
    { 'gl.xlsx': workbookOf({ 'QuickBooks Export Tips': [['How to…']], Sheet1: rows }) },
    MARKED,
  )
}

export const QUICKBOOKS = [
  onlineLedger,
  onlineWorkbook,
  onlineDetail,
  onlineJournal,
  onlineJournalWorkbook,
  desktopLedger,
  desktopJournal,
] as const
