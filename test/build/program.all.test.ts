/** A repaired program is another one, whatever its version says: what it would make is asked anew, once. */
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import type { build as Build } from '../../builder/build/build.ts'
import type { BuildResult } from '../../builder/build/result.ts'
import { programReason } from '../../builder/snapshot/closing/program-change.ts'
import { RULES, rulesAfter } from '../../builder/snapshot/closing/rules.ts'
import { MANIFEST, snapshotFolder } from '../../builder/snapshot/files/layout.ts'
import type { Manifest } from '../../builder/snapshot/files/manifest.ts'
import { productionPart } from '../../builder/system/program.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { CHART, COMPANY, companyYaml, inWorkspace, only, writeFiles } from '../support/workspace.ts'

const test = suite('program')

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url))

interface Program {
  readonly fingerprint: string
  readonly run: (
    workspace: Workspace,
    restate?: string,
  ) => Promise<BuildResult & { readonly steps: readonly string[] }>
}

/** The compiled program with one text of one file replaced, stamped as `npm run build` does. */
async function programWith(
  app: string,
  edits: readonly (readonly [file: string, from: string, to: string])[],
): Promise<Program> {
  cpSync(join(REPOSITORY, 'dist'), join(app, 'dist'), { recursive: true })
  for (const name of ['package.json', 'package-lock.json']) cpSync(join(REPOSITORY, name), join(app, name))
  symlinkSync(join(REPOSITORY, 'node_modules'), join(app, 'node_modules'))
  for (const [file, from, to] of edits) {
    const text = readFileSync(join(app, 'dist', file), 'utf8')
    assert.ok(text.includes(from), `${file} has "${from}"`)
    writeFileSync(join(app, 'dist', file), text.replace(from, to))
  }
  await execa(process.execPath, [join(app, 'dist/builder/system/stamp.js')])
  const { build } = (await import(pathToFileURL(join(app, 'dist/builder/build/build.js')).href)) as {
    build: typeof Build
  }
  return {
    fingerprint: readFileSync(join(app, 'dist/fingerprint'), 'utf8').trim(),
    run: async (workspace, restate) => {
      const steps = new Set<string>()
      const options = { publish: true, progress: (step: string) => steps.add(step) }
      const result = await build(
        workspace,
        COMPANY,
        restate === undefined ? options : { ...options, restate },
      )
      return { ...result, steps: [...steps] }
    },
  }
}

const folder = (): string => mkdtempSync(join(tmpdir(), 'tieout-program-'))
const unchanged = programWith(folder(), [])

const LEDGER =
  'transaction_id,date,account,amount\n1,02/01/2025,bank,1000.00\n1,02/01/2025,capital,-1000.00\n2,03/02/2025,rent,40.00\n2,03/02/2025,bank,-40.00\n'
const FILES = {
  'company.yaml': companyYaml(
    'lockDate: 2025-02-28\nledger: [{ files: ledger.csv, dateFormat: DD/MM/YYYY }]',
  ),
  'chart.csv': CHART,
  'ledger.csv': LEDGER,
}
const manifestOf = (workspace: Workspace, { snapshotId }: BuildResult): Manifest =>
  JSON.parse(readFileSync(join(snapshotFolder(workspace.snapshots, COMPANY, snapshotId!), MANIFEST), 'utf8'))

test('a repair that changes no figure is tried once; then there is nothing to do', async () => {
  const before = await unchanged
  const repaired = await programWith(folder(), [['builder/ingest/text/months.js', "'69'", "'70'"]])
  assert.is.not(before.fingerprint, repaired.fingerprint)
  await inWorkspace(FILES, async (workspace) => {
    const published = await before.run(workspace)
    assert.is(published.outcome, 'published')
    assert.is(manifestOf(workspace, published).Build.Program, before.fingerprint)
    assert.equal((await before.run(workspace)).steps, ['read'])
    const tried = await repaired.run(workspace)
    assert.is(tried.outcome, 'unchanged')
    assert.ok(tried.steps.includes('statements'), 'the repaired program composes')
    const again = await repaired.run(workspace)
    assert.equal([again.outcome, again.steps], ['unchanged', ['read']])
    assert.equal(
      again.findings.map(({ code }) => code),
      tried.findings.map(({ code }) => code),
    )
    // A comment is another source, with the same figures.
    writeFiles(join(workspace.datasets, COMPANY), { 'company.yaml': `# ours\n${FILES['company.yaml']}` })
    assert.ok((await repaired.run(workspace)).steps.includes('statements'))
    assert.equal((await repaired.run(workspace)).steps, ['read'])
  })
})

