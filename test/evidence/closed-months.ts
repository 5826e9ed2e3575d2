/**
 * Attempts on closed months: a company whose months are closed, what somebody does to it step by step, and an oracle that
 * reads published figures and the log by itself: which figures of closed months readers were told differently, and whether a
 * reason stands in the log for it.
 */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { archiveSnapshot } from '../../builder/evidence/archive/archive.ts'
import { restoreArchive } from '../../builder/evidence/verify/restore.ts'
import { verifyCompanies } from '../../builder/evidence/verify/verify.ts'
import { restatedByUse } from '../../builder/snapshot/closing/restated.ts'
import { LOG, MANIFEST } from '../../builder/snapshot/files/layout.ts'
import { openCurrent } from '../../builder/snapshot/files/open.ts'
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { adoptHistory } from '../../builder/snapshot/log/adopt.ts'
import { closeMonth, reopenMonth } from '../../builder/snapshot/log/close.ts'
import { prune } from '../../builder/snapshot/log/prune.ts'
import { useSnapshot } from '../../builder/snapshot/log/use.ts'
import { sha256 } from '../../builder/system/hash.ts'
import { openWorkspace, readCompany, type Workspace } from '../../builder/workspace/workspace.ts'
import { tieout } from '../cli/command.ts'
import { suite } from '../suite.ts'
import { damagesIn } from '../support/damages.ts'
import { CHART, COMPANY, companyYaml, type Files, ledgerCsv, writeFiles } from '../support/workspace.ts'
import { linesOf, snapshotsIn } from './attacker.ts'

/** January as it was published first, as it is closed, and as somebody wants it to be. */
export const SALE = { first: '240.00', closed: '250.00', wanted: '990.00' }

export const ledger = (sale: string, more = ''): Files => ({
  'ledger.csv': ledgerCsv(`1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
    2 2025-01-10 bank ${sale}; 2 2025-01-10 sales -${sale} east
    3 2025-02-10 rent 40.00; 3 2025-02-10 bank -40.00; ${more}`),
})
/** January as somebody wants it to be. */
export const WANTED: Files = ledger(SALE.wanted)
export const GONE = /lockDate was removed: closed months are not opened by a setting/
export const RESTATED = /closed-month-restated/
export const MARCH = '4 2025-03-10 rent 41.00; 4 2025-03-10 bank -41.00'
export const settings = (lockDate: string | null, more = ''): Files => ({
  'company.yaml': companyYaml(`classes: classes.csv
budgets: [{ id: plan, name: Plan, files: plan.csv }]
metrics: [{ files: metrics.csv }]
nonFinancial: [{ id: heads, name: Heads, aggregation: last }]
${lockDate === null ? '' : `lockDate: ${lockDate}\n`}${more}`),
})

const FILES: Files = {
  ...settings(null),
  ...ledger(SALE.first),
  'chart.csv': CHART,
  'classes.csv': 'id,name\neast,East\nwest,West\n',
  'plan.csv': 'account,2025-01,2025-02\nrent,44.00,45.00\n',
  'metrics.csv': 'metric,2025-01,2025-02\nheads,5,6\n',
}

/** By whom January is closed: `tieout close`, or `lockDate` in company.yaml. */
export type ClosedBy = 'command' | 'setting'

const TODAY = '2025-06-30'

/** r1 with another January, the current one with January as it is closed; a key. */
async function makeCompany(top: string, by: ClosedBy): Promise<void> {
  const root = join(top, by)
  const world = new World(root, null)
  writeFiles(root, { 'tieout.yaml': 'datasets: datasets\nsnapshots: snapshots\n' })
  await world.build(FILES)
  await world.build(ledger(SALE.closed))
  if (by === 'command') await world.close('2025-01')
  else await world.build(settings('2025-01-31'))
  assert.equal(world.steps, ['done', 'done', 'done'], world.said.join('\n'))
  assert.is(await world.found(null), 'nothing', world.said.join('\n'))
}

