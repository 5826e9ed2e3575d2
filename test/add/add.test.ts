/** `tieout init` and `tieout add`: what they write can be read back, and nothing of anyone's is overwritten. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as assert from 'uvu/assert'
import writeXlsx from 'write-excel-file/node'
import { parse } from 'yaml'
import { build } from '../../builder/build/build.ts'
import { type AddOptions, type AddResult, addCompany } from '../../builder/ingest/add/add.ts'
import { readLedger } from '../../builder/ingest/ledger.ts'
import { readTables } from '../../builder/ingest/tables/table.ts'
import { Scratch } from '../../builder/ingest/text/scan.ts'
import type { Company } from '../../builder/workspace/company.ts'
import { FindingsError } from '../../builder/workspace/findings/finding.ts'
import { initWorkspace } from '../../builder/workspace/init.ts'
import { findFiles } from '../../builder/workspace/source-files.ts'
import { openWorkspace, readCompany, type Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { column, fields } from '../support/fields.ts'
import { writeParquet } from '../support/parquet.ts'
import { storedZip } from '../support/stored-zip.ts'
import { codes, ledgerCsv } from '../support/workspace.ts'

const samples = resolve(import.meta.dirname, '../../../shared/samples/sie')

interface Context {
  root: string
  workspace: Workspace
  /** Of the company, and its company.yaml. */
  folder: string
  yaml: string
  /** Writes company.yaml as somebody had it before. */
  had(text: string | Buffer): void
  /** Writes a file outside the workspace and gives its path. */
  file(name: string, content: string | Buffer): string
  /** Reads a file of the company. */
  text(name?: string): string
  /** Adds files to it. */
  add(files: readonly string[], options?: AddOptions): Promise<AddResult>
}
const context = {} as Context
const test = suite<Context>('tieout add', context)
test.before.each((at) => {
  at.root = mkdtempSync(join(tmpdir(), 'tieout-add-'))
  initWorkspace(join(at.root, 'books'))
  at.workspace = openWorkspace(join(at.root, 'books'))
  at.folder = join(at.workspace.datasets, 'acme')
  at.yaml = join(at.folder, 'company.yaml')
  at.had = (text) => {
    mkdirSync(at.folder, { recursive: true })
    writeFileSync(at.yaml, text)
  }
  at.file = (name, content) => {
    writeFileSync(join(at.root, name), content)
    return join(at.root, name)
  }
  at.text = (name = 'company.yaml') => readFileSync(join(at.folder, name), 'utf8')
  at.add = (files, options) => addCompany(at.workspace, 'acme', files, options)
})

const SIE = [
  '#FLAGGA 0',
  '#SIETYP 4',
  '#FNAMN "Acme: bygg, AB"',
  '#RAR 0 20240101 20241231',
  '#KONTO 1930 "Bank {huvud}"',
  '#KONTO 3010 Sales',
  '#DIM 1 Kostnadsställe',
  '#DIM 7 Anställd',
  '#VER A 1 20240115 Sale',
  '{',
  '#TRANS 1930 {} 100',
  '#TRANS 3010 {} -100',
  '}',
  '#UB 0 1930 100',
  '',
].join('\n')
const LEDGER = 'transaction_id,date,account,amount\n1,2024-01-31,1000,5\n1,2024-01-31,4000,-5\n'
const CHART = 'id,name,classification\n1000,Cash,Asset\n4000,Sales,Income\n'

test('init makes a workspace that opens, and refuses a second time', (at) => {
  const folder = join(at.root, 'new', 'deep')
  assert.equal(initWorkspace(folder).created, ['tieout.yaml', 'datasets/', 'snapshots/', '.gitignore'])
  assert.is(openWorkspace(folder).server.issuer, 'http://127.0.0.1:8080')
  writeFileSync(join(folder, 'tieout.yaml'), 'datasets: mine\n')
  assert.throws(
    () => initWorkspace(folder),
    (problem: unknown) =>
      problem instanceof FindingsError && problem.findings[0]!.code === 'workspace-exists',
  )
  assert.is(readFileSync(join(folder, 'tieout.yaml'), 'utf8'), 'datasets: mine\n')
})

test('init leaves what is in the folder', (at) => {
  const folder = join(at.root, 'used')
  mkdirSync(join(folder, 'datasets', 'old'), { recursive: true })
  assert.equal(initWorkspace(folder).created, ['tieout.yaml', 'snapshots/', '.gitignore'])
  assert.ok(existsSync(join(folder, 'datasets', 'old')))
})

