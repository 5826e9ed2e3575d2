/**
 * The catalogue of an insider's manipulations: somebody who has the real key, so that every signature, hash, chain and log holds.
 * What is left are the sources: their control totals always, and where they were kept all that was made of them.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { verifyFolder } from '../../builder/evidence/verify/verify.ts'
import { contentHashOf } from '../../builder/snapshot/files/files.ts'
import { INPUTS, snapshotId } from '../../builder/snapshot/files/layout.ts'
import type { InputEntry, Manifest } from '../../builder/snapshot/files/manifest.ts'
import { openSigner, type Signer } from '../../builder/snapshot/keys/key-file.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { openWorkspace } from '../../builder/workspace/workspace.ts'
import { goodCompany, MAIN, tieout } from '../cli/command.ts'
import { chosen } from '../seed.ts'
import { suite } from '../suite.ts'
import { messagesIn } from '../support/damages.ts'
import { companyYaml, writeFiles } from '../support/workspace.ts'
import { copyOf, manifestOf, ofAnotherProgram, rewriteHistory, snapshotsIn } from './attacker.ts'

interface Context {
  top: string
  /** Two snapshots of acme with their sources. */
  honest: string
  /** The same by the same key, with an invented sale in the ledger. */
  inventive: string
  keys: string
  signer: Signer
}

const test = suite<Context>('insider')

const SALE = '; 9 2025-02-20 bank 90000.00; 9 2025-02-20 sales -90000.00'
const METRICS = `nonFinancial: [{ id: heads, name: Headcount, aggregation: last }]
metrics: [{ files: heads.csv }]`

async function run(cwd: string, args: readonly string[], code = 0): Promise<string> {
  const ran = await tieout(args, { cwd })
  assert.is(ran.code, code, `${args.join(' ')}: ${ran.out}${ran.err}`)
  // Lines are wrapped to the width of the terminal.
  return ran.out.replace(/\s+/g, ' ')
}

async function publish(cwd: string, sale = ''): Promise<void> {
  for (const rent of ['10.00', '20.00']) {
    const entries = `3 2025-03-01 rent ${rent}; 3 2025-03-01 bank -${rent}${sale}`
    writeFiles(join(cwd, 'datasets/acme'), {
      ...goodCompany('acme', entries),
      'company.yaml': companyYaml(`id: acme\n${METRICS}`),
      'heads.csv': 'metric,2025-01,2025-02\nHeadcount,3,4\n',
    })
    assert.is((await build(openWorkspace(cwd), 'acme', { publish: true })).outcome, 'published')
  }
}

test.before(async (context) => {
  context.top = mkdtempSync(join(tmpdir(), 'tieout-insider-'))
  context.honest = join(context.top, 'honest')
  context.inventive = join(context.top, 'inventive')
  for (const workspace of [context.honest, context.inventive]) {
    mkdirSync(workspace)
    writeFileSync(join(workspace, 'tieout.yaml'), 'keepInputs: true\n')
  }
  await publish(context.honest)
  copyOf(join(context.honest, '.tieout'), join(context.inventive, '.tieout'))
  rmSync(join(context.inventive, '.tieout/cache'), { recursive: true, force: true })
  await publish(context.inventive, SALE)
  context.keys = join(context.top, 'keys.jwks.json')
  writeFileSync(context.keys, (await tieout(['snapshots', 'key'], { cwd: context.honest })).out)
  context.signer = await openSigner(join(context.honest, '.tieout'))
})

const companyIn = (workspace: string): string => join(workspace, 'snapshots/acme')
const aside = ({ top }: Context): string => join(mkdtempSync(join(top, 'case-')), 'acme')

/** Snapshots with the invented sale, beside the sources that lack it. */
function withoutSource(context: Context): string {
  const folder = copyOf(companyIn(context.inventive), aside(context))
  rmSync(join(folder, INPUTS), { recursive: true })
  copyOf(join(companyIn(context.honest), INPUTS), join(folder, INPUTS))
  return folder
}

