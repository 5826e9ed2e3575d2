/** The sample companies: made again they are the committed bytes, and their books hold by plain arithmetic. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { build } from '../builder/build/build.ts'
import { openWorkspace } from '../builder/workspace/workspace.ts'
import { apportion } from './samples/cash-basis.ts'
import { suite } from './suite.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DATASETS = join(ROOT, 'datasets')

const files = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .sort()

/** Splits one CSV line; quotes are doubled inside quotes, no value spans lines. */
const cells = (line: string, delimiter: string): string[] =>
  [...`${line}${delimiter}`.matchAll(new RegExp(`("(?:[^"]|"")*"|[^${delimiter}]*)${delimiter}`, 'g'))].map(
    ([, cell]) => (cell!.startsWith('"') ? cell!.slice(1, -1).replaceAll('""', '"') : cell!),
  )

type Row = Record<string, string>
function table(path: string, delimiter = ','): Row[] {
  const [header, ...lines] = readFileSync(join(DATASETS, path), 'latin1').trimEnd().split('\n')
  const columns = cells(header!, delimiter)
  return lines.map((line) => Object.fromEntries(cells(line, delimiter).map((cell, i) => [columns[i]!, cell])))
}

/** `-1 234,50` or `1234.50` → cents; every amount of the samples has two decimals. */
function cents(text: string): number {
  if (text === '') return 0
  assert.match(text, /^-?[\d ]+[.,]\d\d$/)
  return Number(text.replace(/[ .,]/g, ''))
}

const sums = <T>(items: readonly T[], key: (item: T) => string, amount: (item: T) => number) => {
  const totals = new Map<string, number>()
  for (const item of items) totals.set(key(item), (totals.get(key(item)) ?? 0) + amount(item))
  return totals
}
const nonZero = (totals: Map<string, number>) => [...totals].filter(([, amount]) => amount !== 0).sort()

interface Posting {
  readonly id: string
  readonly date: string
  readonly account: string
  readonly amount: number
  readonly class: string
  readonly department: string
  readonly reference: string
  readonly settles: string
}
const harborLedger = (basis: string): Posting[] =>
  files(join(DATASETS, 'harbor/ledger'))
    .filter((file) => file.startsWith(basis))
    .flatMap((file) => table(`harbor/ledger/${file}`))
    .map((row) => ({
      id: row.transaction_id!,
      date: row.date!,
      account: row.account!,
      amount: cents(row.debit!) - cents(row.credit!),
      class: row.class!,
      department: row.department!,
      reference: row.reference!,
      settles: row.settles ?? '',
    }))
function transactionsOf(postings: readonly Posting[]): Map<string, Posting[]> {
  const transactions = new Map<string, Posting[]>()
  for (const posting of postings) {
    const lines = transactions.get(posting.id)
    if (lines) lines.push(posting)
    else transactions.set(posting.id, [posting])
  }
  return transactions
}
const month = (posting: { date: string }) => posting.date.slice(0, 7)

const samples = suite('samples')

samples('made again elsewhere they are the committed bytes', () => {
  const folder = mkdtempSync(join(tmpdir(), 'samples-'))
  try {
    execFileSync(process.execPath, ['--import', 'tsx', 'test/samples/make.ts', '--out', folder], {
      cwd: ROOT,
      env: { ...process.env, TZ: 'Pacific/Kiritimati', LC_ALL: 'sv_SE.UTF-8', LANG: 'sv_SE.UTF-8' },
    })
    const made = files(folder)
    // Beside the companies lies the description of the formats, which people write.
    assert.equal(
      files(DATASETS).filter((file) => !file.startsWith('formats/')),
      made,
    )
    for (const file of made)
      assert.ok(
        readFileSync(join(folder, file)).equals(readFileSync(join(DATASETS, file))),
        `datasets/${file} differs: run node --import tsx test/samples/make.ts`,
      )
  } finally {
    rmSync(folder, { recursive: true })
  }
})

