/** Column maps: what they can say, through a whole build; and what `tieout add` proposes, with its reasons. */

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { type AddOptions, addCompany } from '../../../builder/ingest/add/add.ts'
import { LEDGER_COLUMNS } from '../../../builder/ingest/format/ledger-columns.ts'
import { companySchema } from '../../../builder/workspace/company.ts'
import { suite } from '../../suite.ts'
import { cases } from '../../support/case-file.ts'
import {
  buildIn,
  buildWith,
  CHART,
  codes,
  companyYaml,
  type Files,
  findingsOf,
  inWorkspace,
  only,
} from '../../support/workspace.ts'
import { workbook } from '../folder.ts'

const test = suite('column maps')

const files = (ledger: string | Buffer, entry: string, name = 'gl.csv'): Files => ({
  'company.yaml': companyYaml(`ledger: [{ files: ${name}, ${entry} }]`),
  [name]: ledger,
})
const earns = (of: Files, amount: string, warnings: readonly string[] = []) =>
  buildWith(of, (built) => {
    assert.equal(codes(built.result.findings), warnings)
    assert.equal(built.statement('ProfitAndLoss').totals.NetIncome, [amount])
  })

const SIDED = [
  'Beleg;Datum;Konto;Umsatz;S/H;Text',
  '1;31.01.2025;1000;1.234,50;S;Verkauf',
  '1;31.01.2025;4000;1.234,50;H;Verkauf',
  '2;31.01.2025;6000;34,50;Soll;Miete',
  '2;31.01.2025;1000;34,50;Haben;Miete',
  '',
].join('\n')
test('a year of two digits is of one century, whoever reads the file: DuckDB, the workbook reader, the map', async () => {
  const lines = [
    ['transaction_id', 'date', 'account', 'amount'],
    ['1', '31.12.99', '1000', '50.00'],
    ['1', '31.12.99', '4000', '-50.00'],
  ]
  const csv = lines.map((cells) => cells.join(',')).join('\n')
  const turned = csv.replaceAll(',50.00', ',x').replaceAll(',-50.00', ',50.00').replaceAll(',x', ',-50.00')
  const all = [
    files(csv, 'dateFormat: DD.MM.YY, basis: accrual'),
    files(await workbook({ One: lines }), 'dateFormat: DD.MM.YY, basis: accrual', 'gl.xlsx'),
    files(turned, 'dateFormat: DD.MM.YY, basis: accrual, columns: { amount: "-amount" }'),
  ]
  for (const each of all)
    await buildWith(each, ({ statement }) => {
      assert.is(statement('ProfitAndLoss').months.at(-1), '1999-12')
      assert.is(statement('ProfitAndLoss').totals.NetIncome!.at(-1), '50.00')
    })
})

const NET =
  'Entry,Day,Nominal,Net\n1,2025-01-31,1000,-50.00\n1,2025-01-31,4000,50.00\n2,2025-01-31,6000,(5.00)\n2,2025-01-31,1000,5.00\n'
const NET_MAP =
  'basis: accrual, columns: { transaction_id: Entry, date: Day, account: Nominal, amount: "-Net" }'

test('a workbook with dates of its own and a title', async () => {
  const rows = [
    ['Acme Ltd'],
    ['Doc', 'Kind', 'Day', 'Account', 'Value', 'DC'],
    [1, 'A', new Date('2025-01-31T00:00:00Z'), '1000', 12.5, 'D'],
    [1, 'A', '31/01/2025', '4000', 12.5, 'C'],
  ]
  const book = await workbook({ Ledger: rows as never })
  await earns(
    files(
      book,
      'basis: accrual, dateFormat: DD/MM/YYYY, columns: { transaction_id: Kind + Doc, date: Day, account: Account, amount: Value, direction: DC }',
      'gl.xlsx',
    ),
    '12.50',
  )
})

test('an empty file, one cut inside a quote, one of another encoding, a header that stands twice: one finding each', async () => {
  const code = async (ledger: string | Buffer, more = '') =>
    codes(await findingsOf(files(ledger, NET_MAP + more)))
  assert.equal(await code(''), ['empty-file'])
  assert.equal(await code(NET.replace('1000,5.00', '"1000,5.00')), ['unreadable-csv'])
  const latin = Buffer.from(NET.replace('Entry', 'Entré').replaceAll('rent', 'rént'), 'latin1')
  assert.equal(await code(latin, ', encoding: utf-8'), ['undecodable-text'])
  assert.equal(await code(NET.replace('Entry', 'Net')), [
    'missing-column',
    'duplicate-column',
    'columns-not-read',
  ])
})

/** What a general ledger export of each system looks like; two entries of three lines in all. */
const SYSTEMS: Readonly<
  Record<string, { readonly ledger: string; readonly map: Readonly<Record<string, string>> }>
