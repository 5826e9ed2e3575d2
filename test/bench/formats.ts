/**
 * `npm run bench -- formats [--against FOLDER] [--case 'sie 1M']`: one business of many postings, as each program would export it, built as a
 * whole process. With `--against`, the compiled program of another checkout builds the same files by turns, and the figure
 * that counts is the ratio of the two.
 */
import { createWriteStream, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { bookOf, rowsOf } from '../ingest/workbook/parts.ts'
import { MEASURED, random, writeCompany, writeWorkspace } from './ledger.ts'
import { tieout, tieoutOf, type Usage } from './processes.ts'
import { median, type Result } from './results.ts'

/** Two postings each: debit one account, credit the other, by an amount of minor units. */
interface Entry {
  readonly number: number
  readonly date: string
  readonly debit: string
  readonly credit: string
  readonly minor: number
}

const ACCOUNTS = [
  ['1000', 'Bank', 'Asset', 'Bank'],
  ['1100', 'Debtors', 'Asset', 'AccountsReceivable'],
  ['2000', 'Creditors', 'Liability', 'AccountsPayable'],
  ['3000', 'Capital', 'Equity', 'Capital'],
  ...Array.from({ length: 10 }, (_, i) => [String(4000 + i), `Sales ${i}`, 'Income', 'Sales'] as const),
  ...Array.from({ length: 20 }, (_, i) => [String(6000 + i), `Cost ${i}`, 'Expense', 'Expense'] as const),
] as const
const OPENING_MINOR = 5_000_000_000
const YEAR = '2025'

const money = (minor: number): string => `${minor < 0 ? '-' : ''}${(Math.abs(minor) / 100).toFixed(2)}`

/** In the order of dates. */
export function entries(postings: number): Entry[] {
  const next = random(7)
  const count = Math.floor(postings / 2)
  return Array.from({ length: count }, (_, i) => {
    const day = Math.floor((i * 336) / count)
    const date = `${YEAR}-${String(Math.floor(day / 28) + 1).padStart(2, '0')}-${String((day % 28) + 1).padStart(2, '0')}`
    const minor = 100 + Math.floor(next() * 1_000_000)
    const isSale = next() < 0.5
    return isSale
      ? { number: i + 1, date, debit: '1000', credit: String(4000 + Math.floor(next() * 10)), minor }
      : { number: i + 1, date, debit: String(6000 + Math.floor(next() * 20)), credit: '1000', minor }
  })
}

const accountsYaml = `accounts:\n${ACCOUNTS.map(([id, , classification, type]) => `  "${id}": { classification: ${classification}, type: ${type} }`).join('\n')}\n`

const NAMES: Readonly<Record<string, string>> = {
  '1': 'assets',
  '2': 'liabilities',
  '3': 'equity',
  '4': 'income',
  '6': 'expenses',
}
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** What each format writes: its file, what company.yaml says beside the ledger, and the lines. */
interface Export {
  readonly file: string
  readonly settings: string
  lines(all: readonly Entry[]): Iterable<string | Buffer>
}

const EXPORTS: Readonly<Record<string, Export>> = {
  sie: {
    file: 'books.se',
    settings: accountsYaml,
    *lines(all) {
      yield `#FLAGGA 0\n#FORMAT PC8\n#SIETYP 4\n#FNAMN "Bench"\n#RAR 0 ${YEAR}0101 ${YEAR}1231\n`
      for (const [id, name] of ACCOUNTS) yield `#KONTO ${id} "${name}"\n`
      yield `#IB 0 1000 ${money(OPENING_MINOR)}\n#IB 0 3000 ${money(-OPENING_MINOR)}\n`
      for (const [id, total] of closings(all))
        yield `#${id < '4000' ? 'UB' : 'RES'} 0 ${id} ${money(total)}\n`
      for (const { number, date, debit, credit, minor } of all)
        yield `#VER A ${number} ${date.replaceAll('-', '')} "Entry"\n{\n#TRANS ${debit} {} ${money(minor)}\n#TRANS ${credit} {} ${money(-minor)}\n}\n`
    },
  },
  fec: {
    file: `111111111FEC${YEAR}1231.txt`,
    settings: accountsYaml,
    *lines(all) {
      yield 'JournalCode\tJournalLib\tEcritureNum\tEcritureDate\tCompteNum\tCompteLib\tCompAuxNum\tCompAuxLib\tPieceRef\tPieceDate\tEcritureLib\tDebit\tCredit\tEcritureLet\tDateLet\tValidDate\tMontantdevise\tIdevise\n'
      const row = (journal: string, number: number, day: string, account: string, minor: number): string => {
        const amount = money(Math.abs(minor)).replace('.', ',')
        return `${journal}\t${journal}\t${number}\t${day}\t${account}\tAccount ${account}\t\t\tP${number}\t${day}\tEntry\t${minor < 0 ? '0,00' : amount}\t${minor < 0 ? amount : '0,00'}\t\t\t${day}\t\t\n`
      }
      yield row('AN', 0, `${YEAR}0101`, '1000', OPENING_MINOR) +
        row('AN', 0, `${YEAR}0101`, '3000', -OPENING_MINOR)
      for (const { number, date, debit, credit, minor } of all) {
        const day = date.replaceAll('-', '')
        yield row('OD', number, day, debit, minor) + row('OD', number, day, credit, -minor)
      }
    },
  },
  saft: {
    file: `${YEAR}.xml`,
    settings: accountsYaml,
    *lines(all) {
      const side = (name: string, minor: number): string =>
        `<${name}${minor < 0 ? 'Credit' : 'Debit'}Balance>${money(Math.abs(minor))}</${name}${minor < 0 ? 'Credit' : 'Debit'}Balance>`
      const opening: Record<string, number> = { '1000': OPENING_MINOR, '3000': -OPENING_MINOR }
      const closing = new Map(closings(all))
      yield `<?xml version="1.0" encoding="UTF-8"?>\n<AuditFile xmlns="urn:StandardAuditFile-Taxation-Financial:NO"><Header><AuditFileVersion>1.30</AuditFileVersion><AuditFileCountry>NO</AuditFileCountry><Company><RegistrationNumber>999999999</RegistrationNumber><Name>Bench</Name></Company><DefaultCurrencyCode>USD</DefaultCurrencyCode><SelectionCriteria><SelectionStartDate>${YEAR}-01-01</SelectionStartDate><SelectionEndDate>${YEAR}-12-31</SelectionEndDate></SelectionCriteria></Header><MasterFiles><GeneralLedgerAccounts>\n`
      for (const [id, name] of ACCOUNTS)
        yield `<Account><AccountID>${id}</AccountID><AccountDescription>${name}</AccountDescription><AccountType>GL</AccountType>${side('Opening', opening[id] ?? 0)}${side('Closing', closing.get(id) ?? 0)}</Account>\n`
      const total = money(all.reduce((sum, { minor }) => sum + minor, 0))
      yield `</GeneralLedgerAccounts></MasterFiles><GeneralLedgerEntries><NumberOfEntries>${all.length}</NumberOfEntries><TotalDebit>${total}</TotalDebit><TotalCredit>${total}</TotalCredit><Journal><JournalID>GL</JournalID><Description>GL</Description><Type>GL</Type>\n`
      for (const { number, date, debit, credit, minor } of all) {
        const line = (id: number, account: string, name: string): string =>
          `<Line><RecordID>${id}</RecordID><AccountID>${account}</AccountID><Description>Entry</Description><${name}Amount><Amount>${money(minor)}</Amount></${name}Amount></Line>`
        yield `<Transaction><TransactionID>${number}</TransactionID><Period>${Number(date.slice(5, 7))}</Period><PeriodYear>${YEAR}</PeriodYear><TransactionDate>${date}</TransactionDate><Description>Entry</Description><SystemEntryDate>${date}</SystemEntryDate><GLPostingDate>${date}</GLPostingDate>${line(1, debit, 'Debit')}${line(2, credit, 'Credit')}</Transaction>\n`
      }
      yield '</Journal></GeneralLedgerEntries></AuditFile>\n'
    },
  },
  'plain-text': {
    file: 'main.journal.csv',
    settings: accountsYaml.replaceAll(
      /"(\d)(\d+)"/g,
      (_, kind: string, rest: string) => `"${NAMES[kind]}:${kind}${rest}"`,
    ),
    *lines(all) {
      yield 'txnidx,date,date2,status,code,description,comment,account,amount,commodity,credit,debit,posting-status,posting-comment\n'
      const row = (number: number, date: string, id: string, minor: number): string =>
        `${number},${date},,,,Entry,,${NAMES[id[0]!]}:${id},${money(minor)},$,${minor < 0 ? money(-minor) : ''},${minor < 0 ? '' : money(minor)},,\n`
      for (const { number, date, debit, credit, minor } of all)
        yield row(number, date, debit, minor) + row(number, date, credit, -minor)
    },
  },
  quickbooks: {
    file: 'gl.csv',
    settings: accountsYaml,
    *lines(all) {
      yield `Bench\nGeneral Ledger\n"January 1 - December 31, ${YEAR}"\n\n,Date,Transaction Type,Num,Name,Memo/Description,Split,Amount,Balance\n`
      for (const [id, name, kind] of ACCOUNTS) {
        const sign = ['Asset', 'Expense'].includes(kind) ? 1 : -1
        let balance = id === '1000' ? OPENING_MINOR : id === '3000' ? -OPENING_MINOR : 0
        yield `${id} ${name}\n`
        if (balance !== 0) yield `,Beginning Balance,,,,,,,${money(sign * balance)}\n`
        const before = balance
        for (const { number, date, debit, credit, minor } of all) {
          if (debit !== id && credit !== id) continue
          const amount = debit === id ? minor : -minor
          balance += amount
          yield `,${date.slice(5, 7)}/${date.slice(8)}/${YEAR},Journal Entry,${number},,Entry,-Split-,${money(sign * amount)},${money(sign * balance)}\n`
        }
        yield `Total for ${id} ${name},,,,,,,${money(sign * (balance - before))},\n\n`
      }
    },
  },
  'quickbooks-xlsx': {
    file: 'gl.xlsx',
    settings: accountsYaml,
    *lines(all) {
      yield workbookOf([...EXPORTS.quickbooks!.lines(all)].join(''))
    },
  },
  xero: {
    file: 'gl.csv',
    settings: accountsYaml.replaceAll(
      /"(\d+)"/g,
      (_, id: string) => `"${ACCOUNTS.find(([each]) => each === id)![1]}"`,
    ),
    *lines(all) {
      yield `Account Transactions\nBench\nFor the period 1 January ${YEAR} to 31 December ${YEAR}\nAccrual Basis\n\nDate,Source,Description,Reference,Debit,Credit,Running Balance,Gross,Tax\n`
      const sides = (minor: number): string => (minor < 0 ? `0.00,${money(-minor)}` : `${money(minor)},0.00`)
      let turnover = 0
      for (const [id, name] of ACCOUNTS) {
        const opening = id === '1000' ? OPENING_MINOR : id === '3000' ? -OPENING_MINOR : 0
        yield `${name}\nOpening Balance,,,,${sides(opening)},${money(opening)},0.00,0.00\n`
        let balance = opening
        let debits = 0
        let credits = 0
        for (const { number, date, debit, credit, minor } of all) {
          if (debit !== id && credit !== id) continue
          if (debit === id) debits += minor
          else credits += minor
          balance += debit === id ? minor : -minor
          yield `${Number(date.slice(8))} ${MONTHS[Number(date.slice(5, 7)) - 1]} ${YEAR},Manual Journal,Entry,${number},${sides(debit === id ? minor : -minor)},${money(balance)},0.00,0.00\n`
        }
        yield `Total ${name},,,,${money(debits)},${money(credits)},${money(balance)},0.00,0.00\nClosing Balance,,,,${sides(balance)},${money(balance)},0.00,0.00\n\n`
        turnover += debits
      }
      yield `Total,,,,${money(turnover)},${money(turnover)},0.00,0.00,0.00\n`
    },
  },
}

/** A CSV without quotes inside of cells as a workbook: amounts are numbers, all else is text. */
function workbookOf(csv: string): Buffer {
  const typed = (cell: string, column: number): string | number | null =>
    cell === '' ? null : column > 6 && /^-?\d+\.\d\d$/.test(cell) ? Number(cell) : cell
  const table = csv
    .split('\n')
    .map((line) => line.split(/,(?! )/).map((cell, i) => typed(cell.replaceAll('"', ''), i)))
  return bookOf([{ name: 'General Ledger', rows: rowsOf(table) }])
}

/** Balance of each account at the end of the year, debit positive. */
function closings(all: readonly Entry[]): [string, number][] {
  const totals = new Map<string, number>([
    ['1000', OPENING_MINOR],
    ['3000', -OPENING_MINOR],
  ])
  for (const { debit, credit, minor } of all) {
    totals.set(debit, (totals.get(debit) ?? 0) + minor)
    totals.set(credit, (totals.get(credit) ?? 0) - minor)
  }
  return [...totals]
}

/** The company `bench` of a workspace, of so many postings, as a program of that format exports it. */
export async function writeExport(folder: string, format: string, all: readonly Entry[]): Promise<void> {
  const { file, settings, lines } = EXPORTS[format]!
  const company = join(folder, 'datasets', 'bench')
  mkdirSync(company, { recursive: true })
  const currency = { sie: 'SEK', fec: 'EUR' }[format] ?? 'USD'
  const extra = format.startsWith('quickbooks') ? ', dateFormat: MM/DD/YYYY' : ''
  writeFileSync(
    join(company, 'company.yaml'),
    `id: bench\nname: Bench\nfiscalMonthEnd: 12\ncurrency: ${currency}\n${settings}ledger: [{ files: "${file}"${extra} }]\n`,
  )
  await pipeline(Readable.from(lines(all)), createWriteStream(join(company, file)))
}

const ROUNDS = 3
const BUILD = ['build', 'bench']

/** Each build is a first one, in a workspace of its own; the versions take turns, so that a busy moment hits both. */
async function besides(
  name: string,
  versions: readonly (string | null)[],
  write: (folder: string) => Promise<void>,
) {
  const usages: Usage[][] = versions.map(() => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, checkout] of versions.entries()) {
      const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
      try {
        writeWorkspace(folder)
        await write(folder)
        usages[i]!.push(
          await (checkout === null ? tieout(folder, ...BUILD) : tieoutOf(checkout, folder, ...BUILD)),
        )
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    }
  const figures = (of: readonly Usage[]) => ({
    wall: median(of.map(({ wall }) => wall)),
    cpu: median(of.map(({ cpu }) => cpu)),
    peak: median(of.map(({ peak }) => peak)),
  })
  const [ours, theirs] = usages.map(figures)
  process.stderr.write(
    `${name}: ${usages.map((of) => of.map(({ wall }) => wall.toFixed(1)).join(' ')).join(' s; other version ')} s\n`,
  )
  const results: Result[] = [
    { part: 'formats', name: `${name}, first build`, value: ours!.wall, unit: 's', target: null },
  ]
  if (theirs)
    for (const [key, target] of [
      ['wall', name.startsWith('csv') ? '≤ 1.05' : '≤ 1.15'],
      ['cpu', null],
      ['peak', '≤ 1.1'],
    ] as const)
      results.push({
        part: 'formats',
        name: `${name}, ${key} beside the other version`,
        value: ours![key] / theirs[key],
        unit: '×',
        target,
      })
  return results
}

const CSV = 'csv 1M'

/** `cases`: such as `sie 200k`, `saft 1M`; if none are named, each format once. */
export async function formats({
  against,
  cases,
}: {
  readonly against: string | null
  readonly cases: readonly string[]
}): Promise<Result[]> {
  const versions = against === null ? [null] : [null, against]
  const results: Result[] = []
  for (const name of cases.length > 0
    ? cases
    : [CSV, ...Object.keys(EXPORTS).map((format) => `${format} 200k`)]) {
    const [, format = '', count = '', unit = ''] = /^(\S+) (\d+)([kM])$/.exec(name) ?? []
    if (name !== CSV && !(format in EXPORTS))
      throw new Error(
        `no such case: ${name}; there are ${CSV}, and such as ${Object.keys(EXPORTS).join(' 200k, ')} 1M`,
      )
    const all = name === CSV ? [] : entries(Number(count) * (unit === 'k' ? 1000 : 1_000_000))
    const write = (folder: string) =>
      name === CSV ? writeCompany(folder, 'bench', MEASURED) : writeExport(folder, format, all)
    results.push(...(await besides(name, versions, write)))
  }
  return results
}
