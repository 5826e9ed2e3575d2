/** Runs the pipeline from a company's exports to a published snapshot. It only orders the steps; each step is a room. */

import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { makeBooks } from '../books/books.ts'
import type { PublishedBefore } from '../books/check/reports/sums.ts'
import { type AccountingRules, NEWEST_RULES, rulesOfFormat } from '../books/post/accounting-rules.ts'
import type { LedgerEngine } from '../books/read/engine/engine.ts'
import { databaseFor } from '../database/database.ts'
import { bookFiles, type Intake } from '../ingest/format/intake.ts'
import { ingest, type ReadMembers } from '../ingest/ingest.ts'
import { withSettingLines } from '../ingest/setting-lines.ts'
import { restatedText } from '../snapshot/closing/closed-months.ts'
import { SnapshotDamagedError } from '../snapshot/files/damage.ts'
import { bookPath } from '../snapshot/files/layout.ts'
import type { Restatement } from '../snapshot/files/manifest.ts'
import type { Snapshot } from '../snapshot/files/open.ts'
import { handled } from '../system/parallel.ts'
import { companyCache } from '../workspace/cache.ts'
import { error, type Finding, FindingsError, warning } from '../workspace/findings/finding.ts'
import { sourceFiles } from '../workspace/source-files.ts'
import { datasetFolder } from '../workspace/workspace.ts'
import { configurationOf, inputEntries, sourcesOf } from './provenance.ts'
import { type BuildResult, refusal } from './result.ts'
import { changedMeanwhile } from './source-watch.ts'
import { type Checked, type Exports, type Order, refusedOf, type StepResult } from './step.ts'
import { replacedIn, watchTables } from './table-watch.ts'
/** Builds a company completely by these rules, whatever was published: reads, checks, composes, and publishes if asked to. */
export async function make(order: Order, rules: AccountingRules): Promise<BuildResult> {
  const read = await readExports(order)
  try {
    // DuckDB reads the ledger meanwhile, so that this thread has time for it.
    const loading = handled(import('./publication.ts'))
    const checked = await checkBooks(order, read, rules)
    const result = checked.refused ?? (await (await loading).makeOf(order, read, checked.value))
    return read.tables === null ? result : { ...result, tables: read.tables.reading }
  } finally {
    await read.intake.dispose()
  }
}

// —— read ——

async function readExports(order: Order): Promise<Exports> {
  const { workspace, company, watch } = order
  const cache = companyCache(workspace.state, company.id)
  const folder = datasetFolder(workspace, company.id)
  const listed = await sourceFiles(company, folder)
  watch.see(listed ?? [])
  const tables = await watchTables(workspace, company)
  const intake = await ingest(company, folder, tables, await membersOf(order))
  return {
    ...{ cache, folder, tables, intake },
    isWatched: listed !== null,
    ledgerFiles: bookFiles(intake),
  }
}

/** Reads the members of a group; null where the company is none. */
async function membersOf({ workspace, company, options, members }: Order): Promise<ReadMembers | null> {
  const { group } = company
  if (group === undefined) return null
  const [{ readGroup }, { currentBelow }] = await Promise.all([
    import('./group/group.ts'),
    import('./group/members.ts'),
  ])
  const folder = datasetFolder(workspace, company.id)
  const place = { folder, open: currentBelow(members), resources: databaseFor(options) }
  return (chart, scratch) => readGroup(company, group, { ...place, rounding: 'by entry' }, chart, scratch)
}

// —— check ——

async function checkBooks(order: Order, read: Exports, rules: AccountingRules): Promise<StepResult<Checked>> {
  const { workspace, company, options, watch, lockDate, currentSnapshot } = order
  const { intake, folder, tables, isWatched } = read
  options.progress?.('books', 0, null)
  const engine = await engineFor(order, intake)
  const folders = [workspace.snapshots, workspace.engine.scratch]
  const resources = { ...databaseFor(options), folders }
  const loaded = await makeBooks(
    company,
    intake,
    resources,
    lockDate.through,
    engine,
    rules,
    currentSnapshot && (() => publishedBefore(currentSnapshot)),
  ).catch((problem: unknown) => {
    // What an engine reports ends this company, and not the others that are built with it.
    if (problem instanceof FindingsError) return problem.findings
    throw problem
  })
  // An engine may have failed because of such a change.
  const replaced = await replacedIn(tables)
  if (!('books' in loaded)) return refusedOf(order, [...replaced, ...loaded])
  if (replaced.length > 0) {
    loaded.books?.db.close()
    return refusedOf(order, replaced)
  }
  // All sources were read by now. A file that changed meanwhile may be the cause of an error.
  const sources = sourcesOf(folder, intake)
  const changed = isWatched || loaded.books !== null ? await watch.changed(sources) : []
  if (changed.length > 0) {
    loaded.books?.db.close()
    return refusedOf(order, changed.map(changedMeanwhile))
  }
  const findings = withSettingLines(loaded.findings, folder)
  if (loaded.books === null) return refusedOf(order, findings)
  const reading = {
    Inputs: inputEntries(company, intake, loaded, workspace.keepInputs),
    Configuration: configurationOf(company, workspace.keepInputs),
  }
  intake.forgetFigures()
  return { value: { rules, books: loaded.books, loaded, findings, sources, reading } }
}