> = {
  'Business Central': {
    ledger: `Posting Date,Document Type,Document No.,G/L Account No.,G/L Account Name,Description,Gen. Posting Type,Amount,Bal. Account No.,Entry No.
01/31/25,Invoice,1001,1100,Debtors,Order 7,Sale,"1,250.00",,1
01/31/25,Invoice,1001,4000,Sales,Order 7,Sale,"-1,250.00",,2
01/31/25,Payment,1001,1000,Bank,Order 7,,500.00,,3
01/31/25,Payment,1001,1100,Debtors,Order 7,,-500.00,,4
02/28/25,Invoice,1002,6000,Rent,February,,80.00,,5
02/28/25,Invoice,1002,1000,Bank,February,,-80.00,,6
`,
    map: {
      transaction_id: 'Document No.',
      date: 'Posting Date',
      account: 'G/L Account No.',
      amount: 'Amount',
    },
  },
  NetSuite: {
    ledger: `Internal ID,Date,Type,Document Number,Account Number,Memo,Amount (Debit),Amount (Credit)
501,1/31/2025,Invoice,INV1,1100,Order,1250.00,
501,1/31/2025,Invoice,INV1,4000,Order,,1250.00
502,2/28/2025,Bill,B1,6000,Rent,80.00,
502,2/28/2025,Bill,B1,1000,Rent,,80.00
`,
    map: {
      transaction_id: 'Internal ID',
      date: 'Date',
      account: 'Account Number',
      debit: 'Amount (Debit)',
      credit: 'Amount (Credit)',
    },
  },
  'Sage 50': {
    ledger: `Account ID,Account Description,Date,Reference,Jrnl,Trans Description,Debit Amt,Credit Amt
1100,Debtors,1/31/25,1001,SJ,Order,1250.00,
4000,Sales,1/31/25,1001,SJ,Order,,1250.00
1000,Bank,2/28/25,1001,CRJ,Receipt,500.00,
1100,Debtors,2/28/25,1001,CRJ,Receipt,,500.00
`,
    map: { date: 'Date', account: 'Account ID', debit: 'Debit Amt', credit: 'Credit Amt' },
  },
  'DATEV-like': {
    ledger: SIDED,
    map: { transaction_id: 'Beleg', date: 'Datum', account: 'Konto', amount: 'Umsatz', direction: 'S/H' },
  },
}

async function adding<T>(
  ledger: string,
  options: AddOptions,
  run: (at: {
    result: Awaited<ReturnType<typeof addCompany>>
    text: string
    build: () => ReturnType<typeof buildIn>
  }) => T | Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-map-'))
  return await inWorkspace(
    {
      'company.yaml': 'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nchartOfAccounts: chart.csv\n',
      'chart.csv': CHART,
    },
    async (workspace) => {
      const path = join(folder, 'gl.csv')
      writeFileSync(path, ledger)
      const result = await addCompany(workspace, 'acme', [path], options)
      const yaml = join(workspace.datasets, 'acme', 'company.yaml')
      const text = readFileSync(yaml, 'utf8')
      const build = () => {
        writeFileSync(yaml, text.replaceAll('basis: FILL IN', 'basis: accrual'))
        return buildIn(workspace, 'acme')
      }
      return run({ result, text, build })
    },
  )
}

const entryOf = (text: string) =>
  (parse(text) as { ledger: { columns?: Record<string, string>; dateFormat?: string }[] }).ledger.at(-1)!

for (const [name, { ledger, map }] of Object.entries(SYSTEMS))
  test(`add proposes a map for ${name}`, () =>
    adding(ledger, { map: {} }, ({ result, text }) => {
      assert.equal(result.findings, [])
      const { columns } = entryOf(text)
      for (const [column, header] of Object.entries(map)) assert.is(columns![column], header, column)
      const [proposed] = result.maps
      assert.is(proposed!.file, 'ledger/gl.csv')
      assert.match(proposed!.columns.find(({ column }) => column === 'transaction_id')!.why, 'balance by it')
    }))

test('the worked examples of the page are settings that hold', () => {
  const page = readFileSync(resolve(import.meta.dirname, '../../../datasets/formats/column-maps.md'), 'utf8')
  const entries = [...page.matchAll(/^ {2}- \{ files: .*\}$/gm)].map(([line]) => line)
  assert.is(entries.length, 2)
  for (const entry of entries) {
    const company = { ...(parse(companyYaml()) as object), ...(parse(`ledger:\n${entry}`) as object) }
    const read = companySchema.safeParse(company)
    assert.ok(read.success, `${entry}: ${read.error?.message}`)
    for (const column of Object.keys(read.data!.ledger[0]!.columns!))
      assert.ok(column === 'direction' || (LEDGER_COLUMNS as readonly string[]).includes(column), column)
  }
})