/** What a reader is told of one month of a row: `path row month` → text; zeros are not told apart from what is not there. */
type Told = ReadonlyMap<string, string>

export type Step = 'done' | 'refused'

/** One copy of the company, what was done to it, and what readers were told on the way. */
export class World {
  readonly root: string
  readonly workspace: Workspace
  /** How each step ended, and what it said. */
  readonly steps: Step[] = []
  readonly said: string[] = []
  /** The head of the log as noted outside, before anything was attempted. */
  readonly noted: string | null
  /** Differences without a reason, and with one. */
  readonly unexplained: string[] = []
  explained = 0
  /** By the closings that the steps themselves made; null: none. */
  #closedThrough: string | null
  /** What each figure said last, and what the current snapshot said before the step. */
  readonly #told: Map<string, string>
  #before: Told
  #lines: readonly string[]
  #forged = false

  constructor(root: string, closedThrough: string | null) {
    this.root = root
    writeFiles(root, { 'tieout.yaml': 'datasets: datasets\nsnapshots: snapshots\n' })
    this.workspace = openWorkspace(root)
    this.#closedThrough = closedThrough
    this.#lines = linesOf(this.folder)
    const last = this.#lines.at(-1)
    this.noted = last === undefined ? null : sha256(last)
    this.#before = this.#published()
    this.#told = new Map(this.#before)
  }

  get folder(): string {
    return join(this.workspace.snapshots, COMPANY)
  }
  get ids(): string[] {
    return snapshotsIn(this.folder)
  }

  write(files: Files): void {
    writeFiles(join(this.workspace.datasets, COMPANY), files)
  }

