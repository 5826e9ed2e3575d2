/** From a published figure to the very row of the source that was kept: in any form, or not at all. */
import { chmodSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { explain } from '../../builder/inspect/explain.ts'
import { SnapshotDamagedError } from '../../builder/snapshot/files/damage.ts'
import { companyFolder, inputPath, inputsFolder } from '../../builder/snapshot/files/layout.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { SIE } from '../cli/command.ts'
import { workbook } from '../ingest/folder.ts'
import { suite } from '../suite.ts'
import { toExplain } from '../support/asked.ts'
import { CHART, COMPANY, companyYaml, type Files, findingsText, inWorkspace } from '../support/workspace.ts'

const test = suite('source lines')

const keeping = (files: Files, run: (workspace: Workspace) => Promise<void>, keep = true): Promise<void> =>
  inWorkspace({ 'company.yaml': companyYaml(), 'chart.csv': CHART, ...files }, async ({ root }) => {
    writeFileSync(join(root, 'tieout.yaml'), `keepInputs: ${keep}\n`)
    const workspace = openWorkspace(root)
    const result = await build(workspace, COMPANY, { publish: true })
    assert.is(result.outcome, 'published', findingsText(result.findings))
    await run(workspace)
  })

const ask = ({ snapshots }: Workspace, account: string, month: string) =>
  explain(snapshots, toExplain({ account, month, all: true, sources: true }))

const rows = async (workspace: Workspace, account: string, month: string): Promise<string[]> => {
  const { value, findings } = await ask(workspace, account, month)
  assert.is(findings, undefined)
  return value!.sources!.map(({ file, row, text }) => `${file}:${row} ${text}`)
}

test('records of delimited text, as they stand: quotes, line ends in them, blank rows, inch marks, CR LF', () => {
  const lines = [
    'transaction_id,date,account,amount,memo',
    '1,2025-01-01,bank,1000.00,"two\nlines, and a ""quote"""',
    '1,2025-01-01,capital,-1000.00,pipe 5"" wide',
    ',,,,',
    '2,2025-01-02,rent,40.00,"",',
    '2,2025-01-02,bank,-40.00,last',
  ].map((line) => line.replace('"",', '""'))
  return keeping({ 'ledger.csv': lines.join('\r\n') }, async (workspace) => {
    assert.equal(await rows(workspace, 'rent', '2025-01'), [`ledger.csv:5 ${lines[4]}`])
    assert.equal(await rows(workspace, 'bank', '2025-01'), [
      `ledger.csv:2 ${lines[1]}`,
      `ledger.csv:6 ${lines[5]}`,
    ])
    assert.equal(await rows(workspace, 'capital', '2025-01'), [`ledger.csv:3 ${lines[2]}`])
  })
})

test('a quote after a blank opens a cell too: rows below it, and below blank rows, are those that were read', () => {
  const lines = [
    'transaction_id,date,account,amount,memo',
    '1,2025-01-01,bank,1000.00, "two\nlines, and more"',
    '1,2025-01-01,capital,-1000.00, "a\n\nb"',
    '',
    '2,2025-01-02,rent,40.00, 5" wide',
    '2,2025-01-02,bank,-40.00,last',
  ]
  return keeping({ 'ledger.csv': `${lines.join('\n')}\n` }, async (workspace) => {
    assert.equal(await rows(workspace, 'rent', '2025-01'), [`ledger.csv:5 ${lines[4]}`])
    assert.equal(await rows(workspace, 'capital', '2025-01'), [`ledger.csv:3 ${lines[2]}`])
    assert.equal(await rows(workspace, 'bank', '2025-01'), [
      `ledger.csv:2 ${lines[1]}`,
      `ledger.csv:6 ${lines[5]}`,
    ])
  })
})

test('another encoding, another separator, a title above the header', () => {
  const text =
    'Huvudbok 2025\n\ntransaction_id;date;account;amount;memo\n1;2025-01-01;bank;10,00;Kaffe på kök\n1;2025-01-01;capital;-10,00;\n'
  const yaml = companyYaml('ledger: [{ files: ledger.csv, decimal: "," }]')
  return keeping({ 'company.yaml': yaml, 'ledger.csv': Buffer.from(text, 'latin1') }, async (workspace) => {
    assert.equal(await rows(workspace, 'bank', '2025-01'), [
      'ledger.csv:4 1;2025-01-01;bank;10,00;Kaffe på kök',
    ])
  })
})

const HEADER = 'transaction_id,date,account,amount,memo\n'
/** Two lines, then more than a megabyte of ASCII, then two more lines. */
const late = (first: Buffer, last: Buffer): Buffer => {
  const entry = (id: number, memo: Buffer) => [
    Buffer.from(`${id},2025-01-01,bank,10.00,`),
    memo,
    Buffer.from(`\n${id},2025-01-01,capital,-10.00,\n`),
  ]
  const many = Array.from(
    { length: 300 },
    (_, i) =>
      `a${i},2025-02-01,rent,1.00,${'x'.repeat(4000)}\na${i},2025-02-01,till,-1.00,${'x'.repeat(4000)}\n`,
  ).join('')
  return Buffer.concat([Buffer.from(HEADER), ...entry(1, first), Buffer.from(many), ...entry(2, last)])
}

test('what tells the encoding may stand a megabyte below other letters: the row shown is the row read', () =>
  keeping(
    { 'ledger.csv': late(Buffer.from('Café', 'latin1'), Buffer.from([0x35, 0x80])) },
    async (workspace) => {
      assert.equal(await rows(workspace, 'bank', '2025-01'), [
        'ledger.csv:2 1,2025-01-01,bank,10.00,Café',
        'ledger.csv:604 2,2025-01-01,bank,10.00,5€',
      ])
      const { value } = await ask(workspace, 'bank', '2025-01')
      assert.equal(
        value!.lines.map(({ memo }) => memo),
        ['Café', '5€'],
      )
    },
  ))

test('UTF-8 in the first megabyte and another encoding below it: told, and the rows shown are those that were read', () => {
  const files = {
    'chart.csv': CHART,
    'ledger.csv': late(Buffer.from('Café'), Buffer.from('Kök', 'latin1')),
  }
  return inWorkspace({ 'company.yaml': companyYaml(), ...files }, async ({ root }) => {
    writeFileSync(join(root, 'tieout.yaml'), 'keepInputs: true\n')
    const workspace = openWorkspace(root)
    const { outcome, findings } = await build(workspace, COMPANY, { publish: true })
    assert.is(outcome, 'published', findingsText(findings))
    const [mixed] = findings.filter(({ code }) => code === 'mixed-encodings')
    assert.equal([mixed?.severity, mixed?.file, mixed?.row], ['warning', 'ledger.csv', 2])
    assert.equal(await rows(workspace, 'bank', '2025-01'), [
      'ledger.csv:2 1,2025-01-01,bank,10.00,CafÃ©',
      'ledger.csv:604 2,2025-01-01,bank,10.00,Kök',
    ])
  })
})

test('lines of a SIE file', () => {
  const sie = SIE.replaceAll('\n', '\r\n')
  const lineOf = (text: string) => `export.se:${SIE.split('\n').indexOf(text) + 1} ${text}`
  const yaml = companyYaml(`currency: SEK
ledger: [{ files: export.se }]
accounts: { "1930": { classification: Asset, type: Bank } }`)
    .replace('chartOfAccounts: chart.csv\n', '')
    .replace('opening: none\n', '')
  return keeping({ 'company.yaml': yaml, 'export.se': sie }, async (workspace) => {
    assert.equal(await rows(workspace, '5010', '2024-02'), [lineOf('#TRANS 5010 {} 4000.00')])
    assert.equal(await rows(workspace, '1930', '2024-01'), [
      lineOf('#IB 0 1930 50000.00'),
      lineOf('#TRANS 1930 {} 12000.00'),
    ])
  })
})

test('rows of two sheets of one workbook, which is kept once', async () => {
  const sheet = (rows: string[][]) => [['transaction_id', 'date', 'account', 'amount'], ...rows]
  const ledger = await workbook({
    January: sheet([
      ['1', '2025-01-01', 'bank', '10.5'],
      ['1', '2025-01-01', 'capital', '-10.5'],
    ]),
    February: sheet([
      ['2', '2025-02-01', 'rent', '3'],
      ['2', '2025-02-01', 'bank', '-3'],
    ]),
  })
  const yaml = companyYaml('ledger: [{ files: ledger.xlsx }]')
  await keeping({ 'company.yaml': yaml, 'ledger.xlsx': ledger }, async (workspace) => {
    assert.equal(await rows(workspace, 'bank', '2025-02'), [
      'ledger.xlsx#January:2 1\t2025-01-01\tbank\t10.5',
      'ledger.xlsx#February:3 2\t2025-02-01\tbank\t-3',
    ])
    const kept = readdirSync(inputsFolder(workspace.snapshots, COMPANY))
    assert.equal(kept.filter((name) => name === sha256(ledger)).length, 1)
    assert.is(kept.length, 3)
  })
})

const ADS: Files = {
  'company.yaml': 'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nledger: [{ files: "ads/*" }]\n',
  'ads/Chart_Of_Accounts.txt':
    'GL_Account_Number|GL_Account_Name|Account_Type|Account_Subtype|FS_Caption\n1000|Bank|Assets|Current Assets|Cash and Cash Equivalents\n3000|Stock|Equity||\n3900|Retained|Equity||Retained Earnings\n4000|Revenue|Revenue||\n',
  'ads/GL_Detail_20240101_20251231.txt': [
    'Journal_ID|Journal_ID_Line_Number|Effective_Date|Fiscal_Year|Period|GL_Account_Number|Amount|Amount_Credit_Debit_Indicator|Amount_Currency',
    '1|1|2024-06-15|2024|M06|1000|50.00|D|USD',
    '1|2|2024-06-15|2024|M06|4000|50.00|C|USD',
    '2|1|2025-02-10|2025|M02|1000|5.00|D|USD',
    '2|2|2025-02-10|2025|M02|4000|5.00|C|USD',
    '',
  ].join('\n'),
  'ads/Trial_Balance.txt': [
    'GL_Account_Number|Balance_As_Of_Date|Fiscal_Year|Period|Amount_Beginning|Amount_Ending|Amount_Currency',
    '1000|2024-01-31|2024|M01|100.00|100.00|USD',
    '3000|2024-01-31|2024|M01|-100.00|-100.00|USD',
    '1000|2025-01-31|2025|M01|150.00|150.00|USD',
    '3000|2025-01-31|2025|M01|-100.00|-100.00|USD',
    '3900|2025-01-31|2025|M01|-50.00|-50.00|USD',
    '',
  ].join('\n'),
}

test('a trial balance of the Audit Data Standard: its openings, and the result that the opening of a later year holds', () =>
  keeping(ADS, async (workspace) => {
    const row = (number: number) =>
      `ads/Trial_Balance.txt:${number} ${String(ADS['ads/Trial_Balance.txt']).split('\n')[number - 1]}`
    assert.equal(await rows(workspace, '3000', '2024-01'), [row(3)])
    assert.equal(await rows(workspace, '3900', '2025-01'), [row(6)])
    assert.ok((await rows(workspace, 'prior-years-not-closed', '2025-01')).includes(row(4)))
  }))

test('results of earlier years that only company.yaml states: the line that states them', () => {
  const yaml = companyYaml('opening:\n  references: [OB]\n  priorYearsNotClosed: 5.00')
  const ledger =
    'transaction_id,date,account,amount,reference\n1,2025-01-01,bank,10.00,OB\n1,2025-01-01,capital,-5.00,OB\n2,2025-01-02,bank,1.00,\n2,2025-01-02,sales,-1.00,\n'
  return keeping({ 'company.yaml': yaml, 'ledger.csv': ledger }, async (workspace) => {
    const line = yaml.split('\n').findIndex((text) => text.includes('priorYearsNotClosed'))
    assert.equal(await rows(workspace, 'prior-years-not-closed', '2025-01'), [
      `company.yaml:${line + 1}   priorYearsNotClosed: 5.00`,
    ])
  })
})

test('a kept source that is not what was read is not shown', () => {
  const ledger = 'transaction_id,date,account,amount\n1,2025-01-01,bank,10.00\n1,2025-01-01,capital,-10.00\n'
  return keeping({ 'ledger.csv': ledger }, async (workspace) => {
    const path = inputPath(companyFolder(workspace.snapshots, COMPANY), sha256(ledger))
    chmodSync(path, 0o644)
    writeFileSync(path, readFileSync(path, 'utf8').replaceAll('10.00', '20.00'))
    const problem = await ask(workspace, 'bank', '2025-01').catch((caught: Error) => caught)
    assert.instance(problem, SnapshotDamagedError)
    assert.match((problem as Error).message, /the ledger\.csv kept with snapshot .* was changed/)
  })
})

test('where nothing was kept, that is said, with what would keep it', () => {
  const ledger = 'transaction_id,date,account,amount\n1,2025-01-01,bank,10.00\n1,2025-01-01,capital,-10.00\n'
  return keeping(
    { 'ledger.csv': ledger },
    async (workspace) => {
      const { findings } = await ask(workspace, 'bank', '2025-01')
      assert.is(findings?.at(0)?.code, 'inputs-not-kept')
      assert.match(findings?.at(0)?.remedy ?? '', /keepInputs: true/)
    },
    false,
  )
})

const SIE_YAML =
  'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\nledger: [{ files: "*.se", format: sie }]\n'
/** Row and remarks of a figure of the budget that SIE files state. */
const budgetOf = async ({ snapshots }: Workspace, account: string, sources = true) => {
  const asked = { account, month: '2024-01', budgetId: 'budget', all: true, sources }
  const { value } = await explain(snapshots, toExplain(asked))
  assert.ok(value!.addsUp)
  return { ...value!, rows: value!.lines.map(({ file, row }) => `${file}:${row}`) }
}
const lineOf = (text: string, start: string): number =>
  text.split('\n').findIndex((line) => line.startsWith(start)) + 1

test('a budget row of SIE that states another amount than its figure: why', () => {
  const budget = `#DIM 1 "Kostnadsställe"
#OBJEKT 1 "N" "Norr"
#PBUDGET 0 202401 3001 {} -1000.00 0
#PBUDGET 0 202401 3001 {1 "N"} -300.00 0
#PBUDGET 0 202401 5010 {} 400.00 0
`
  const files = { 'company.yaml': SIE_YAML, 'books.se': SIE.replace('#VER A 1', `${budget}#VER A 1`) }
  return keeping(files, async (workspace) => {
    const [turned, rest, ...others] = (await budgetOf(workspace, '3001')).remarks
    assert.match(turned!, /SIE writes debits as positive amounts/)
    assert.match(rest!, /^books\.se:\d+ states -1000\.00 for the whole account/)
    assert.equal(others, [])
    assert.equal((await budgetOf(workspace, '5010')).remarks, [], 'a cost stands as it is stated')
  })
})

test('a budget row of a balance sheet account in SIE states a change, and says so', () => {
  const text = SIE.replace('#VER A 1', '#PBUDGET 0 202401 1930 {} 500.00\n#VER A 1')
  return keeping({ 'company.yaml': SIE_YAML, 'books.se': text }, async (workspace) => {
    const { published, remarks } = await budgetOf(workspace, '1930')
    assert.is(published, '50500.00')
    assert.match(remarks.join(), /^A #PBUDGET row of a balance sheet account states the change of its month/)
  })
})

test('a budget row of SIE that is repeated under another year: which counts, and why the other does not', () => {
  const budget = `#PBUDGET 0 202401 5010 {} 400.00 0
#PBUDGET -1 202401 5010 {} 400.00 0
#PBUDGET 0 202402 5010 {} 400.00 0
#PBUDGET 0 202401 3001 {} -9.00 0
#PBUDGET 0 202401 3001 {} -9.00 0
`
  const text = SIE.replace('#VER A 1', `${budget}#VER A 1`)
  return keeping({ 'company.yaml': SIE_YAML, 'books.se': text }, async (workspace) => {
    const [own, other] = [lineOf(text, '#PBUDGET 0 202401 5010'), lineOf(text, '#PBUDGET -1')]
    const { published, rows: counted, sources, remarks } = await budgetOf(workspace, '5010')
    assert.is(published, '400.00')
    assert.equal(counted, [`books.se:${own}`])
    assert.equal(
      sources!.map(({ row, text: said }) => [row, said]),
      [[own, '#PBUDGET 0 202401 5010 {} 400.00 0']],
    )
    assert.equal(remarks, [
      `books.se:${other} states the same figure under year -1, books.se:${own} under year 0: of a budget the month says which year it is of, whatever the number of the year, so that it is one figure and counts once (books.se:${own})`,
    ])
    const again = (await budgetOf(workspace, '3001')).remarks
    assert.match(
      again.join(),
      /states the same figure once more and does not count: a figure that is repeated counts once/,
    )
    assert.equal(
      (await budgetOf(workspace, '5010', false)).remarks,
      [],
      'rows are looked at where they are asked for',
    )
  })
})

test('a budget row that the SIE file of the next year states too, differently: that of the year itself counts', () => {
  const first = SIE.replace('#VER A 1', '#PBUDGET 0 202401 5010 {} 400.00 0\n#VER A 1')
  const next = SIE.replaceAll(/2024(?=\d{4})/g, '2025')
    .replace(/^#RAR -1.*\n/m, '')
    .replace(/^#RAR 0.*$/m, '$&\n#RAR -1 20240101 20241231\n#RES -1 3001 -12000.00\n#RES -1 5010 4000.00')
    .replace('#UB 0 1930 58000.00', '#UB 0 1930 66000.00')
    .replace('#IB 0 1930 50000.00', '#IB 0 1930 58000.00')
    .replace('#VER A 1', '#PBUDGET -1 202401 5010 {} 500.00 0\n#VER A 1')
  return keeping({ 'company.yaml': SIE_YAML, '2024.se': first, '2025.se': next }, async (workspace) => {
    const { published, remarks } = await budgetOf(workspace, '5010')
    assert.is(published, '400.00')
    assert.equal(remarks, [
      `2025.se:${lineOf(next, '#PBUDGET')} states 500.00 for the same month and account under year -1 and does not count: of several files that state the budget of a year, that of the year itself does (2024.se:${lineOf(first, '#PBUDGET')})`,
    ])
  })
})