samples('each company passes every check of the builder', async () => {
  const workspace = openWorkspace(ROOT)
  for (const company of ['harbor', 'lakeside', 'nordvik']) {
    const result = await build(workspace, company, { publish: false })
    assert.equal(
      result.findings.filter(({ severity }) => severity === 'error'),
      [],
    )
    assert.is(result.outcome, 'checked')
    assert.equal(
      result.tieOuts.filter((tieOut) => tieOut.Result !== 'pass'),
      [],
    )
  }
})

for (const basis of ['accrual', 'cash'])
  samples(`harbor, ${basis}: every transaction is of one day and balances, every key is known`, () => {
    const postings = harborLedger(basis)
    assert.equal(
      nonZero(
        sums(
          postings,
          ({ id }) => id,
          ({ amount }) => amount,
        ),
      ),
      [],
    )
    assert.equal(nonZero(sums(postings, month, ({ amount }) => amount)), [])
    assert.is(
      new Set(postings.map(({ id, date }) => `${id} ${date}`)).size,
      new Set(postings.map(({ id }) => id)).size,
    )
    assert.ok(new Set(postings.map(month)).size >= 36)
    const chart = table('harbor/chart-of-accounts.csv')
    const parents = new Set(chart.map(({ parent }) => parent))
    const accounts = new Set(chart.map(({ id }) => id!).filter((id) => !parents.has(id)))
    const members = (file: string) => new Set(['', ...table(`harbor/${file}`).map(({ id }) => id!)])
    const classes = members('classes.csv')
    const departments = members('departments.csv')
    for (const posting of postings) {
      assert.ok(accounts.has(posting.account), `${posting.id}: ${posting.account} is no posting account`)
      assert.ok(classes.has(posting.class), `${posting.id}: ${posting.class}`)
      assert.ok(departments.has(posting.department), `${posting.id}: ${posting.department}`)
    }
  })

for (const basis of ['accrual', 'cash'])
  samples(`harbor, ${basis}: closing entries empty the profit and loss accounts, member by member`, () => {
    const postings = harborLedger(basis)
    for (const year of ['2023', '2024', '2025']) {
      const closed = postings.filter(
        ({ account, date, reference }) =>
          account >= '4000' &&
          (reference === `CLOSE-${year}` || (date.startsWith(year) && !reference.startsWith('CLOSE-'))),
      )
      const byMember = sums(
        closed,
        (posting) => [posting.account, posting.class, posting.department].join('|'),
        ({ amount }) => amount,
      )
      assert.ok(byMember.size > 50)
      assert.equal(nonZero(byMember), [])
    }
  })

samples('harbor: both bases move the same cash, per account, month, class and department', () => {
  const [accrual, cash] = ['accrual', 'cash'].map((basis) =>
    nonZero(
      sums(
        harborLedger(basis).filter(({ account }) => account.startsWith('101')),
        (posting) => [posting.account, month(posting), posting.class, posting.department].join('|'),
        ({ amount }) => amount,
      ),
    ),
  )
  assert.ok(accrual!.length > 500)
  assert.equal(cash, accrual)
})

samples('harbor: every receipt and payment names its document, and none is settled beyond its amount', () => {
  const items = harborLedger('accrual').filter(({ account }) => ['1110', '2011', '2012'].includes(account))
  const documents = new Map(
    items.filter(({ settles }) => settles === '').map((item) => [item.id, item] as const),
  )
  const open = new Map([...documents].map(([id, { amount }]) => [id, amount]))
  for (const { id, account, amount, settles } of items) {
    if (settles === '') continue
    assert.is(documents.get(settles)?.account, account, `${id} settles ${settles}`)
    open.set(settles, open.get(settles)! + amount)
  }
  for (const [id, rest] of open) {
    const gross = documents.get(id)!.amount
    assert.ok(
      gross > 0 ? rest >= 0 && rest <= gross : rest <= 0 && rest >= gross,
      `${id}: ${rest} of ${gross}`,
    )
  }
  assert.ok([...open.values()].filter((rest) => rest !== 0).length > 10, 'some documents are still open')
})