  build(files: Files = {}, restate?: string): Promise<void> {
    return this.#step(async () => {
      this.write(files)
      const { value } = readCompany(this.workspace, COMPANY)
      const result = await build(this.workspace, COMPANY, {
        publish: true,
        ...(restate === undefined ? {} : { restate }),
      })
      if (result.outcome === 'refused')
        throw new Error(result.findings.map(({ code, message }) => `${code}: ${message}`).join('; '))
      if (result.outcome === 'published') this.#closes(value?.lockDate ?? null)
    })
  }

  use(id: string, reason = 'the rate of January was wrong'): Promise<void> {
    const { snapshots } = this.workspace
    return this.#step(async () => {
      const compare = restatedByUse(snapshots, COMPANY)
      await useSnapshot(snapshots, COMPANY, id, reason, { ...(await this.#signed()), compare })
    })
  }

  close(month: string, today = TODAY): Promise<void> {
    return this.#step(async () => {
      const { closedThrough } = await closeMonth(this.workspace.snapshots, COMPANY, month, {
        ...(await this.#signed()),
        today,
      })
      this.#closes(closedThrough)
    })
  }

  reopen(month: string, reason = 'the bank statement came late'): Promise<void> {
    return this.#step(async () => {
      const options = await this.#signed()
      const { closedThrough } = await reopenMonth(this.workspace.snapshots, COMPANY, month, reason, options)
      this.#closedThrough = closedThrough
    })
  }

  prune(keepLast = 1): Promise<void> {
    return this.#step(async () => {
      const request = { company: COMPANY, policy: { keepLast }, inUse: async () => new Set<string>() }
      await prune(this.workspace.snapshots, request, null, await this.#signed())
    })
  }

  adopt(reason = 'the log was lost with the old disk'): Promise<void> {
    return this.#step(async () => {
      await adoptHistory(this.workspace.snapshots, COMPANY, reason, await this.#signed())
    })
  }

  /** Of the current snapshot; gives the path. */
  async archive(): Promise<string> {
    const to = join(this.root, 'archive.zip')
    const current = await openCurrent(this.workspace.snapshots, COMPANY)
    await archiveSnapshot(current!, {
      to,
      known: null,
      version: '1.0',
      software: 'Tieout',
      baggedAt: new Date('2025-06-30'),
    })
    return to
  }

  restore(archive: string): Promise<void> {
    return this.#step(async () => {
      const restored = await restoreArchive(this.workspace, { archive, keyFile: null, figures: true })
      if (restored.outcome === 'refused') throw new Error('refused')
    })
  }

  /** The compiled command, where what it refuses stands in the command itself. */
  command(...args: string[]): Promise<void> {
    return this.#step(async () => {
      const { code, out, err } = await tieout(args, { cwd: this.root })
      if (code !== 0) throw new Error(out + err)
    })
  }

  /** With tools of one's own; not a step of the program. */
  forge(how: (folder: string) => Promise<void> | void): Promise<void> {
    this.#forged = true
    return this.#step(async () => how(this.folder))
  }

  /** Another workspace beside this one, whose readers are told the same until then; with the same key or without. */
  elsewhere(keys: boolean): World {
    const root = mkdtempSync(join(tmpdir(), 'tieout-elsewhere-'))
    cpSync(join(this.root, 'datasets'), join(root, 'datasets'), { recursive: true })
    if (keys) cpSync(join(this.root, '.tieout'), join(root, '.tieout'), { recursive: true })
    return new World(root, null)
  }

  /**
   * Whether "tieout verify" finds damage; anchor: only that what was noted outside is not here any more. Figures that the program
   * itself published follow from the books: they are computed again where the files do not show that something was forged.
   */
  async found(noted: string | null): Promise<'nothing' | 'anchor' | 'damage'> {
    const { known } = await openSigner(this.workspace.state)
    const options = { known, ...(noted === null ? {} : { expect: noted }) }
    const verify = (figures: boolean) =>
      verifyCompanies(this.workspace.snapshots, [COMPANY], { ...options, figures })
    let verification = await verify(false)
    if (this.#forged && damagesIn(verification).every(({ kind }) => kind === 'unexpected'))
      verification = await verify(true)
    const damages = damagesIn(verification)
    this.said.push(...damages.map(({ message }) => message))
    if (verification.verified) return 'nothing'
    const [company] = verification.companies
    const isProven = company?.snapshots.every(
      ({ readings, unproven }) => readings.length + unproven.length === 0,
    )
    return isProven && damages.length > 0 && damages.every(({ kind }) => kind === 'unexpected')
      ? 'anchor'
      : 'damage'
  }

  async #signed() {
    return { signer: await openSigner(this.workspace.state) }
  }

  #closes(through: string | null): void {
    if (through !== null && (this.#closedThrough === null || through > this.#closedThrough))
      this.#closedThrough = through
  }

  async #step(work: () => Promise<void>): Promise<void> {
    const closed = this.#closedThrough
    try {
      await work()
      this.steps.push('done')
    } catch (problem) {
      this.said.push((problem as Error).message)
      this.steps.push('refused')
    }
    this.#look(closed)
  }

  /** What was closed before the step, as it is told after it. */
  #look(closedThrough: string | null): void {
    const lines = linesOf(this.folder)
    const reasons = lines
      .filter((line) => !this.#lines.includes(line))
      .map((line) => (JSON.parse(line) as { Reason: string | null }).Reason ?? '')
      .filter((reason) => reason.replace(/[^\p{L}]/gu, '').length >= 10)
    this.#lines = lines
    const now = this.#published()
    const isClosed = (key: string) => closedThrough !== null && key.slice(-7) <= closedThrough.slice(0, 7)
    const documents = new Set([...this.#told.keys()].map(pathOf))
    const differing = [
      ...[...this.#told].filter(
        ([key, text]) => isClosed(key) && now.get(key) !== text && (now.has(key) || this.#before.has(key)),
      ),
      ...[...now].filter(([key]) => isClosed(key) && !this.#told.has(key) && documents.has(pathOf(key))),
    ]
    if (differing.length > 0 && reasons.length > 0) this.explained++
    else this.unexplained.push(...differing.map(([key, text]) => `${key}: ${text}, now ${now.get(key)}`))
    this.#before = now
    // What a closed month said last is still what it said, where it is not told any more.
    for (const [key, text] of now) this.#told.set(key, text)
    for (const key of this.#told.keys()) if (!isClosed(key) && !now.has(key)) this.#told.delete(key)
  }

  /** Of the snapshot that the pointer names, read as any stranger would; nothing where that cannot be read. */
  #published(): Told {
    const told = new Map<string, string>()
    try {
      const { SnapshotId } = JSON.parse(readFileSync(join(this.folder, 'current.json'), 'utf8'))
      const folder = join(this.folder, SnapshotId)
      const { Files } = JSON.parse(readFileSync(join(folder, MANIFEST), 'utf8')) as {
        Files: { Path: string }[]
      }
      for (const { Path } of Files.filter((file) => /^(statements|metrics)\//.test(file.Path)))
        for (const [row, month, text] of figuresOf(readFileSync(join(folder, Path), 'utf8')))
          if (Number(text) !== 0) told.set(`${Path} ${row} ${month}`, text)
    } catch {}
    return told
  }
}

const pathOf = (key: string): string => key.slice(0, key.indexOf(' '))

/** Row, month and figure as text, from the lines of a document. */
function* figuresOf(document: string): Generator<readonly [row: string, month: string, text: string]> {
  const months = [...document.matchAll(/^\{"Month":"(\d{4}-\d\d)"/gm)].map(([, month]) => month!)
  for (const [, name, values] of document.matchAll(/^\{"\w+":"([^"]+)".*"Values":\[([^\]]*)\]/gm))
    for (const [i, text] of values!.split(',').entries()) if (text !== 'null') yield [name!, months[i]!, text]
}

export interface Attempt {
  readonly by: ClosedBy
  act(world: World): Promise<World> | Promise<void>
  /**
   * same: no figure of a closed month differs. refused: so does none, since a step was refused. reason: some do, and the log
   * says why. damage: "tieout verify" says what was done. anchor: only with what was noted outside.
   */
  readonly ends: 'same' | 'refused' | 'reason' | 'damage' | 'anchor'
  /** Of what was said when it was refused or found. */
  readonly says?: RegExp
}

/** An attempt, on a copy of its own. Wherever nothing is found, no figure of a closed month differs without a reason. */
async function endOf({ by, act }: Attempt, top: string): Promise<{ end: Attempt['ends']; said: string }> {
  const root = mkdtempSync(join(top, 'attempt-'))
  cpSync(join(top, by), root, { recursive: true })
  const first = new World(root, '2025-01-31')
  const world = (await act(first)) ?? first
  try {
    const found = await world.found(first.noted)
    const said = [...first.said, ...world.said].join('\n')
    const { unexplained, explained, steps } = world
    if (found !== 'nothing') return { end: found, said }
    assert.is(unexplained.slice(0, 3).join('\n'), '', `without a reason in the log\n${said}`)
    const end = explained > 0 ? 'reason' : steps.includes('refused') ? 'refused' : 'same'
    return { end, said }
  } finally {
    for (const each of new Set([first, world])) rmSync(each.root, { recursive: true, force: true })
  }
}

/** A suite with a test for each attempt, all on the same company. */
export function catalogue(name: string, attempts: Readonly<Record<string, Attempt>>): void {
  const test = suite<{ top: string }>(name)
  test.before(async (context) => {
    context.top = mkdtempSync(join(tmpdir(), 'tieout-closed-'))
    for (const by of new Set(Object.values(attempts).map((each) => each.by)))
      await makeCompany(context.top, by)
  })
  for (const [what, attempt] of Object.entries(attempts))
    test(what, async ({ top }) => {
      const { end, said } = await endOf(attempt, top)
      assert.is(end, attempt.ends, said)
      if (attempt.says) assert.match(said, attempt.says)
    })
}

/** The log as it was before, for who takes lines away. */
export const cutLog = (folder: string, lines: number): void => {
  const kept = linesOf(folder).slice(0, -lines)
  writeFileSync(join(folder, LOG), kept.map((line) => `${line}\n`).join(''))
}