test('a document number that is used twice is told apart by what makes the entries balance', () =>
  adding(
    'Buchung,Datum,Konto,Netto,Art\nA,2025-01-05,1000,10.00,X\nA,2025-01-05,4000,-10.00,X\nA,2025-01-06,1000,7.00,Y\nB,2025-01-06,4000,-7.00,Y\nB,2025-01-07,1000,3.00,Z\nB,2025-01-07,4000,-3.00,Z\n',
    { map: { amount: 'Netto' } },
    ({ text, result }) => {
      assert.is(entryOf(text).columns!.transaction_id, 'Art')
      assert.is(result.maps[0]!.columns.find(({ column }) => column === 'amount')!.why, 'as you said')
    },
  ))

test('--map reads headers that mean nothing, by what stands in them; what cannot be told is a blank', () =>
  adding(
    'F1,F2,F3,F4\n7,2025-01-05,1000,10.00\n7,2025-01-05,4000,-10.00\n8,2025-01-06,1000,5.00\n8,2025-01-06,4000,-5.00\n',
    { map: {} },
    async ({ text, result, build }) => {
      assert.equal(entryOf(text).columns, { transaction_id: 'F1', date: 'F2', account: 'F3', amount: 'F4' })
      assert.equal(
        result.maps[0]!.columns.map(({ column, why, samples }) => `${column}: ${why} (${samples.join(' ')})`),
        [
          'transaction_id: all 2 entries balance by it (7 8)',
          'date: holds dates (2025-01-05 2025-01-06)',
          'account: holds accounts of the chart (1000 4000)',
          'amount: holds amounts with decimals (10.00 -10.00 5.00)',
        ],
      )
      assert.equal((await build()).statement('ProfitAndLoss').totals.NetIncome, ['15.00'])
    },
  ))

test('without --map a file whose headers mean nothing stays unknown', () =>
  adding('F1,F2,F3,F4\n7,2025-01-05,1000,10.00\n', {}, ({ result }) => {
    assert.equal(codes(result.findings), ['unknown-file'])
  }))

test('what somebody says of a column or a header that is not there is refused', async () => {
  await adding(NET, { map: { amout: 'Net' } }, ({ result }) =>
    assert.match(only(result.findings, 'unknown-column').remedy!, 'amount'),
  )
  await adding(NET, { map: { amount: 'Gross' } }, ({ result }) =>
    assert.match(only(result.findings, 'unknown-file').message, 'amount=Gross'),
  )
})

test('what somebody says holds: another sign, two columns', () =>
  adding(NET, { map: { amount: '-Net', transaction_id: 'Day + Entry' } }, async ({ text, build }) => {
    assert.is(entryOf(text).columns!.amount, '-Net')
    assert.is(entryOf(text).columns!.transaction_id, 'Day + Entry')
    assert.equal((await build()).statement('ProfitAndLoss').totals.NetIncome, ['45.00'])
  }))

const MEMO_ONLY =
  'Date,Account ID,Account,Memo,Amount\n2025-01-03,1000,Bank,Capital paid in,500.00\n2025-01-03,3000,Capital,Capital paid in,-500.00\n2025-01-05,5000,Rent,Rent January,100.00\n2025-01-05,1000,Bank,Rent January,-100.00\n'

for (const [what, ledger] of [
  ['a memo', MEMO_ONLY],
  ['a text of another name', MEMO_ONLY.replace('Memo', 'What for')],
] as const)
  test(`${what} is never proposed as the entry's number, though entries balance by it`, () =>
    adding(ledger, { map: {} }, ({ text }) => {
      assert.is(entryOf(text).columns!.transaction_id, 'FILL IN')
    }))

test('a number of the document is preferred to its text', () =>
  adding(
    MEMO_ONLY.replace('Memo', 'What for,Doc')
      .replaceAll(/(paid in|January)/g, '$1,JE-1')
      .replaceAll('January,JE-1', 'January,JE-2'),
    { map: {} },
    ({ text }) => {
      assert.is(entryOf(text).columns!.transaction_id, 'Doc')
    },
  ))

test('a column that is named on the command line changes no other proposal', async () => {
  const ledger =
    'Day,Account,Account ID,Id,Note,Change\n2025-01-03,Bank,1000,a1,Capital paid in,500.00\n2025-01-03,Capital,3000,a1,Capital paid in,-500.00\n2025-01-05,Rent,5000,a2,Rent January,100.00\n2025-01-05,Bank,1000,a2,Rent January,-100.00\n'
  const columns = (map: Record<string, string>) =>
    adding(ledger, { map }, ({ text }) => entryOf(text).columns!)
  const proposed = await columns({})
  assert.equal(await columns({ account: 'Account ID' }), { ...proposed, account: 'Account ID' })
  assert.is(proposed.transaction_id, 'Id')
})

test('--map for a file that needs none says so', () =>
  adding('#FLAGGA 0\n#SIETYP 4\n#RAR 0 20250101 20251231\n', { map: {} }, ({ result }) => {
    assert.match(only(result.findings, 'unknown-file').message, 'SIE')
    assert.match(only(result.findings, 'unknown-file').remedy!, 'without --map')
  }))

cases(test, new URL('cases/column-map.yaml', import.meta.url))
