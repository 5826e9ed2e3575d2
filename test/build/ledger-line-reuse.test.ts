/** Lines taken from the published books: the same snapshot, and the same findings, as from reading every file. */
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { makeBooks } from '../../builder/books/books.ts'
import { build } from '../../builder/build/build.ts'
import { LinesBefore } from '../../builder/build/ledger-line-reuse.ts'
import type { Intake } from '../../builder/ingest/format/intake.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import { MANIFEST, snapshotFolder } from '../../builder/snapshot/layout.ts'
import { openCurrent } from '../../builder/snapshot/open.ts'
import { Cache } from '../../builder/workspace/cache.ts'
import type { Company } from '../../builder/workspace/company.ts'
import { companyFolder, readCompany, type Workspace } from '../../builder/workspace/workspace.ts'
import { CHART, COMPANY, companyYaml, type Files, inWorkspace, writeFiles } from '../support/workspace.ts'

const test = suite('lines before')

/** Openings, closing entries, a disposal shown gross and a derived cash basis: all that adds postings to those of the files. */
const SETTINGS = `
classes: classes.csv
departments: departments.csv
ledger:
  - { files: "plain/*.csv", basis: accrual }
  - { files: "sides/*.csv", dateFormat: DD.MM.YYYY, decimal: ",", thousands: ".", encoding: windows-1252 }
opening: { transactions: [open] }
closing: { references: [CLOSE] }
disposals: { gainsAndLosses: [gain] }`
const FILES: Files = {
  'company.yaml': companyYaml(SETTINGS),
  'chart.csv': CHART,
  'classes.csv': 'id,name,parent\nn,North,\ns,South,\n',
  'departments.csv': 'id,name,parent\nd,Depot,\n',
  'plain/0.csv':
    'transaction_id,date,account,amount\nopen,2024-12-31,bank,500.00\nopen,2024-12-31,capital,-500.00\n',
  'plain/1.csv': `transaction_id,date,account,amount,class,department,memo,settles,reference,line_id
i1,2025-01-05,debtors,120.00,North,,"an invoice, with a comma",,,a1
i1,2025-01-05,sales,-120.00,n,d,,,,a2

p1,2025-02-05,bank,120.00,,,,,,a3
p1,2025-02-05,1100,-120.00,,,  padded  ,i1,,a4
`,
  'plain/2.csv': `transaction_id,date,account,amount,reference
b1,2025-01-06,plant,900.00,
b1,2025-01-06,loan,-900.00,
s1,2025-03-06,bank,1000.00,
s1,2025-03-06,plant,-900.00,
s1,2025-03-06,gain,-100.00,
c1,2025-12-31,sales,100.00,CLOSE
c1,2025-12-31,retained,-100.00,CLOSE
`,
  'sides/1.csv': Buffer.from(
    `transaction_id;date;account;debit;credit;memo;basis;currency;period;class
r1;05.04.2025;rent;1.050,00;;Miete M\u00fcnchen;accrual;USD;2025-04;S\u00fcd
r1;05.04.2025;bank;;1.050,00;;accrual;USD;2025-04;
r2;02.05.2025;rent;-50,00;;;accrual;USD;2025-04;s
r2;02.05.2025;bank;;-50,00;;accrual;USD;2025-04;
`.replace('S\u00fcd', 'South'),
    'latin1',
  ),
}

interface Outcome {
  readonly outcome: string
  readonly findings: readonly unknown[]
  readonly files: readonly unknown[]
}

/** All that a build said and published, but when, and after what. */
async function built(workspace: Workspace): Promise<Outcome> {
  const { outcome, findings, snapshotId } = await build(workspace, COMPANY, { publish: true })
  if (snapshotId === null) return { outcome, findings, files: [] }
  const folder = snapshotFolder(workspace.snapshots, COMPANY, snapshotId)
  const paths = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith(MANIFEST))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
  const { SnapshotId, Revision, Previous, ComparedWith, Build, ...manifest } = JSON.parse(
    readFileSync(join(folder, MANIFEST), 'utf8'),
  )
  const files = paths.map((path) => [path.slice(folder.length), readFileSync(path, 'latin1')])
  return { outcome, findings, files: [...files, manifest] }
}

const sourceOf = (workspace: Workspace, file: string): string => join(workspace.datasets, COMPANY, file)
const cacheOf = (workspace: Workspace): string => join(workspace.state, 'cache', COMPANY)

/** With what a build reads, and the lines that it need not read. */
async function withLines<T>(
  workspace: Workspace,
  use: (before: LinesBefore, intake: Intake, company: Company) => Promise<T>,
): Promise<T> {
  const company = readCompany(workspace, COMPANY).value!
  const intake = await ingest(company, companyFolder(workspace, COMPANY))
  const snapshot = await openCurrent(workspace.snapshots, COMPANY)
  const before = new LinesBefore(snapshot, company, intake, new Cache(cacheOf(workspace)))
  try {
    return await use(before, intake, company)
  } finally {
    await before.dispose()
    await intake.dispose()
  }
}

/** Which ledger files need not be read. */
const known = (workspace: Workspace): Promise<string[]> =>
  withLines(workspace, async (before, { ledger }) => {
    const lines = await Promise.all(ledger.map((input) => before.find(input)))
    return ledger.flatMap(({ file }, i) => (lines[i] ? [file] : []))
  })