test('init keeps keys and state out of a repository, also where there is a .gitignore already', (at) => {
  const [fresh, used, knowing] = ['fresh', 'used', 'knowing'].map((name) => join(at.root, `git-${name}`))
  initWorkspace(fresh!)
  assert.match(readFileSync(join(fresh!, '.gitignore'), 'utf8'), /^\.tieout\/$/m)
  for (const [folder, text] of [
    [used!, '*.tmp'],
    [knowing!, '.tieout\n'],
  ] as const) {
    mkdirSync(folder, { recursive: true })
    writeFileSync(join(folder, '.gitignore'), text)
    initWorkspace(folder)
  }
  assert.match(readFileSync(join(used!, '.gitignore'), 'utf8'), /^\*\.tmp\n# Tieout.*\n\.tieout\/\n/)
  assert.is(readFileSync(join(knowing!, '.gitignore'), 'utf8'), '.tieout\n')
})

test('a SIE file is ready to build', async (at) => {
  const result = await at.add([at.file('Acme 2024.SI', SIE)])
  assert.equal(result.findings, [])
  assert.equal(result.questions, [])
  assert.is(result.companyFile, 'created')
  assert.equal(fields(result.files, 'to', 'kind', 'wasThere'), [['ledger/Acme 2024.se', 'sie', false]])
  assert.is(at.text('ledger/Acme 2024.se'), SIE)
  const company = readCompany(at.workspace, 'acme').value!
  assert.is(company.name, 'Acme: bygg, AB')
  assert.is(company.fiscalMonthEnd, 12)
  assert.is(company.currency, 'SEK')
  assert.is(company.fiscalYears, undefined)
  assert.equal(company.accounts, {
    '1930': { classification: 'Asset', type: 'Bank' },
    '3010': { classification: 'Income', type: 'Sales' },
  })
  assert.equal(company.dimensions, { '1': 'department', '7': 'none' })
  assert.match(at.text(), '"1930": { classification: Asset, type: Bank } # Bank {huvud}')
  assert.equal(readdirSync(join(at.folder, 'ledger')), ['Acme 2024.se'])
})

for (const dimensions of ['', '{ "1": klass, "7": class }'])
  test(`a file is added beside "dimensions: ${dimensions}" in company.yaml`, async (at) => {
    at.had(`id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\ndimensions: ${dimensions}\n`)
    const result = await at.add([at.file('a.se', SIE)])
    assert.equal(column(result.files, 'to'), ['ledger/a.se'])
    assert.match(at.text(), '"1930": { classification: Asset, type: Bank }')
  })

test('what a SIE file does not say becomes a blank', async (at) => {
  const text = SIE.replace('#FNAMN', '#FNAM')
    .replace('TRANS 3010', 'TRANS 9100')
    .replace('#KONTO 3010 Sales', '#KONTO 9100 Odd\n#KONTO 9200 Unused')
  const result = await at.add([at.file('a.se', text)])
  assert.equal(
    result.questions.map(({ code, column }) => `${code} ${column}`),
    ['blank accounts.9100.classification'],
  )
  assert.not.match(at.text(), '9200')
})

test('a year of another length is listed', async (at) => {
  await at.add([at.file('a.se', SIE.replace('20240101 20241231', '20230501 20241231'))])
  assert.equal(readCompany(at.workspace, 'acme').value!.fiscalYears, [
    { start: '2023-05-01', end: '2024-12-31' },
  ])
})

test('the next year is added to what is there; comments and corrections stay', async (at) => {
  await at.add([at.file('2024.se', SIE)])
  const path = at.yaml
  const mine = at
    .text()
    .replace(
      '"3010": { classification: Income, type: Sales } # Sales',
      '"3010": { classification: OtherIncome } # rent, says Eva',
    )
    .replace('ledger/*.se', 'ledger/2024.se')
  writeFileSync(path, mine)
  const next = SIE.replaceAll('2024', '2025')
    .replace('#KONTO 3010 Sales', '#KONTO 3010 Sales\n#KONTO 4010 Goods')
    .replaceAll('ställe', 'stalle')
  const result = await at.add([at.file('2025.se', next)])
  assert.is(result.companyFile, 'extended')
  assert.equal(result.questions, [])
  assert.equal(result.changes, ['ledger.0.files: ledger/*.se', 'accounts: 1 added'])
  assert.match(at.text(), '# rent, says Eva')
  const company = readCompany(at.workspace, 'acme').value!
  assert.is(company.accounts!['3010']!.classification, 'OtherIncome')
  assert.is(company.accounts!['4010']!.classification, 'CostOfSales')
  assert.equal(column(company.ledger, 'files'), ['ledger/*.se'])
})

test('adding the same file again changes nothing', async (at) => {
  const file = at.file('a.se', SIE)
  await at.add([file])
  const before = at.text()
  const result = await at.add([file, file])
  assert.is(result.companyFile, 'unchanged')
  assert.equal(column(result.files, 'wasThere'), [true])
  assert.is(at.text(), before)
})

test('tables are recognised by their headers, the questions are blanks', async (at) => {
  const xlsx = join(at.root, 'Budget 2025.xlsx')
  await writeXlsx([
    [{ value: 'Account' }, { value: 'Jan 2025' }],
    [{ value: '4000' }, { value: 12.5 }],
  ]).toFile(xlsx)
  const files = [
    at.file('accrual.csv', LEDGER),
    at.file('cash.csv', LEDGER.replaceAll('2024-01-31', '31.01.2024').replaceAll(',', ';')),
    at.file('accounts.csv', CHART),
    at.file('my classes.csv', 'id,name,parent\nn,North,\n'),
    at.file('Departments.csv', 'Id,Name\nx,Ops\n'),
    xlsx,
    at.file(
      'kpi.csv',
      'metric,date,value\nheadcount,2024-01-31,5\nheadcount,2024-02-29,6\nunits,2024-01-31,70 %\n',
    ),
  ]
  const result = await at.add(files)
  assert.equal(result.findings, [])
  assert.equal(
    result.files.map(({ to, kind }) => `${kind} ${to}`),
    [
      'ledger ledger/accrual.csv',
      'ledger ledger/cash.csv',
      'chart accounts.csv',
      'classes my classes.csv',
      'departments Departments.csv',
      'budget budgets/Budget 2025.xlsx',
      'metrics metrics/kpi.csv',
    ],
  )
  assert.equal(column(result.questions, 'column'), [
    'fiscalMonthEnd',
    'currency',
    'ledger.0.basis',
    'ledger.1.basis',
    'nonFinancial.0.aggregation',
    'nonFinancial.1.aggregation',
  ])
  assert.match(result.mayWait.map(({ text }) => text).join(), /^opening: FILL IN #/)
  const answers = ['12', 'EUR', 'accrual', 'cash', 'last', 'sum', 'none']
  writeFileSync(
    at.yaml,
    at.text().replace(/(?<=: )FILL IN(?! *over)/g, () => answers.shift()!),
  )
  const company = readCompany(at.workspace, 'acme')
  assert.equal(company.findings, [])
  assert.equal(company.value!.ledger, [
    { files: 'ledger/accrual.csv', basis: 'accrual' },
    { files: 'ledger/cash.csv', basis: 'cash', dateFormat: 'DD.MM.YYYY' },
  ])
  assert.equal(company.value!.budgets, [
    { id: 'budget-2025', name: 'Budget 2025', files: 'budgets/Budget 2025.xlsx' },
  ])
  assert.equal(fields(company.value!.nonFinancial!, 'id', 'unit'), [
    ['headcount', ''],
    ['units', '%'],
  ])
  assert.is(company.value!.chartOfAccounts!.files, 'accounts.csv')
})

test('a chart first, the ledger later: its blank is filled', async (at) => {
  const first = await at.add([at.file('chart.csv', CHART)])
  assert.ok(first.questions.some(({ column }) => column === 'ledger.0.files'))
  const second = await at.add([at.file('gl.csv', LEDGER)])
  assert.equal(second.changes, ['ledger: ledger/gl.csv'])
  assert.ok(second.questions.some(({ column }) => column === 'ledger.0.basis'))
  assert.not.match(at.text(), 'files: FILL IN')
})

test('a ledger first, the chart later: its blank is filled', async (at) => {
  await at.add([at.file('gl.csv', LEDGER)])
  assert.match(at.text(), /chartOfAccounts: FILL IN/)
  await at.add([at.file('chart.csv', CHART)])
  assert.match(at.text(), /chartOfAccounts: chart\.csv #/)
})

const CASH_FLOW_CHART = `id,number,name,classification,type
1,,Bank,Asset,Bank
10,,Gain on sale of equipment,OtherIncome,OtherIncome
11,,Förlust vid avyttring av maskiner,Expense,Expense
12,,"Valeurs comptables des éléments d'actif cédés",OtherExpense,OtherExpense
13,,Erlöse aus Verkäufen Sachanlagevermögen (bei Buchgewinn),OtherIncome,OtherIncome
14,,Boekwinst verkoop vaste activa,OtherIncome,OtherIncome
15,,Beneficios procedentes del inmovilizado material,OtherIncome,OtherIncome
16,,Gain on exchange,OtherIncome,OtherIncome
17,,Sales of equipment,Income,Sales
20,,Dividends payable,Liability,OtherCurrentLiability
21,,Current portion of long-term debt,Liability,OtherCurrentLiability
22,,Outtagen vinstutdelning,Liability,OtherCurrentLiability
23,,Loan from shareholder,Liability,LongTermLiability
24,,Verbindlichkeiten gegenüber Gesellschaftern,Liability,OtherCurrentLiability
25,,Trade notes payable,Liability,OtherCurrentLiability
26,,Accrued interest on loans,Liability,OtherCurrentLiability
27,,Lease liabilities,Liability,
30,,"Line of credit, First Bank",Liability,OtherCurrentLiability
31,,Checkräkningskredit,Liability,LongTermLiability
32,,Overdraft protection fees,Expense,Expense
`

test('what the cash flow needs to know of accounts is proposed by their names and numbers, to be checked', async (at) => {
  const { assumed, questions } = await at.add([at.file('chart.csv', CASH_FLOW_CHART)])
  const { disposals, cashFlow, overdrafts } = parse(at.text()) as Partial<Company>
  assert.equal(disposals, { gainsAndLosses: ['10', '11', '12', '13', '14', '15'] })
  assert.equal(Object.keys(cashFlow ?? {}), ['20', '21', '22', '24', '27'])
  assert.equal(overdrafts, ['30'])
  const said = assumed.map(({ text }) => text).join('\n')
  assert.match(said, /^disposals: .*please check/m)
  assert.match(said, /^"20": Financing # Dividends payable.*please check/m)
  assert.match(said, /^overdrafts: .*31 Checkräkningskredit.*"31": Cash/m)
  assert.not.ok(questions.some(({ column }) => /disposals|overdrafts|cashFlow/.test(column ?? '')))

  const before = at.text()
  await at.add([at.file('chart.csv', CASH_FLOW_CHART)])
  assert.is(at.text(), before)
})

test('accounts of disposals are known by their number in a national chart, and an owner’s answer stays', async (at) => {
  const sie = SIE.replace(
    '#KONTO 3010 Sales',
    '#KONTO 3010 Sales\n#KONTO 3973 X\n#KONTO 7971 Y\n#KONTO 2898 Utdelning',
  )
  await at.add([at.file('a.se', sie)])
  const company = readCompany(at.workspace, 'acme').value!
  assert.equal(
    [company.disposals?.gainsAndLosses, company.cashFlow],
    [['3973', '7971'], { 2898: 'Financing' }],
  )
  const path = at.yaml
  writeFileSync(
    path,
    at
      .text()
      .replace(/^ *"2898": Financing.*\n/m, '')
      .replace(/^disposals:.*\n/m, ''),
  )
  await at.add([at.file('b.se', sie.replaceAll('2024', '2025'))])
  assert.not.match(at.text(), /disposals:|"2898": Financing/)
})

test('a ledger with its own basis column is not asked for one', async (at) => {
  const text = 'transaction_id,date,account,debit,credit,basis\n1,2024-01-31,1000,5,,accrual\n'
  await at.add([at.file('gl.csv', text)])
  assert.match(at.text(), '{ files: ledger/gl.csv }')
})

test('a chart in the same command is a chart beside --map too, and tells which column holds accounts', async (at) => {
  const ledger =
    'F1,F2,F3,F4\n7,2025-01-05,1000 Cash,10.00\n7,2025-01-05,4000,-10.00\n8,2025-01-06,1000 Cash,5.00\n8,2025-01-06,4000,-5.00\n'
  const { findings, files } = await addCompany(
    at.workspace,
    'acme',
    [at.file('gl.csv', ledger), at.file('chart.csv', CHART)],
    { map: {} },
  )
  assert.equal(findings, [])
  assert.equal(
    files.map(({ to, kind }) => `${kind} ${to}`),
    ['ledger ledger/gl.csv', 'chart chart.csv'],
  )
  const { columns } = ledgerEntry(at).entry!
  assert.equal(columns, { transaction_id: 'F1', date: 'F2', account: 'F3', amount: 'F4' })
})

test('what Windows, macOS and spreadsheet programs leave in a folder is passed over, and named', async (at) => {
  const names = ['Thumbs.db', '.DS_Store', 'desktop.ini', '~$gl.xlsx', '.~lock.gl.xlsx#']
  const odd = names.map((name) => at.file(name, Buffer.from('d0cf11e0a1b11ae1', 'hex')))
  const { files, findings } = await at.add([at.file('gl.csv', LEDGER), ...odd])
  assert.equal(column(files, 'to'), ['ledger/gl.csv'])
  assert.equal(
    findings.map(({ severity, code }) => `${severity} ${code}`),
    ['warning left-behind-file'],
  )
  for (const name of names) assert.match(findings[0]!.message, name)
  const folder = at.folder
  for (const name of names) writeFileSync(join(folder, 'ledger', name), 'x')
  assert.equal((await findFiles(folder, 'ledger/*', 'ledger')).files, ['ledger/gl.csv'])
  const none = await addCompany(at.workspace, 'other', odd)
  assert.equal(
    none.findings.map(({ severity, code }) => `${severity} ${code}`),
    ['error left-behind-file'],
  )
})

for (const [name, content, message, remedy] of [
  [
    'EXTF_Buchungsstapel.csv',
    '"EXTF";700;21;"Buchungsstapel"\nUmsatz;Soll/Haben-Kennzeichen;Konto;Belegdatum\n1,00;S;1000;0101\n',
    'DATEV',
    'Buchungsjournal',
  ],
  ['report.pdf', '%PDF-1.7\n%âãÏÓ\n', 'is a PDF', '.xlsx or CSV'],
  [
    'ledger.xls',
    '<html><body><table><tr><td>Date</td></tr></table></body></html>',
    'web page',
    'save it as .xlsx',
  ],
  ['a.zip', storedZip({ 'gl.csv': LEDGER }), 'zip archive of gl.csv', 'unpack'],
  [
    'a.ods',
    storedZip({ mimetype: 'application/vnd.oasis.opendocument.spreadsheet', 'content.xml': '<a/>' }),
    'OpenDocument',
    'save it as .xlsx',
  ],
  [
    'old.xls',
    Buffer.concat([
      Buffer.from('d0cf11e0a1b11ae1', 'hex'),
      Buffer.alloc(504),
      Buffer.from('Workbook', 'utf16le'),
    ]),
    'old form',
    'save it as .xlsx',
  ],
  ['gl.gz', Buffer.from('1f8b08080a3b4c6700036772', 'hex'), 'compressed', 'unpack'],
] as const)
  test(`${name} is refused with what it is and what to do, by add and by a build`, async (at) => {
    const { findings } = await at.add([at.file(name, content)])
    assert.is(findings.length, 1)
    assert.match(findings[0]!.message, message)
    assert.match(findings[0]!.remedy!, remedy)
    const company = { ledger: [{ files: name }], chartOfAccounts: { files: name } } as unknown as Company
    const scratch = new Scratch()
    const built = await readLedger(at.root, company, scratch)
    assert.match(built.findings[0]!.message, message)
    const chart = await readTables(at.root, { files: name }, 'chart', 'chartOfAccounts')
    assert.match(chart.findings[0]!.message, message)
    await scratch.dispose()
  })

for (const [header, message] of [
  ['Konto;Notiz;Was', 'a trial balance'],
  ['Date,Description,Debit,Credit', /a ledger \(there is no column for transaction_id, account\)/],
  ['JournalCode,EcritureDate,Compte,Montant', /FEC \(there is no column for CompteNum\)/],
  [
    'Datum;Saldo;Notiz',
    /a ledger \(there is no column for transaction_id, account, amount.*\), and to a budget \(there is no column for account, months\)/,
  ],
] as const)
  test(`a file with the header ${header} is not known: what it comes nearest to is named`, async (at) => {
    const { findings } = await at.add([at.file('x.csv', `${header}\na,b,c,d\n`)])
    assert.match(findings[0]!.message, message)
    assert.match(findings[0]!.message, /comes nearest to .*, and to /)
    assert.match(findings[0]!.remedy!, '--map')
  })

const refused: readonly (readonly [
  name: string,
  code: string,
  prepare: (at: Context) => string[],
  id?: string,
])[] = [
  ['an unknown table', 'unknown-file', (at) => [at.file('x.csv', 'Datum;Saldo;Notiz\n1;2;3\n')]],
  ['bytes that are nothing', 'unknown-file', (at) => [at.file('x.bin', Buffer.from([1, 2, 3, 0, 255]))]],
  ['an empty file', 'empty-file', (at) => [at.file('x.csv', '')]],
  ['a file that is not there', 'no-such-file', (at) => [join(at.root, 'none.se')]],
  ['a folder', 'no-such-file', (at) => [at.root]],
  ['SIE without vouchers', 'sie-type', (at) => [at.file('a.se', SIE.replace('#SIETYP 4', '#SIETYP 3'))]],
  [
    'SIE whose balances cannot be read',
    'balances-unreadable',
    (at) => [at.file('a.se', SIE.replace(/(#[IU]B.*)\d/g, '$1x'))],
  ],
  ['SIE for import', 'sie-import-file', (at) => [at.file('a.se', SIE.replace(/#UB.*/, ''))]],
  ['a list of what?', 'ambiguous-list', (at) => [at.file('list.csv', 'id,name\n1,North\n')]],
  ['an id that cannot be one', 'company-id', (at) => [at.file('a.se', SIE)], 'Acme AB'],
  ['an id that leaves the folder', 'company-id', (at) => [at.file('a.se', SIE)], '../acme'],
  ['a broken workbook', 'unreadable-xlsx', (at) => [at.file('a.xlsx', Buffer.from('PK\x03\x04rubbish'))]],
  [
    'two files of one name',
    'file-exists',
    (at) => {
      mkdirSync(join(at.root, 'b'))
      return [at.file('a.se', SIE), at.file('b/a.se', `${SIE}\n`)]
    },
  ],
]
for (const [name, code, prepare, id = 'acme'] of refused)
  test(`${name}: ${code}, and nothing is written`, async (at) => {
    const result = await addCompany(at.workspace, id, [...prepare(at), at.file('good.csv', LEDGER)])
    assert.ok(
      result.findings.some((found) => found.code === code),
      JSON.stringify(result.findings),
    )
    assert.ok(result.findings.every((found) => found.remedy !== null))
    assert.equal(readdirSync(at.workspace.datasets), [])
  })

test('another file of the same name is not overwritten', async (at) => {
  await at.add([at.file('a.se', SIE)])
  const result = await at.add([at.file('a.se', `${SIE}#KONTO 4010 x\n`)])
  assert.equal(codes(result.findings), ['file-exists'])
  assert.is(at.text('ledger/a.se'), SIE)
})

test('a newer export takes the place of the one before, where that is asked for', async (at) => {
  await at.add([at.file('a.se', SIE)])
  const yaml = at.text()
  const newer = `${SIE}#KONTO 3020 Export\n`
  const result = await at.add([at.file('a.se', newer)], { replace: true })
  assert.equal(fields(result.files, 'to', 'wasThere', 'replaced'), [['ledger/a.se', false, true]])
  assert.is(at.text('ledger/a.se'), newer)
  assert.ok(at.text().startsWith(yaml.trimEnd()), 'what was written stays')
})

test('a newer export of the same days under another name is offered as the successor', async (at) => {
  await at.add([at.file('a.se', SIE)])
  const newer = at.file('a (1).se', `${SIE}#KONTO 3020 Export\n`)
  const offered = await at.add([newer])
  assert.equal(codes(offered.findings), ['period-there-already'])
  assert.match(offered.findings[0]!.message, /2024-01-01 to 2024-12-31; ledger\/a\.se, which is there/)
  assert.match(offered.findings[0]!.remedy!, /tieout add acme '.*a \(1\)\.se' --replace$/)
  assert.not.ok(existsSync(join(at.folder, 'ledger', 'a (1).se')))
  const replaced = await at.add([newer], { replace: true })
  assert.equal(fields(replaced.files, 'to', 'instead'), [['ledger/a (1).se', ['ledger/a.se']]])
  assert.not.ok(existsSync(join(at.folder, 'ledger', 'a.se')))
  const next = at.file('b.se', SIE.replaceAll('2024', '2025'))
  assert.equal((await at.add([next])).findings, [])
})

test('a second chart is a question for the owner', async (at) => {
  await at.add([at.file('chart.csv', CHART)])
  const result = await at.add([at.file('chart-2.csv', CHART)])
  assert.equal(codes(result.findings), ['already-set'])
  assert.not.ok(existsSync(join(at.folder, 'chart-2.csv')))
})

test('two lists of one kind at once are a question too', async (at) => {
  for (const [name, text] of [
    ['chart', CHART],
    ['departments', 'id,name\nshop,Shop\n'],
  ] as const) {
    const files = [1, 2].map((n) => at.file(`${name}-${n}.csv`, text))
    const { findings } = await at.add(files)
    assert.equal(codes(findings), ['already-set'])
    assert.match(findings[0]!.message, `${name}-1.csv is one too`)
  }
  assert.not.ok(existsSync(at.folder))
})

const LIST = 'must be a list, each of its entries on a line that begins with "-"'
for (const [settings, row, key, says] of [
  ['fiscalYears: 5', 2, 'fiscalYears', LIST],
  ['ledger: text', 2, 'ledger', LIST],
  ['ledger: { files: "*.se" }', 2, 'ledger', LIST],
  ['budgets:\n  q1: { files: b.csv }', 3, 'budgets', LIST],
  ['metrics: 1', 2, 'metrics', LIST],
  ['nonFinancial: heads', 2, 'nonFinancial', LIST],
  ['trialBalance: tb.csv', 2, 'trialBalance', LIST],
  ['fiscalYears: [2024]', 2, 'fiscalYears.0', 'must be a map of keys'],
  ['ledger:\n  - { files: [a.se, b.se] }', 3, 'ledger.0.files', 'must be text'],
  ['dimensions: text', 2, 'dimensions', 'must be a map of keys'],
  ['dimensions: [1, 6]', 2, 'dimensions', 'must be a map of keys'],
  ['accounts: all', 2, 'accounts', 'must be a map of keys'],
  ['cashFlow: [Cash]', 2, 'cashFlow', 'must be a map of keys'],
  ['chartOfAccounts: 5', 2, 'chartOfAccounts', 'must name a file, or be a map with "files"'],
] as const)
  test(`a company.yaml with "${settings.replace(/\s+/g, ' ')}" is left alone, and its line is named`, async (at) => {
    const text = `id: acme\n${settings}\n`
    at.had(text)
    const { findings, files } = await at.add([at.file('a.se', SIE)])
    assert.equal(fields(findings, 'code', 'file', 'row', 'column'), [
      ['invalid-setting', 'company.yaml', row, key],
    ])
    assert.ok(findings[0]!.message.startsWith(says), findings[0]!.message)
    assert.equal(files, [])
    assert.is(at.text(), text)
  })

for (const [what, text, code, row] of [
  ['is not YAML', 'id: [', 'yaml-syntax', 1],
  ['is a list', '- a\n- b\n', 'invalid-setting', 1],
  ['is a text', 'just text', 'invalid-setting', 1],
  ['has an alias that names nothing', 'id: acme\nledger: *years\n', 'yaml-alias', 2],
  // Its letters would be lost.
  ['is in Latin-1', Buffer.from('id: acme\nname: Åkeri\n', 'latin1'), 'undecodable-text', null],
] as const)
  test(`a company.yaml that ${what} is left alone`, async (at) => {
    at.had(text)
    const { findings } = await at.add([at.file('a.se', SIE)])
    assert.equal(fields(findings, 'code', 'file', 'row'), [[code, 'company.yaml', row]])
    assert.equal(readFileSync(at.yaml), Buffer.from(text))
  })

/** The first ledger entry that was written, and its line. */
const ledgerEntry = (at: Context) => ({
  entry: (readYaml(at).ledger as Record<string, unknown>[])[0],
  line: at
    .text()
    .split('\n')
    .find((line) => line.startsWith('  - { files: ledger/'))!,
})
const readYaml = (at: Context): Record<string, unknown> => parse(at.text())

for (const [what, text, expected] of [
  [
    'a German export in Latin-1',
    Buffer.from(
      'Journal 2025\n\nBelegnr;Datum;Konto;Soll;Haben;Text\n1;15.01.2025;1000;1.234,50;;Müller\n1;15.01.2025;4000;;1.234,50;\n',
      'latin1',
    ),
    {
      decimal: ',',
      thousands: '.',
      dateFormat: 'DD.MM.YYYY',
      columns: {
        transaction_id: 'Belegnr',
        date: 'Datum',
        account: 'Konto',
        debit: 'Soll',
        credit: 'Haben',
        memo: 'Text',
      },
    },
  ],
  [
    'Unicode text of Excel',
    Buffer.from(
      '\ufeff' +
        LEDGER.replaceAll('2024-01-31', '31/01/2024').replaceAll(',', '\t').replace('\t5\n', '\t1,234.50\n'),
      'utf16le',
    ),
    { thousands: ',', dateFormat: 'DD/MM/YYYY' },
  ],
  [
    'an export of another program, without a number of the entry',
    'Posting Date,G/L Account,Net Amount\nJan 31 2024,1000,1\n',
    {
      dateFormat: 'MMM D YYYY',
      columns: {
        transaction_id: 'FILL IN',
        date: 'Posting Date',
        account: 'G/L Account',
        amount: 'Net Amount',
      },
    },
  ],
  ['dates that may mean two', LEDGER.replaceAll('2024-01-31', '03/04/2024'), { dateFormat: 'FILL IN' }],
  ['dates of two forms', LEDGER.replace('2024-01-31', '31.01.2024'), { dateFormat: 'FILL IN' }],
  ['amounts that may mean two', LEDGER.replace(',5\n', ',"1,234"\n'), { decimal: 'FILL IN' }],
] as const)
  test(`the form of ${what} is read from its rows`, async (at) => {
    const result = await at.add([at.file('gl.csv', text)])
    assert.equal(result.findings, [])
    const { entry, line } = ledgerEntry(at)
    assert.equal(entry, { files: 'ledger/gl.csv', basis: 'FILL IN', ...expected })
    for (const [key, value] of Object.entries(expected))
      if (value === 'FILL IN') assert.match(line, new RegExp(`# .*${key}: `), 'says what the blank asks')
  })

test('files alike are one entry, so that one answer serves all, and next month is read too', async (at) => {
  const months = ['jan', 'feb', 'mar'].map((month, i) =>
    at.file(`${month}.csv`, LEDGER.replaceAll('1,2024-01-31', `${i},2024-0${i + 1}-15`)),
  )
  await at.add(months)
  assert.equal(readYaml(at).ledger, [{ files: 'ledger/*.csv', basis: 'FILL IN' }])
  const more = await at.add([at.file('apr.csv', LEDGER.replaceAll('1,2024', '9,2024'))])
  assert.is(more.companyFile, 'unchanged')
})

test('files of one name and several years are one entry beside others', async (at) => {
  const year = (basis: string, n: number) =>
    at.file(`${basis}-202${n}.csv`, LEDGER.replaceAll('1,2024', `${n},202${n}`))
  const files = [1, 2, 3].flatMap((n) => [year('accrual', n), year('cash', n)])
  await at.add(files)
  assert.equal(readYaml(at).ledger, [
    { files: 'ledger/accrual-*.csv', basis: 'FILL IN' },
    { files: 'ledger/cash-*.csv', basis: 'FILL IN' },
  ])
})

test('the basis of a table is asked for, whatever the name of the file says', async (at) => {
  const { questions } = await at.add([at.file('ledger-cash-2025.csv', LEDGER)])
  assert.ok(questions.some(({ column }) => column === 'ledger.0.basis'))
  const { entry, line } = ledgerEntry(at)
  assert.is(entry!.basis, 'FILL IN')
  assert.match(line, '# basis: accrual or cash')
})

test('a journal with account, date and amount is no budget; a budget is', async (at) => {
  const journal = at.file('journal.csv', 'Voucher;Date;Account;Amount;Text\n1;01.04.2024;1130;148 600,00;x\n')
  const budget = at.file('budget.csv', 'account,date,amount\n4000,2024-01,5\n')
  const { files } = await at.add([journal, budget])
  assert.equal(column(files, 'kind'), ['ledger', 'budget'])
  assert.equal(ledgerEntry(at).entry!.columns, {
    transaction_id: 'Voucher',
    date: 'Date',
    account: 'Account',
    amount: 'Amount',
    memo: 'Text',
  })
  assert.equal(readYaml(at).budgets, [{ id: 'budget', name: 'budget', files: 'budgets/budget.csv' }])
})

test('only the sheets that hold the table are named', async (at) => {
  const xlsx = join(at.root, 'l.xlsx')
  const cells = (rows: string[][]) => rows.map((row) => row.map((value) => ({ value })))
  await writeXlsx([
    { sheet: 'Notes', data: cells([['printed by Eva']]) },
    {
      sheet: 'Journal',
      data: cells([
        ['Acme'],
        ...LEDGER.trim()
          .split('\n')
          .map((line) => line.split(',')),
      ]),
    },
  ]).toFile(xlsx)
  await at.add([xlsx])
  assert.is(ledgerEntry(at).entry!.sheet, 'Journal')
})

const realTest = existsSync(samples) ? test : test.skip
if (!existsSync(samples)) process.stderr.write('skipped: ../shared/samples/sie is not there\n')
realTest('real files become companies without a question', async (at) => {
  for (const name of ['transaktioner_ovnbolag.se', 'typ4.se', 'BL0001_typ4.SE']) {
    const id = name.slice(0, 4).toLowerCase()
    const result = await addCompany(at.workspace, id, [join(samples, name)])
    assert.equal([...result.findings, ...result.questions], [])
  }
  assert.is(readCompany(at.workspace, 'bl00').value!.fiscalMonthEnd, 6)
  const yaml = readFileSync(join(at.workspace.datasets, 'bl00', 'company.yaml'), 'utf8')
  assert.match(yaml, 'Obs-konto; assumed, please check')
})
/** A year to date and the next one, in every form without a parser that says which days it covers. */
const months = (
  head: string,
  row: (month: string, n: number) => string,
  ...which: readonly string[]
): string => [head, ...which.map((month, n) => row(month, n))].join('\n').concat('\n')
for (const [what, head, row, map] of [
  [
    'a canonical CSV',
    'transaction_id,date,account,amount',
    (month: string, n: number) =>
      `${n},2025-${month}-05,1000,${n + 5}.50\n${n},2025-${month}-05,4000,-${n + 5}.50`,
    null,
  ],
  [
    'a ledger of another program',
    'Doc,Posting Date,Konto,Net',
    (month: string, n: number) =>
      `${n},05.${month}.2025,1000,${n + 5}.50\n${n},05.${month}.2025,4000,-${n + 5}.50`,
    { transaction_id: 'Doc', date: 'Posting Date', account: 'Konto', amount: 'Net' },
  ],
  [
    'hledger',
    '"txnidx","date","date2","status","code","description","comment","account","amount","commodity","credit","debit","posting-status","posting-comment"',
    (month: string, n: number) =>
      `"${n + 1}","2025-${month}-05","","","","Sale","","assets:bank","${n + 5}.50","USD","","${n + 5}.50","",""\n"${n + 1}","2025-${month}-05","","","","Sale","","income:sales","-${n + 5}.50","USD","${n + 5}.50","","",""`,
    null,
  ],
  [
    'the Audit Data Standard',
    'Journal_ID|Journal_ID_Line_Number|Effective_Date|Fiscal_Year|Period|GL_Account_Number|Amount|Amount_Credit_Debit_Indicator|Amount_Currency',
    (month: string, n: number) =>
      `J${n}|1|2025-${month}-05|2025|${Number(month)}|1000|${n + 5}.50|D|USD\nJ${n}|2|2025-${month}-05|2025|${Number(month)}|4000|${n + 5}.50|C|USD`,
    null,
  ],
] as const)
  test(`${what}: a year to date takes the place of the one before, whatever it is called; others stand beside it`, async (at) => {
    const add = async (name: string, text: string, replace = false) => {
      const { findings, files } = await at.add([at.file(name, text)], {
        replace,
        map,
      })
      return [
        findings.map(({ severity, code, remedy }) => `${severity} ${code}: ${remedy?.includes('--replace')}`),
        files.flatMap(({ instead }) => instead.map((file) => file.split('/').at(-1)!.split('.')[0])),
      ]
    }
    const quarter = months(head, row, '01', '02', '03')
    const half = months(head, row, '01', '02', '03', '04', '05', '06')
    assert.equal(await add('gl.csv', quarter), [[], []])
    assert.equal(await add('gl (1).csv', half), [['error period-there-already: true'], []])
    assert.equal(await add('gl (1).csv', half, true), [[], ['gl']])
    assert.equal(await add('gl.csv', quarter), [['error period-there-already: false'], []])
    // Another journal of the same days, and the months that follow.
    assert.equal(await add('cash book.csv', half.replaceAll('5.50', '7.25')), [[], []])
    assert.equal(await add('later.csv', months(head, row, '07', '08')), [[], []])
  })

const sales = (...which: readonly string[]) =>
  months(
    'transaction_id,date,account,amount',
    (month, n) => `${n},2025-${month}-05,1000,5.50\n${n},2025-${month}-05,4000,-5.50`,
    ...which,
  )

test('the cash basis stands beside the accrual one, though most lines are the same', async (at) => {
  await at.add([at.file('accrual-2025.csv', sales('01', '02', '03'))])
  const { findings } = await at.add([at.file('cash-2025.csv', sales('01', '02', '03', '04'))])
  assert.equal(findings, [])
})

test('what no file says is assumed where it can be told, to be checked, and gives way to what a file says', async (at) => {
  const year = sales('07', '08', '09', '10', '11', '12').concat(
    '9,2026-06-30,1000,1.00\n9,2026-06-30,4000,-1.00\n',
  )
  const { assumed, questions } = await at.add([at.file('gl.csv', year)])
  assert.equal(column(assumed, 'text'), [
    "name: Acme # by the company's id, please check: as reports show it",
    'fiscalMonthEnd: 6 # what was added covers 2025-07 to 2026-06, please check: last month of the fiscal year, 1 to 12',
  ])
  assert.not.ok(questions.some(({ column }) => column === 'name' || column === 'fiscalMonthEnd'))
  // The owner's word holds; what nobody touched gives way.
  const path = at.yaml
  writeFileSync(path, at.text().replace('fiscalMonthEnd: 6', 'fiscalMonthEnd: 3'))
  const next = await at.add([at.file('2027.se', SIE.replaceAll('2024', '2027'))])
  assert.equal(next.assumed, [])
  assert.match(at.text(), 'name: "Acme: bygg, AB" # as reports show it')
  assert.match(at.text(), 'fiscalMonthEnd: 3 #')
})

/** Writes a Parquet file outside the workspace and gives its path. */
async function parquet(at: Context, name: string, query: string): Promise<string> {
  await writeParquet(join(at.root, name), query)
  return join(at.root, name)
}

const LAKE_CHART = 'id,name,classification,type\n1000,Bank,Asset,Bank\n4000,Sales,Income,Sales\n'
const LAKE = `SELECT 'T1' AS transaction_id, DATE '2025-01-05' AS date, account, amount::DECIMAL(18, 2) AS amount
  FROM (VALUES ('1000', 10.00), ('4000', -10.00)) t(account, amount)`

test('a partitioned table of Parquet keeps its folders, and one pattern names its files', async (at) => {
  const files = [
    await parquet(at, 'gl/basis=accrual/month=2025-01/part-0.parquet', LAKE),
    await parquet(
      at,
      'gl/basis=accrual/month=2025-02/part-0.parquet',
      LAKE.replaceAll('T1', 'T2').replace('01-05', '02-05'),
    ),
  ]
  const added = await at.add([...files, at.file('chart.csv', LAKE_CHART)], {
    stated: { name: 'Acme', currency: 'EUR', fiscalMonthEnd: 12 },
  })
  assert.equal(added.findings, [])
  assert.equal(fields(added.files, 'to', 'kind'), [
    ['ledger/basis=accrual/month=2025-01/part-0.parquet', 'ledger'],
    ['ledger/basis=accrual/month=2025-02/part-0.parquet', 'ledger'],
    ['chart.csv', 'chart'],
  ])
  assert.equal((parse(at.text()) as Company).ledger, [{ files: 'ledger/**/*.parquet' }])
  assert.equal(added.questions, [])
  const built = await build(at.workspace, 'acme', { publish: true })
  assert.is(built.outcome, 'published', JSON.stringify(built.findings))
  assert.is(built.postings, 4)
})

test('Parquet with the columns of another program is proposed a map', async (at) => {
  const other = `SELECT * RENAME (transaction_id AS voucher, account AS gl_account, amount AS net_amount) FROM (${LAKE})`
  const added = await at.add([await parquet(at, 'journal.parquet', other), at.file('chart.csv', LAKE_CHART)])
  assert.equal(added.findings, [])
  const [entry] = (parse(at.text()) as { ledger: Record<string, unknown>[] }).ledger
  assert.equal(entry!.columns, {
    transaction_id: 'voucher',
    date: 'date',
    account: 'gl_account',
    amount: 'net_amount',
  })
})

test('Parquet that could not be built is refused before it is copied', async (at) => {
  const double = await parquet(at, 'double.parquet', LAKE.replace('DECIMAL(18, 2)', 'DOUBLE'))
  const [refused] = (await at.add([double])).findings
  assert.equal([refused!.code, refused!.file, refused!.column], ['column-type', 'double.parquet', 'amount'])
  const other = await parquet(at, 'other.parquet', 'SELECT 1 AS a, 2 AS b')
  const [unknown] = (await at.add([other])).findings
  assert.equal([unknown!.code, unknown!.text], ['unknown-file', 'a, b'])
  const cut = at.file('cut.parquet', readFileSync(double).subarray(0, 100))
  const [damaged] = (await at.add([cut])).findings
  assert.is(damaged!.code, 'unreadable-parquet')
  assert.not.ok(existsSync(at.folder))
})

test('--replace of a file that shares days and entries with another: refused, with what to do', async (at) => {
  const chart = at.file(
    'chart.csv',
    'id,number,name,classification,type\n1000,1000,Bank,Asset,Bank\n3000,3000,Capital,Equity,Capital\n6000,6000,Rent,Expense,Expense\n',
  )
  const stated = { currency: 'USD', fiscalMonthEnd: 12, basis: 'accrual' } as const
  /** Each entry is paid by the bank. */
  const ledger = (name: string, ...entries: readonly string[]) => {
    const lines = entries.map((entry) => `${entry}; ${entry.replace(/ \d{4} /, ' 1000 -')}`)
    return at.file(name, ledgerCsv(lines.join('; ')))
  }
  const again = async (...given: Parameters<typeof ledger>) => {
    const { findings, files } = await at.add([ledger(...given)], { stated, replace: true })
    return [files.length, ...fields(findings, 'code', 'remedy').flat()]
  }
  const first = ledger('jan-feb.csv', '1 2025-01-05 3000 1000.00', '2 2025-02-15 6000 30.00')
  assert.equal((await at.add([chart, first], { stated })).findings, [])
  const changed = ['2 2025-02-15 6000 35.00', '3 2025-03-15 6000 40.00']
  assert.equal(await again('feb-mar.csv', ...changed), [
    0,
    'period-there-already',
    'export a period that begins after the other file ends, or all of it in one file',
  ])
  const [, code, remedy] = await again('all.csv', '1 2025-01-05 3000 1001.00', ...changed)
  assert.is(code, 'period-there-already')
  assert.match(String(remedy), /delete ledger\/jan-feb\.csv and add this file again/)
  assert.equal(await again('mar.csv', changed[1]!), [1])
})

const ACCOUNT_LIST =
  'Code,Account Name,Type\n1000,Bank,Bank and Cash\n3000,Capital,Equity\n6000,Rent,Expenses\n6100,Wages,Expenses\n'
const ODOO = `Date,Journal Entry,Account,Partner,Label,Debit,Credit,Balance,Status
2025-01-05,BNK1/2025/0001,1000 Bank,,Own,1000.00,0.00,1000.00,Posted
2025-01-05,BNK1/2025/0001,3000 Capital,,Own,0.00,1000.00,-1000.00,Posted
2025-01-15,MISC/2025/0001,6000 Rent,,G,500.00,0.00,500.00,Posted
2025-01-15,MISC/2025/0001,6100 Wages,,G,50.00,0.00,50.00,Posted
2025-01-15,MISC/2025/0001,1000 Bank,,G,0.00,550.00,-550.00,Posted
`
test('a newer account list changes the kinds that the older one gave, says so, and leaves those of the owner', async (at) => {
  const { workspace, file, text } = at
  const stated = { currency: 'USD', fiscalMonthEnd: 12, basis: 'accrual' } as const
  const first = [file('acc.csv', ACCOUNT_LIST), file('o.csv', ODOO)]
  assert.equal((await at.add(first, { stated })).findings, [])
  const kinds = () => parse(text()).accounts as Record<string, unknown>
  assert.equal(kinds()['6000'], { classification: 'Expense', type: 'Expense' })
  // The owner sees wages as a cost of what is sold.
  writeFileSync(
    at.yaml,
    text()
      .replace('opening: FILL IN', 'opening: none')
      .replace(/"6100": .*}/, '"6100": { classification: CostOfSales }'),
  )
  assert.is((await build(workspace, 'acme', { publish: true })).outcome, 'published')
  const newer = ACCOUNT_LIST.replace('Rent,Expenses', 'Rent,Fixed Assets').replace(
    'Wages,Expenses',
    'Wages,Other Income',
  )
  const { findings, changes } = await at.add([file('acc.csv', newer)], {
    replace: true,
  })
  assert.equal(findings, [])
  assert.match(changes.join('\n'), /accounts\.6000: .*Expense.* is .*"Asset".*"FixedAsset".* now/)
  assert.equal(kinds()['6000'], { classification: 'Asset', type: 'FixedAsset' })
  assert.equal(kinds()['6100'], { classification: 'CostOfSales' })
  const { outcome, findings: told } = await build(workspace, 'acme', { publish: true })
  assert.is(outcome, 'published')
  assert.match(
    told.find(({ code }) => code === 'account-retyped')?.message ?? '',
    /6000 Rent was Expense .* is Asset/,
  )
  // A list beside the other one, which says otherwise.
  file('newest.csv', ACCOUNT_LIST)
  await at.add([join(at.root, 'newest.csv')])
  const refused = await build(workspace, 'acme', { publish: true })
  assert.is(refused.outcome, 'refused')
  const asked = refused.findings.filter(({ code }) => code === 'account-listed-twice')
  assert.equal(fields(asked, 'file', 'row', 'text'), [
    ['odoo/newest.csv', 4, 'Expenses'],
    ['odoo/newest.csv', 5, 'Expenses'],
  ])
})

test('a table of a lake is asked for its basis, unless its files or folders state it', async ({
  workspace,
  file,
}) => {
  const chart = file(
    'chart.csv',
    'id,number,name,classification,type\n1000,1000,Bank,Asset,Bank\n4000,4000,Sales,Income,Sales\n',
  )
  const rows = (more: string) =>
    `SELECT 'T1' AS transaction_id, DATE '2025-01-05' AS date, account, amount::DECIMAL(18, 2) AS amount${more}
     FROM (VALUES ('1000', 100), ('4000', -100)) line(account, amount)`
  const asked = async (id: string, path: string, more = '', basis?: 'cash') => {
    await writeParquet(join(workspace.datasets, id, path), rows(more))
    const table = { table: 'lake/**/*.parquet' }
    const stated = { currency: 'USD', fiscalMonthEnd: 12, ...(basis && { basis }) }
    const { questions, findings } = await addCompany(workspace, id, [chart], { table, stated })
    assert.equal(findings, [])
    return questions.flatMap(({ column }) => (column?.startsWith('ledger') ? [column] : []))
  }
  assert.equal(await asked('plain', 'lake/y=2025/gl.parquet'), ['ledger.0.basis'])
  assert.equal(await asked('column', 'lake/gl.parquet', ", 'cash' AS basis"), [])
  assert.equal(await asked('folder', 'lake/basis=cash/gl.parquet'), [])
  assert.equal(await asked('stated', 'lake/gl.parquet', '', 'cash'), [])
  const { value } = readCompany(workspace, 'stated')
  assert.equal(value?.ledger, [{ files: 'lake/**/*.parquet', basis: 'cash' }])
})
