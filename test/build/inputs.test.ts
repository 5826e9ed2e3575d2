/** What a snapshot says of its sources, and the sources themselves where they are kept. */
import { spawnSync } from 'node:child_process'
import fs, {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { basename, join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import type { BuildResult } from '../../builder/build/result.ts'
import { verifyCompanies, verifyFolder } from '../../builder/evidence/verify/verify.ts'
import {
  companyFolder,
  inputPath,
  inputsFolder,
  MANIFEST,
  snapshotFolder,
} from '../../builder/snapshot/files/layout.ts'
import type { InputEntry, Manifest } from '../../builder/snapshot/files/manifest.ts'
import { listSnapshots, readPointer } from '../../builder/snapshot/files/open.ts'
import { beginStage } from '../../builder/snapshot/files/stage.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { workbook } from '../ingest/folder.ts'
import { suite } from '../suite.ts'
import {
  CHART,
  COMPANY,
  companyYaml,
  type Files,
  findingsText,
  inWorkspace,
  ledgerCsv,
  only,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('inputs')

const BASE = `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
  2 2025-02-10 rent 40.00; 2 2025-02-10 bank -40.00`
const YAML = companyYaml(`budgets: [{ id: plan, name: Plan, files: plan.csv }]
metrics: [{ files: metrics.csv }]
nonFinancial: [{ id: heads, name: Heads, aggregation: last }]`)
const FILES: Files = {
  'company.yaml': YAML,
  'chart.csv': CHART,
  'plan.csv': 'account;2025-01;2025-02\nrent;44.10;45\n',
  'metrics.csv': 'metric,date,value\nheads,2025-01-15,5\nheads,2025-02-28,6.5\n',
  'ledger.csv': ledgerCsv(BASE),
}

const folderOf = (workspace: Workspace) => join(workspace.datasets, COMPANY)
const manifestOf = (workspace: Workspace, { snapshotId }: BuildResult): Manifest =>
  JSON.parse(readFileSync(join(snapshotFolder(workspace.snapshots, COMPANY, snapshotId!), MANIFEST), 'utf8'))
const publish = (workspace: Workspace): Promise<BuildResult> => build(workspace, COMPANY, { publish: true })
const verified = (workspace: Workspace) =>
  verifyCompanies(workspace.snapshots, [COMPANY], { figures: false, known: null })

/** In a workspace that keeps inputs. */
const keeping = (run: (workspace: Workspace) => Promise<void>, files = FILES): Promise<void> =>
  inWorkspace(files, async ({ root }) => {
    writeFileSync(join(root, 'tieout.yaml'), 'datasets: datasets\nsnapshots: snapshots\nkeepInputs: true\n')
    await run(openWorkspace(root))
  })

test('each source has its form, hash, rows and control totals', () =>
  inWorkspace(FILES, async (workspace) => {
    const result = await publish(workspace)
    assert.is(result.outcome, 'published', findingsText(result.findings))
    const manifest = manifestOf(workspace, result)
    const of = (file: string): InputEntry => manifest.Inputs.find(({ File }) => File === file)!
    for (const [file, content] of Object.entries(FILES)) {
      const { Sha256, Bytes, RowsRejected, Kept } = of(file)
      assert.equal([Sha256, Bytes], [sha256(content), Buffer.byteLength(content)], file)
      assert.equal([RowsRejected, Kept], [0, false], file)
    }
    const facts = ({ Role, Format, Encoding, Delimiter, Sheet, RowsRead }: InputEntry) =>
      [Role, Format, Encoding, Delimiter, Sheet, RowsRead].join(' ')
    assert.is(facts(of('ledger.csv')), 'ledger csv utf-8 ,  4')
    assert.is(facts(of('plan.csv')), 'budget csv utf-8 ;  1')
    assert.is(facts(of('chart.csv')), 'chart csv utf-8 ,  17')
    assert.is(facts(of('company.yaml')), 'configuration yaml utf-8   0')
    const totals = ({ Debit, Credit, Values, Total, FirstDate, LastDate }: InputEntry) =>
      [Debit, Credit, Values, Total, FirstDate, LastDate].map(String).join(' ')
    assert.is(totals(of('ledger.csv')), '1040.00 1040.00 null null 2025-01-01 2025-02-10')
    assert.is(totals(of('plan.csv')), 'null null 2 89.10 2025-01-01 2025-02-28')
    assert.is(totals(of('metrics.csv')), 'null null 2 11.5 2025-01-15 2025-02-28')
    assert.is(totals(of('chart.csv')), 'null null null null null null')
    assert.not.ok(existsSync(inputsFolder(workspace.snapshots, COMPANY)), 'nothing is kept unless asked for')
  }))

/** Workbooks of which several sheets are read, in each room that reads one. */
const WORKBOOKS: Readonly<Record<string, () => Promise<Files>>> = {
  'a ledger with a column map, and a trial balance beside a note': async () => ({
    'company.yaml': companyYaml(`ledger:
  - { files: gl.xlsx, basis: accrual, columns: { transaction_id: Kind + Doc, date: Day, account: Account, amount: Value } }
trialBalance: [{ files: tb.xlsx, date: 2025-02-28 }]`),
    'chart.csv': CHART,
    'gl.xlsx': await workbook({
      January: [
        ['Doc', 'Kind', 'Day', 'Account', 'Value'],
        [1, 'A', '2025-01-31', '1000', 12.5],
        [1, 'A', '2025-01-31', '4000', -12.5],
      ],
      February: [
        ['Doc', 'Kind', 'Day', 'Account', 'Value'],
        [2, 'A', '2025-02-28', '1000', 7.5],
        [2, 'A', '2025-02-28', '4000', -7.5],
      ],
    }),
    'tb.xlsx': await workbook({
      Balances: [
        ['Account', 'Balance'],
        ['1000', 20],
        ['4000', -20],
      ],
      Notes: [['Printed on paper']],
    }),
  }),
  'the tables of the Audit Data Standard': async () => ({
    'company.yaml':
      'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nledger: [{ files: ads.xlsx }]\n',
    'ads.xlsx': await workbook({
      GL_Detail: [
        [
          'Journal_ID',
          'Journal_ID_Line_Number',
          'Effective_Date',
          'GL_Account_Number',
          'Amount',
          'Amount_Credit_Debit_Indicator',
        ],
        ['1', '1', '2025-01-15', '1000', '50.00', 'D'],
        ['1', '2', '2025-01-15', '4000', '50.00', 'C'],
      ],
      Chart_Of_Accounts: [
        ['GL_Account_Number', 'GL_Account_Name', 'Account_Type', 'FS_Caption'],
        ['1000', 'Bank', 'Assets', 'Cash and Cash Equivalents'],
        ['4000', 'Sales', 'Revenue', ''],
      ],
    }),
  }),
}

for (const [what, filesOf] of Object.entries(WORKBOOKS))
  test(`a workbook is kept once, and need not be read again, whatever is read of it: ${what}`, async () => {
    const files = await filesOf()
    await keeping(async (workspace) => {
      const result = await publish(workspace)
      assert.is(result.outcome, 'published', findingsText(result.findings))
      assert.equal(
        readdirSync(inputsFolder(workspace.snapshots, COMPANY)).sort(),
        Object.values(files)
          .map((content) => sha256(content))
          .sort(),
      )
      const steps = new Set<string>()
      const again = await build(workspace, COMPANY, { publish: true, progress: (step) => steps.add(step) })
      assert.equal([again.outcome, ...steps], ['unchanged', 'read'])
    }, files)
  })

test('the configuration is hashed as it is understood: comments, order and spelling do not count', () =>
  inWorkspace(FILES, async (workspace) => {
    const hash = async (yaml: string, ledger: string) => {
      writeFiles(folderOf(workspace), { 'company.yaml': yaml, 'ledger.csv': ledgerCsv(ledger) })
      const result = await publish(workspace)
      assert.is(result.outcome, 'published', findingsText(result.findings))
      const { Configuration, Inputs } = manifestOf(workspace, result)
      return {
        configuration: Configuration!.Sha256,
        file: Inputs.find(({ File }) => File === 'company.yaml')!.Sha256,
      }
    }
    const more = (i: number) => `${BASE}; ${i} 2025-02-11 rent 1.00; ${i} 2025-02-11 bank -1.00`
    const first = await hash(YAML, BASE)
    const [a, ...rest] = YAML.trimEnd().split('\n')
    const spelt = await hash(`# ours\n${rest.join('\n')}\n${a!.replace('acme', '"acme"')}\n`, more(3))
    assert.is.not(spelt.file, first.file)
    assert.is(spelt.configuration, first.configuration)
    const named = await hash(YAML.replace('Acme', 'Acme Ltd'), more(4))
    assert.is.not(named.configuration, first.configuration)
  }))

test('kept sources lie once under their hash, read-only; unchanged ones are not copied again', () =>
  keeping(async (workspace) => {
    const first = await publish(workspace)
    assert.is(first.outcome, 'published', findingsText(first.findings))
    const folder = inputsFolder(workspace.snapshots, COMPANY)
    assert.equal(
      readdirSync(folder).sort(),
      Object.values(FILES)
        .map((content) => sha256(content))
        .sort(),
    )
    assert.ok(manifestOf(workspace, first).Inputs.every(({ Kept }) => Kept === true))
    assert.is(manifestOf(workspace, first).Configuration!.KeepInputs, true)
    const chart = join(folder, sha256(CHART))
    assert.is(statSync(chart).mode & 0o777, 0o440)
    const { ino } = statSync(chart)
    assert.is((await publish(workspace)).outcome, 'unchanged')
    const ledger = ledgerCsv(BASE.replaceAll('40.00', '41.00'))
    writeFiles(folderOf(workspace), { 'ledger.csv': ledger })
    assert.is((await publish(workspace)).outcome, 'published')
    assert.is(readdirSync(folder).length, Object.keys(FILES).length + 1)
    assert.is(
      readFileSync(inputPath(companyFolder(workspace.snapshots, COMPANY), sha256(ledger)), 'utf8'),
      ledger,
    )
    assert.is(statSync(chart).ino, ino)
    assert.is((await listSnapshots(workspace.snapshots, COMPANY)).length, 2)
    const { verified: sound, companies } = await verified(workspace)
    assert.ok(sound, JSON.stringify(companies))
    assert.equal(
      companies[0]!.notes.filter((note) => note.includes('inputs')),
      [],
    )
    assert.equal(
      readdirSync(companyFolder(workspace.snapshots, COMPANY)).filter((name) => name.startsWith('.')),
      [],
    )
  }))

test('to keep inputs from now on is a new snapshot with the same figures; so is a source that says the same otherwise', () =>
  inWorkspace(FILES, async ({ root }) => {
    const before = await publish(openWorkspace(root))
    writeFileSync(join(root, 'tieout.yaml'), 'datasets: datasets\nsnapshots: snapshots\nkeepInputs: true\n')
    const workspace = openWorkspace(root)
    const kept = await publish(workspace)
    assert.is(kept.outcome, 'published')
    writeFiles(folderOf(workspace), { 'company.yaml': `${YAML}# seen by the auditor\n` })
    const commented = await publish(workspace)
    assert.is(commented.outcome, 'published')
    const hashes = [before, kept, commented].map((result) => manifestOf(workspace, result).ContentHash)
    assert.is(new Set(hashes).size, 1)
  }))

/** Runs something while `change` is made before each file is copied. */
async function changedBeforeCopies<T>(change: () => void, run: () => Promise<T>): Promise<T> {
  const { copyFileSync } = fs
  fs.copyFileSync = (...given) => {
    change()
    copyFileSync(...given)
  }
  syncBuiltinESMExports()
  try {
    return await run()
  } finally {
    fs.copyFileSync = copyFileSync
    syncBuiltinESMExports()
  }
}

test('a source that changes after it was read is not kept, and nothing is published', () =>
  keeping(async (workspace) => {
    await publish(workspace)
    const before = await readPointer(workspace.snapshots, COMPANY)
    writeFiles(folderOf(workspace), { 'ledger.csv': ledgerCsv(BASE.replaceAll('40.00', '41.00')) })
    for (const change of [
      () => writeFiles(folderOf(workspace), { 'ledger.csv': ledgerCsv(BASE.replaceAll('40.00', '42.00')) }),
      () => rmSync(join(folderOf(workspace), 'ledger.csv'), { force: true }),
    ]) {
      const result = await changedBeforeCopies(change, () => publish(workspace))
      assert.is(result.outcome, 'refused')
      assert.is(only(result.findings, 'source-changed').file, 'ledger.csv')
      assert.equal(await readPointer(workspace.snapshots, COMPANY), before)
      writeFiles(folderOf(workspace), { 'ledger.csv': ledgerCsv(BASE.replaceAll('40.00', '41.00')) })
    }
    assert.ok((await verified(workspace)).verified)
    assert.is((await publish(workspace)).outcome, 'published')
  }))

const pipes = process.platform === 'win32' ? test.skip : test
pipes('a pipe or a folder in the place of a source has changed, and nothing waits for a writer', () =>
  inWorkspace(FILES, async ({ root, snapshots }) => {
    const [pipe, folder] = [join(root, 'pipe'), join(root, 'folder')]
    assert.is(spawnSync('mkfifo', [pipe]).status, 0)
    mkdirSync(folder)
    const stage = await beginStage(snapshots, COMPANY)
    try {
      const sources = [pipe, folder].map((path) => ({ file: basename(path), path, sha256: sha256('') }))
      assert.equal(await stage.keep(sources), ['pipe', 'folder'])
    } finally {
      stage.discard()
    }
  }),
)

test('a kept source that is changed, gone, or of nobody is told; the next build mends what it reads', () =>
  keeping(async (workspace) => {
    await publish(workspace)
    const folder = inputsFolder(workspace.snapshots, COMPANY)
    const chart = join(folder, sha256(CHART))
    const damagesOf = async () =>
      (await verified(workspace)).companies[0]!.damages.map(({ kind, path }) => `${kind} ${path}`)
    chmodSync(chart, 0o644)
    writeFileSync(chart, CHART.replace('Bank', 'Safe'))
    assert.equal(await damagesOf(), [`changed inputs/${sha256(CHART)}`])
    rmSync(chart)
    assert.equal(await damagesOf(), [`missing inputs/${sha256(CHART)}`])
    mkdirSync(chart)
    assert.equal(await damagesOf(), [`missing inputs/${sha256(CHART)}`])
    rmSync(chart, { recursive: true })
    assert.is((await publish(workspace)).outcome, 'unchanged')
    assert.is(readFileSync(chart, 'utf8'), CHART)
    copyFileSync(chart, join(folder, 'notes.txt'))
    const { companies, verified: sound } = await verified(workspace)
    assert.ok(sound)
    assert.ok(companies[0]!.notes.some((note) => /1 of the files in inputs\//.test(note)))
  }))

test('one snapshot by itself is held against the inputs beside it; a copy without them says so', () =>
  keeping(async (workspace) => {
    const { snapshotId } = await publish(workspace)
    const folder = snapshotFolder(workspace.snapshots, COMPANY, snapshotId!)
    const look = async () =>
      (await verifyFolder(folder, 'snapshot', { figures: false, known: null })).companies[0]!
    assert.equal((await look()).damages, [])
    const chart = join(inputsFolder(workspace.snapshots, COMPANY), sha256(CHART))
    chmodSync(chart, 0o644)
    writeFileSync(chart, 'other')
    assert.is((await look()).damages[0]!.kind, 'changed')
    rmSync(inputsFolder(workspace.snapshots, COMPANY), { recursive: true })
    const alone = await look()
    assert.equal(alone.damages, [])
    assert.ok(
      alone.notes.some((note) => /kept .* not here/.test(note)),
      alone.notes.join('\n'),
    )
  }))