const REST = ['plain/1.csv', 'plain/2.csv', 'sides/1.csv']

let first: string
test.before(() =>
  inWorkspace(FILES, async (workspace) => {
    const { outcome, findings } = await built(workspace)
    assert.is(outcome, 'published', JSON.stringify(findings))
    assert.equal(await known(workspace), REST)
    first = mkdtempSync(join(tmpdir(), 'tieout-test-'))
    cpSync(workspace.root, first, { recursive: true })
  }),
)
test.after(() => rmSync(first, { recursive: true, force: true }))

/** In a workspace whose company was built once. */
const inBuilt = (run: (workspace: Workspace) => Promise<void>): Promise<void> =>
  inWorkspace({}, (workspace) => {
    cpSync(first, workspace.root, { recursive: true })
    return run(workspace)
  })

/** After a change, a second build makes what a first one makes of the same files, reading all but `expected`. */
const after = (
  title: string,
  changed: Files,
  expected: readonly string[],
  between: (workspace: Workspace) => void = () => {},
): void =>
  test(title, () =>
    inBuilt(async (workspace) => {
      writeFiles(join(workspace.datasets, COMPANY), changed)
      between(workspace)
      assert.equal(await known(workspace), expected)
      const second = await built(workspace)
      const files = Object.fromEntries(
        readdirSync(join(workspace.datasets, COMPANY), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map((entry) => join(entry.parentPath, entry.name))
          .map((path) => [path.slice(sourceOf(workspace, '').length), readFileSync(path)]),
      )
      assert.equal(second, await inWorkspace(files, built))
    }),
  )

const edited = (file: string, from: string, to: string): Files => ({
  [file]: String(FILES[file]).replace(from, to),
})
const settings = (from: string, to: string): Files => ({
  'company.yaml': companyYaml(SETTINGS.replace(from, to)),
})
const ONE = edited('plain/1.csv', 'an invoice', 'an old invoice')

after('one file changed', ONE, ['plain/2.csv', 'sides/1.csv'])

after(
  'a file came, one went, one was renamed',
  { 'plain/3.csv': 'transaction_id,date,account,amount\nx,2025-06-01,till,1.00\nx,2025-06-01,sales,-1.00\n' },
  ['plain/9.csv', 'sides/1.csv'],
  (workspace) => {
    rmSync(sourceOf(workspace, 'plain/2.csv'))
    renameSync(sourceOf(workspace, 'plain/1.csv'), sourceOf(workspace, 'plain/9.csv'))
  },
)

after(
  'accounts and members were added before others',
  {
    ...edited('chart.csv', 'till,1010', 'aaa,0900,Another,Asset,Bank\ntill,1010'),
    'classes.csv': 'id,name,parent\na,All,\nn,North,a\ns,South,a\n',
  },
  REST,
)

after('a number is another account’s now', edited('chart.csv', 'till,1010', 'till,1100'), [])
after('a name is gone', edited('classes.csv', 'North', 'Nord'), [])
after('dates are read in another form', settings('DD.MM.YYYY', 'MM.DD.YYYY'), ['plain/1.csv', 'plain/2.csv'])
after('the fiscal year is another', { 'company.yaml': companyYaml(`${SETTINGS}\nfiscalMonthEnd: 6`) }, [
  'plain/1.csv',
  'plain/2.csv',
])
after('further entries are openings', settings('[open]', '[open, b1]'), REST)
after('an entry is no opening any more', settings('[open]', '[]'), REST)
after(
  'closing entries are found in another way',
  settings('references: [CLOSE]', 'accounts: [retained]'),
  REST,
)
after('the entry of a settled invoice is gone', edited('plain/1.csv', ',i1,', ',,'), [
  'plain/2.csv',
  'sides/1.csv',
])

after('what was noted is gone', ONE, [], (workspace) => rmSync(cacheOf(workspace), { recursive: true }))

const damagedBooks = (workspace: Workspace): void => {
  const { SnapshotId } = JSON.parse(
    readFileSync(join(workspace.snapshots, COMPANY, 'current.json'), 'utf8'),
  ) as { SnapshotId: string }
  const path = join(snapshotFolder(workspace.snapshots, COMPANY, SnapshotId), 'books/postings.parquet')
  chmodSync(path, 0o600)
  const bytes = readFileSync(path)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(path, bytes)
}
after('the published books were damaged since', ONE, [], damagedBooks)

test('files that are known are not opened again', () =>
  inBuilt(async (workspace) => {
    await withLines(workspace, async (before, intake, company) => {
      for (const file of REST) rmSync(sourceOf(workspace, file))
      const { books, findings } = await makeBooks(company, intake, {}, (input) => before.find(input))
      assert.ok(books, JSON.stringify(findings))
      books.db.close()
    })
  }))

test('lines that do not add up to what was read are no books', () =>
  inBuilt(async (workspace) => {
    const made = await withLines(workspace, (before, intake, company) =>
      makeBooks(company, intake, {}, async (input) => {
        const lines = await before.find(input)
        return lines && { ...lines, first: lines.first + 1 }
      }),
    ).catch((problem: Error) => problem)
    assert.match(String(made), /published lines of plain\/1\.csv are not those that were read/)
  }))

test.run()