samples(
  'harbor: where a document is settled in full, the cash basis has recognised all of it, and no more',
  () => {
    const accrual = harborLedger('accrual')
    const settled = sums(
      accrual,
      ({ settles }) => settles,
      ({ amount }) => amount,
    )
    const isItem = ({ account }: Posting) => ['1110', '2011', '2012'].includes(account)
    // What is open of each document, as the share of each of its profit and loss lines that the cash basis still lacks.
    const lacking = new Map<string, number>()
    let partly = 0
    for (const [id, lines] of transactionsOf(accrual)) {
      const item = lines.find((line) => isItem(line) && line.settles === '')
      if (!item) continue
      const open = item.amount + (settled.get(id) ?? 0)
      if (open !== 0 && open !== item.amount) partly++
      for (const line of lines)
        if (line.account >= '4000')
          lacking.set(line.account, (lacking.get(line.account) ?? 0) + (line.amount * open) / item.amount)
    }
    const isActivity = ({ account, reference }: Posting) =>
      account >= '4000' && !reference.startsWith('CLOSE-')
    const total = (postings: Posting[]) =>
      sums(
        postings.filter(isActivity),
        ({ account }) => account,
        ({ amount }) => amount,
      )
    const cash = total(harborLedger('cash'))
    for (const [account, amount] of total(accrual)) {
      const expected = amount - (lacking.get(account) ?? 0)
      // Each document that is partly settled may round by a cent.
      assert.ok(
        Math.abs((cash.get(account) ?? 0) - expected) <= partly,
        `${account}: ${cash.get(account)}, ${expected}`,
      )
    }
  },
)

samples('harbor: cash, receivables and stock are never below zero at a month end', () => {
  const postings = harborLedger('accrual')
  const months = [...new Set(postings.map(month))].sort()
  for (const account of [
    '1011',
    '1012',
    '1013',
    '1014',
    '1018',
    '1019',
    '1110',
    '1210',
    '1220',
    '1230',
    '1240',
  ]) {
    const movements = sums(
      postings.filter((posting) => posting.account === account),
      month,
      ({ amount }) => amount,
    )
    let balance = 0
    for (const name of months) {
      balance += movements.get(name) ?? 0
      assert.ok(balance >= 0, `${account} in ${name}: ${balance}`)
    }
  }
})

samples('cash basis: shares are rounded by largest remainder and add up', () => {
  assert.equal(apportion([-792_000, -38_595], 424_000, 830_595), [-404_298, -19_702])
  // Of three equal lines, the first gets the odd cent.
  assert.equal(apportion([100, 100, 100], -100, -300), [34, 33, 33])
  assert.equal(apportion([-5_000, -350, 1_000], 4_350, 4_350), [-5_000, -350, 1_000])
  assert.equal(apportion([7_001, 3_000], -5_000, -10_001), [3_500, 1_500])
})

samples('lakeside: every voucher balances, over more than two years, without gaps in the numbers', () => {
  const rows = table('lakeside/journal.csv', ';')
  assert.equal(
    nonZero(
      sums(
        rows,
        ({ Voucher }) => Voucher!,
        ({ Amount }) => cents(Amount!),
      ),
    ),
    [],
  )
  const accounts = new Set(table('lakeside/accounts.csv', ';').map(({ Account }) => Account!))
  assert.equal(
    rows.filter(({ Account }) => !accounts.has(Account!)),
    [],
  )
  assert.ok(new Set(rows.map((row) => row.Date!.slice(3))).size >= 24)
  const numbers = [...new Set(rows.map(({ Voucher }) => Number(Voucher)))]
  assert.equal(
    numbers,
    numbers.map((_, index) => index + 1),
  )
})

/** Records of the SIE file as their fields; `{1 10 6 "P2401"}` is one field. Letters beyond ASCII stay undecoded. */
function sieRecords(): string[][] {
  const text = readFileSync(join(DATASETS, 'nordvik/ledger/nordvik-2024-2025.se'), 'latin1')
  return text
    .trimEnd()
    .split('\r\n')
    .map((line) => [...line.matchAll(/\{([^}]+)\}|"((?:[^"\\]|\\.)*)"|[^\s"]+/g)].map((m) => m[2] ?? m[0]))
}