// Before: the month is taken for the day, as if a rule had been mended since.
const WRONG = [
  ['builder/database/date-sql.js', "MM: '%m'", "MM: '%d'"],
  ['builder/database/date-sql.js', "DD: '%d'", "DD: '%m'"],
] as const
const reasonIn = (remedy: string): string => /--restate "([^"]*)"/.exec(remedy)![1]!

test('closed months that only the program reads otherwise: the guard says so, and offers the changed rules as reason', async () => {
  const before = await programWith(folder(), [
    ...WRONG,
    ['builder/build/manifest-body.js', 'Rules: RULES.length', 'Rules: 0'],
  ])
  const now = await unchanged
  await inWorkspace(FILES, async (workspace) => {
    const published = await before.run(workspace)
    assert.is(published.outcome, 'published')
    assert.is(manifestOf(workspace, published).Tool.Rules, 0)
    const refused = await now.run(workspace)
    assert.is(refused.outcome, 'refused')
    const found = only(refused.findings, 'closed-month-restated')
    assert.match(
      found.message,
      /Sources and settings are as they were then; the snapshot was made by Tieout (\S+), this is Tieout (?!\1)/,
    )
    assert.match(found.message, RULES[0]!.says)
    assert.not.match(found.message, 'SIE', 'rules of other formats explain nothing here')
    const reason = reasonIn(found.remedy!)
    assert.match(reason, /^Same sources and settings, read by Tieout \d/)
    const restated = await now.run(workspace, reason)
    assert.is(restated.outcome, 'published')
    const manifest = manifestOf(workspace, restated)
    assert.is(manifest.Restatement!.Reason, reason)
    assert.is(manifest.Tool.Rules, RULES.length)

    // Another source too: then it is not the program alone, and no reason is offered.
    rmSync(join(workspace.snapshots, COMPANY), { recursive: true })
    await before.run(workspace)
    writeFiles(join(workspace.datasets, COMPANY), { 'ledger.csv': LEDGER.replaceAll('40.00', '41.00') })
    const both = only((await now.run(workspace)).findings, 'closed-month-restated')
    assert.match(both.message, /The program changed too/)
    assert.match(both.remedy!, '--restate "reason"')
  })
})

test('a rule can be copied into a command, and concerns the formats that it names', () => {
  for (const { says, since } of RULES) {
    assert.match(says, /^[A-Z][^"$`!\\]*[^."$`!\\]$/)
    assert.match(since, /^\d+\.\d+\.\d+$/)
  }
  assert.is(rulesAfter(RULES.length, new Set(['csv'])).length, 0)
  const ofSie = (format: string) =>
    rulesAfter(0, new Set([format])).some(({ formats }) => formats?.includes('sie'))
  assert.equal(['sie', 'csv'].map(ofSie), [true, false])
  const many = { before: 'x', isAll: true, rules: Array(40).fill(RULES[0]!) }
  assert.ok(programReason(many)!.length <= 1000)
})

test('packages that only develop the program are no part of it', () => {
  const part = productionPart(
    JSON.stringify({
      packages: {
        '': { version: '1.0.0' },
        'node_modules/b': { version: '2.0.0', integrity: 'sha512-b' },
        'node_modules/a': { version: '1.0.0', integrity: 'sha512-a', optional: true },
        'node_modules/c': { version: '3.0.0', integrity: 'sha512-c', dev: true },
      },
    }),
  )
  assert.is(part, 'node_modules/a 1.0.0 sha512-a\nnode_modules/b 2.0.0 sha512-b\n')
})