/** The postings of the current snapshot; null where they are damaged. */
async function publishedBefore(snapshot: Snapshot): Promise<PublishedBefore | null> {
  const path = bookPath('postings.parquet')
  try {
    await snapshot.check(path)
    return { snapshotId: snapshot.id, postings: join(snapshot.folder, path) }
  } catch (problem) {
    if (problem instanceof SnapshotDamagedError) return null
    throw problem
  }
}

/** The engine that the ledger names, which is loaded only then; null where DuckDB reads all files. */
async function engineFor(
  { workspace, company, options }: Order,
  { ledger }: Intake,
): Promise<LedgerEngine | null> {
  if (!ledger.some((input) => input.kind === 'parquet' && input.engine === 'spark')) return null
  const { sparkEngine } = await import('./spark/spark.ts')
  return sparkEngine(workspace, company.id, (done, total) => options.progress?.('engine', done, total))
}

/** Findings by which the guard over closed months refuses a build without a reason. */
const RESTATED: readonly Finding['code'][] = ['closed-month-restated', 'restatement-unknown']

export async function makeByRules(order: Order): Promise<BuildResult> {
  const { currentSnapshot, lockDate, company, startedAt } = order
  const before = currentSnapshot && rulesOfFormat(currentSnapshot.manifest.Format)
  const { adopt, restate, ...asked } = order.options
  const dry = { ...asked, publish: false }
  if (before === null || before === NEWEST_RULES || lockDate.through === null)
    return make(order, NEWEST_RULES)
  if (adopt === undefined) {
    // The first attempt gets no reason: the reason is for what the sources change.
    const newest = await make({ ...order, options: asked }, NEWEST_RULES)
    const { restatement } = newest
    if (restatement === null || !newest.findings.some(({ code }) => RESTATED.includes(code))) return newest
    // A damaged snapshot cannot be compared: it is replaced under its own rules.
    if (restatement.Uncompared !== undefined) return make(order, before)
    if (restate !== undefined) {
      const { restatement: ofSources } = await make({ ...order, options: dry }, before)
      // The sources alone state closed months differently: the newer rules take nothing away.
      if (isDeepStrictEqual(ofSources, restatement)) return make(order, NEWEST_RULES)
    }
    return make({ ...order, remarks: [notAdopted(company.id, before, restatement)] }, before)
  }
  // Under the rules of before only the sources can change closed months, and adopting newer rules is no reason for that.
  const checked = await make({ ...order, options: dry }, before)
  const differing = checked.findings.find(({ code }) => RESTATED.includes(code))
  if (checked.outcome === 'refused') return checked
  if (differing !== undefined)
    return refusal(
      company.id,
      startedAt,
      [
        error(
          'rules-and-sources',
          `the rules of before do not give closed months as they were published: ${differing.message}`,
          {
            remedy: `publish what the sources say first: tieout build ${company.id} --restate "reason"; then adopt the rules`,
          },
        ),
      ],
      checked.restatement,
    )
  return make({ ...order, options: { ...asked, restate: adopt } }, NEWEST_RULES)
}

/** What changed with the formats after a snapshot's. */
const CHANGED = {
  3: 'the cash flow follows the entries (§5), and closing entries inside a year are matched to the results that they clear (§4)',
  4: 'money on the derived cash basis is unapplied until its document is there (§7)',
}

function notAdopted(company: string, before: AccountingRules, restatement: Restatement): Finding {
  const changed = [...(before < 3 ? [CHANGED[3]] : []), CHANGED[4]].join('; ')
  return warning(
    'rules-not-adopted',
    `by the newer rules of this version closed months would be stated differently: ${restatedText(restatement)}. With them ${changed}. Until they are adopted the rules of before go on`,
    {
      remedy: `adopt them: tieout rules adopt ${company} --reason "reason"; or go on under the rules of before`,
    },
  )
}