interface SieLine {
  readonly voucher: string
  readonly month: string
  readonly account: string
  readonly objects: string[]
  readonly amount: number
}
function sieLines(records: readonly string[][]): SieLine[] {
  let voucher = ''
  let name = ''
  return records.flatMap(([label, ...fields]): SieLine[] => {
    if (label === '#VER') [voucher, name] = [`${fields[0]} ${fields[1]}`, fields[2]!.slice(0, 6)]
    if (label !== '#TRANS') return []
    const pairs = fields[1]!.slice(1, -1).split(' ')
    const objects = pairs.flatMap((_, i) => (i % 2 === 1 ? [`{${pairs[i - 1]} ${pairs[i]}}`] : []))
    return [{ voucher, month: name, account: fields[0]!, objects, amount: cents(fields[2]!) }]
  })
}

samples('nordvik: vouchers balance, and every figure that the file states follows from them', () => {
  const records = sieRecords()
  const lines = sieLines(records)
  const stated = (label: string, year: string) =>
    new Map(
      records
        .filter(([record, which]) => record === label && which === year)
        .map((fields) => [fields.slice(2, -1).join(' '), cents(fields.at(-1)!)] as const),
    )
  const amount = (line: SieLine) => line.amount
  assert.equal(nonZero(sums(lines, ({ voucher }) => voucher, amount)), [])

  const movements = sums(lines, ({ account }) => account, amount)
  const balanceSheet = ([account]: readonly [string, number]) => account < '3000'
  const closings = new Map(stated('#IB', '0'))
  for (const [account, moved] of [...movements].filter(balanceSheet))
    closings.set(account, (closings.get(account) ?? 0) + moved)
  assert.equal(nonZero(closings), nonZero(stated('#UB', '0')))
  assert.equal(
    nonZero(movements).filter((entry) => !balanceSheet(entry)),
    nonZero(stated('#RES', '0')),
  )
  assert.equal(nonZero(stated('#UB', '-1')), nonZero(stated('#IB', '0')))
  for (const [label, year] of [
    ['#IB', '0'],
    ['#UB', '0'],
    ['#RES', '0'],
    ['#IB', '-1'],
    ['#RES', '-1'],
  ] as const)
    assert.is(
      [...stated(label, year).values()].reduce((sum, value) => sum + value, 0),
      0,
      `${label} ${year}`,
    )

  const byMonth = sums(
    lines.flatMap((line) => ['{}', ...line.objects].map((object) => ({ ...line, object }))),
    (line) => `${line.month} ${line.account} ${line.object}`,
    amount,
  )
  assert.ok(nonZero(byMonth).some(([key]) => key.endsWith('{6 P2401}')))
  assert.equal(nonZero(byMonth), nonZero(stated('#PSALDO', '0')))

  const byObject = new Map(stated('#OIB', '0'))
  for (const line of lines.filter(({ account }) => account === '1470'))
    for (const object of line.objects.filter((name) => name.startsWith('{6 '))) {
      const key = `1470 ${object}`
      byObject.set(key, (byObject.get(key) ?? 0) + line.amount)
    }
  assert.equal(nonZero(byObject), nonZero(stated('#OUB', '0')))
})

samples('nordvik: code page 437, BAS accounts, numbered series, both dimensions, a budget', () => {
  const records = sieRecords()
  const count = (label: string) => records.filter(([record]) => record === label).length
  assert.ok(count('#KONTO') >= 120)
  assert.ok(count('#PBUDGET') > 100)
  // å, ä and ö of code page 437
  const name = records.find(([label, account]) => label === '#KONTO' && account === '1470')![2]!
  assert.is(name, 'P\x86g\x86ende arbeten')
  const last = new Map<string, number>()
  for (const [label, series, number] of records) {
    if (label !== '#VER') continue
    assert.is(Number(number), (last.get(series!) ?? 0) + 1)
    last.set(series!, Number(number))
  }
  assert.is(last.size, 6)
})

samples.run()