/** What the honest manifest says of the same source; of the totals only where asked for. */
function honestInputs(context: Context, manifest: Manifest, totals: boolean): InputEntry[] {
  const honest = companyIn(context.honest)
  const { Inputs } = manifestOf(honest, snapshotsIn(honest)[manifest.Revision - 1]!)
  return manifest.Inputs.map((input) => {
    const real = Inputs.find(({ File }) => File === input.File)!
    return totals ? real : { ...input, Sha256: real.Sha256, Bytes: real.Bytes }
  })
}

const onLedger = (change: (input: InputEntry) => Partial<InputEntry>) => (manifest: Manifest) => ({
  ...manifest,
  Inputs: manifest.Inputs.map((input) => (input.Role === 'ledger' ? { ...input, ...change(input) } : input)),
})

interface Manipulation {
  /** Gives the folder of the company. */
  act(context: Context): Promise<string>
  /** Without the sources; null: only they can tell. */
  readonly always: RegExp | null
  /** Where it is built again from them. */
  readonly bySources: RegExp
}

const rewriting = (change: (manifest: Manifest, context: Context) => Manifest, from = honestCopy) =>
  async function act(context: Context): Promise<string> {
    const folder = from(context)
    // Every snapshot would tell the same.
    rmSync(join(folder, snapshotsIn(folder)[1]!), { recursive: true })
    await rewriteHistory(folder, context.signer, (manifest) => change(manifest, context))
    return folder
  }
function honestCopy(context: Context): string {
  return copyOf(companyIn(context.honest), aside(context))
}

const INVENTED =
  /the books hold a posting of 2025-02-20, transaction 9, account bank, 90000\.00, attributed to ledger\.csv:\d+; no source holds it/

const MANIPULATIONS: Readonly<Record<string, Manipulation>> = {
  'a posting that no source holds': {
    act: rewriting(
      (manifest, context) => ({ ...manifest, Inputs: honestInputs(context, manifest, true) }),
      withoutSource,
    ),
    always:
      /the books hold 8 postings with debits of \S+ and credits of \S+ of ledger\.csv; manifest\.json states 6/,
    bySources: INVENTED,
  },
  'the same, by a manifest that does not say how many postings there are': {
    act: rewriting(
      (manifest, context) => ({
        ...manifest,
        Inputs: honestInputs(context, manifest, true).map(
          ({ Postings: _, PostedDebit: __, PostedCredit: ___, ...input }) => input,
        ),
      }),
      withoutSource,
    ),
    always:
      /the books hold 8 postings of ledger\.csv, from which 6 rows were read: postings that no source holds/,
    bySources: INVENTED,
  },
  'the same, with control totals that count it': {
    act: rewriting(
      (manifest, context) => ({ ...manifest, Inputs: honestInputs(context, manifest, false) }),
      withoutSource,
    ),
    always: null,
    bySources: /manifest\.json states of ledger\.csv: rows read 8; the source gives 6/,
  },
  'the control totals of a source': {
    act: rewriting(onLedger(() => ({ Debit: '5.00' }))),
    always: /the control totals of that source are debits of 5\.00/,
    bySources: /manifest\.json states of ledger\.csv: debits 5\.00; the source gives 1260\.00/,
  },
  'rows that were read': {
    act: rewriting(onLedger(() => ({ RowsRead: 9 }))),
    always: null,
    bySources: /manifest\.json states of ledger\.csv: rows read 9; the source gives 6/,
  },
  'the size of a kept source': {
    act: rewriting(onLedger(() => ({ Bytes: 1 }))),
    always: /states that 1 bytes of ledger\.csv were read, which has \d+/,
    bySources:
      /the kept sources of \S+ make no snapshot: the kept ledger\.csv has \d+ bytes, and 1 were read/,
  },
  'the sum of metrics': {
    act: rewriting((manifest) => ({
      ...manifest,
      Inputs: manifest.Inputs.map((input) => (input.Role === 'metrics' ? { ...input, Total: '8' } : input)),
    })),
    always:
      /the books hold 2 values of heads\.csv, debits of 7\.000000 less credits of 0\.000000; its control totals are 2 values of 8/,
    bySources: /manifest\.json states of heads\.csv: their sum 8; the source gives 7/,
  },
  'a ledger left out of the sources': {
    act: rewriting((manifest) => ({
      ...manifest,
      Inputs: manifest.Inputs.filter(({ Role }) => Role !== 'ledger'),
    })),
    always:
      /books\/postings\.parquet has 6 postings of ledger\.csv, which manifest\.json does not list as a source/,
    bySources: /the kept sources of \S+ make no snapshot: company\.yaml:\d+: there is no file "ledger\.csv"/,
  },
  'a chart left out of the sources': {
    act: rewriting((manifest) => ({
      ...manifest,
      Inputs: manifest.Inputs.filter(({ Role }) => Role !== 'chart'),
    })),
    // Terms of accounts are told only of a chart that is stated.
    always: /report\/accrual\/all\/balance-sheet\.html does not show what the statements give/,
    bySources: /the kept sources of \S+ make no snapshot: company\.yaml:\d+: there is no file "chart\.csv"/,
  },
  'figures that agree with what the sources state of themselves': {
    act: rewriting((manifest) => ({ ...manifest, ControlsAgreed: 12 })),
    always: /report\/accrual\/all\/index\.html does not show what the statements give/,
    bySources:
      /states the number of control figures of the sources that agree differently than the sources give it: 12; the sources give 0/,
  },
  'months covered': {
    act: rewriting((manifest) => ({
      ...manifest,
      Coverage: { ...manifest.Coverage, EndDate: '2025-12-31' },
    })),
    always: /states the last day as 2025-12-31, the books give 2025-03-31/,
    bySources:
      /states the months covered differently than the sources give it: .*2025-12-31.*; the sources give .*2025-03-31/,
  },
  'months closed': {
    act: rewriting((manifest) => ({ ...manifest, LockedThrough: '2025-02-28' })),
    always: /says that the books were closed through 2025-02-28, the books say through no day/,
    bySources:
      /states the day through which the books are closed differently than the sources give it: 2025-02-28; the sources give nothing/,
  },
  'settings that were others': {
    act: rewriting((manifest) => ({
      ...manifest,
      Configuration: { ...manifest.Configuration!, Sha256: 'a'.repeat(64) },
    })),
    always: null,
    bySources: /states the settings differently than the sources give it/,
  },
}

for (const [name, { act, always, bySources }] of chosen(Object.entries(MANIPULATIONS)))
  test(name, async (context) => {
    const folder = await act(context)
    const verify = async (sources: boolean) => {
      const known = new Set([context.signer.keyId])
      const found = await verifyFolder(folder, 'company', { figures: true, known, sources })
      return { ...found, told: messagesIn(found) }
    }
    const plain = await verify(false)
    assert.is(plain.verified, always === null, plain.told)
    if (always) assert.match(plain.told, always)
    const { outcome, told } = await verify(true)
    assert.is(outcome, 'damaged', told)
    assert.match(told, bySources)
  })

test('what nobody touched is what its sources give, whoever verifies it', async (context) => {
  const { honest, inventive, top, keys } = context
  const zip = join(top, 'acme.zip')
  // Sources that have the sale, beside books that have it.
  await run(inventive, ['archive', 'acme', '--to', zip])
  const whole = await run(top, ['verify', zip, '--sources', '--key', keys])
  assert.match(whole, /Verified: 1 snapshot is as published, and every figure follows from the books/)
  assert.not.match(whole, /damage|differs|unproven/)
  // Several processes say what one says.
  const told = async (jobs: string) =>
    JSON.parse(await run(honest, ['verify', '--sources', '--jobs', jobs, '--json'])) as unknown
  assert.equal(await told('2'), await told('1'))
})

test('without kept sources nothing is proven by them: said so, with an exit code of its own', async (context) => {
  const { top } = context
  const workspace = join(mkdtempSync(join(top, 'case-')), 'books')
  mkdirSync(workspace)
  writeFileSync(join(workspace, 'tieout.yaml'), 'keepInputs: false\n')
  writeFiles(join(workspace, 'datasets/acme'), goodCompany('acme'))
  await run(workspace, ['build'])
  const told = await run(workspace, ['verify', '--sources'], 6)
  assert.match(told, /the sources of \S+ were not kept, so it cannot be built again/)
  assert.match(told, /Not proven: 1 snapshot is as published, and every figure follows from the books/)
  await run(workspace, ['verify'])
  // Kept, but not here.
  const [id] = snapshotsIn(companyIn(context.honest))
  const alone = copyOf(join(companyIn(context.honest), id!), join(mkdtempSync(join(top, 'case-')), id!))
  assert.match(await run(top, ['verify', alone, '--sources'], 6), /the sources of \S+ are not here: inputs\//)
  await run(workspace, ['verify', '--sources', '--files-only'], 2)
})

for (const [what, put] of Object.entries({
  'is gone': () => {},
  'is a pipe': (place: string) => assert.is(spawnSync('mkfifo', [place]).status, 0),
  'is a link to a device': (place: string) => symlinkSync('/dev/zero', place),
}))
  test(`a kept source that ${what} is told of, and no end of the verification`, async (context) => {
    const folder = honestCopy(context)
    const [first] = snapshotsIn(folder)
    const { Sha256 } = manifestOf(folder, first!).Inputs.find(({ Role }) => Role === 'ledger')!
    const place = join(folder, INPUTS, Sha256!)
    rmSync(place)
    put(place)
    // A program of its own, since what waits for a pipe cannot be stopped.
    const args = [MAIN, 'verify', folder, '--sources', '--key', context.keys]
    const { status, stdout } = spawnSync(process.execPath, args, {
      ...{ cwd: context.top, encoding: 'utf8', timeout: 60_000, killSignal: 'SIGKILL' },
    })
    assert.is(status, 1, stdout)
    const told = stdout.replace(/\s+/g, ' ')
    assert.match(told, /the kept sources of \S+ make no snapshot: the kept ledger\.csv is missing/)
    assert.match(told, /as published/)
  })

/** Another figure in the balance sheet of every snapshot, and another program in its manifest. */
async function readOtherwise(context: Context, signer: Signer | null): Promise<string> {
  const folder = honestCopy(context)
  const path = 'statements/balance-sheet/accrual/actuals/all/all.json'
  const [id] = snapshotsIn(folder)
  const other = readFileSync(join(folder, id!, path), 'utf8').replaceAll('1250.00', '1251.00')
  writeFileSync(join(folder, id!, path), other)
  const Files = manifestOf(folder, id!).Files.map((file) =>
    file.Path === path ? { ...file, Sha256: sha256(other) } : file,
  )
  const ContentHash = contentHashOf(Files)
  const SnapshotId = snapshotId('2025-03', 1, ContentHash)
  copyOf(join(folder, id!), join(folder, SnapshotId))
  for (const each of snapshotsIn(folder).filter((name) => name !== SnapshotId))
    rmSync(join(folder, each), { recursive: true })
  await rewriteHistory(folder, signer, (manifest) => ({
    ...manifest,
    Files,
    ContentHash,
    SnapshotId,
    ...ofAnotherProgram(manifest),
  }))
  return folder
}

test('the reading of another program is named as that, where its key vouches for it', async (context) => {
  const { top, keys, signer } = context
  const signed = await readOtherwise(context, signer)
  const told = await run(top, ['verify', signed, '--key', keys], 4)
  assert.match(
    told,
    /differs .*all\.json is not what the books give: 1000 Bank in 2025-02 is published as 1251/,
  )
  assert.match(
    told,
    /Read otherwise: 1 snapshot is as published; 1 was made by another version of the program/,
  )
  assert.not.match(told, /damage /)
  assert.match(
    await run(top, ['verify', signed, '--key', keys, '--sources'], 4),
    /all\.json is not what the sources give/,
  )
  // Without a key everybody could have written that it was another program.
  for (const folder of [signed, await readOtherwise(context, null)]) {
    const unproven = await run(top, ['verify', folder], 1)
    assert.match(
      unproven,
      /all\.json is not what the books give.*\(its manifest\.json names another program than this one, which nothing proves/,
    )
  }
  // What is no reading stays damage.
  rmSync(join(signed, snapshotsIn(signed)[0]!, 'info.json'))
  assert.match(await run(top, ['verify', signed, '--key', keys], 1), /info\.json is missing/)
})
