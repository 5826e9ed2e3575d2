/** `tieout snapshots list`: lists the published versions of each company. */
import type { Command } from 'commander'
import type { SnapshotSummary } from '../builder/snapshot/files/open.ts'
import { withoutNotes } from '../builder/workspace/findings/finding.ts'
import { coverageText, tieOutsOf, tieOutsText } from './pool/builds.ts'
import { declareCopy } from './snapshots-copy.ts'
import { declareAdopt, declareHead, declareHold, declareLog } from './snapshots-log.ts'
import { declareStamp } from './stamps.ts'
import { action, examples } from './terminal/command.ts'
import { type CommandFailure, failureOf, RefusedError } from './terminal/exit.ts'
import { publishedCompanies } from './terminal/location.ts'
import { restatementText } from './terminal/restatement.ts'
import { tableText } from './terminal/table.ts'
import { count, type Terminal, wrap } from './terminal/terminal.ts'

export function declareSnapshots(program: Command): void {
  const snapshots = program
    .command('snapshots')
    .summary('list published versions, what was done to them, and the key that signs them')
    .description('The published versions, what was done to them, and the key that signs them.')
  declareKey(snapshots)
  declareLog(snapshots)
  declareHead(snapshots)
  declareHold(snapshots)
  declareAdopt(snapshots)
  declareStamp(snapshots)
  declareCopy(snapshots)
  declareList(snapshots)
}

function declareList(snapshots: Command): void {
  const list = snapshots
    .command('list', { isDefault: true })
    .description('List the published snapshots of companies, oldest first.')
    .argument('[company...]', 'ids of companies (default: all that are published)')
  examples(list, 'tieout snapshots list', 'tieout snapshots list harbor --json')
  action(list, async ({ terminal, read }, _options, ids) => {
    const { unstampedText } = await import('../builder/snapshot/log/check-stamps.ts')
    const { snapshots: root, timestamp } = await read(ids.length > 0 ? ids : null)
    const companies = await publishedCompanies(root, ids)
    const listed = await Promise.all(
      companies.map((company) =>
        listOf(root, company, timestamp !== null).catch((found): Listed => {
          const { exitCode, message } = failureOf(found)
          return { company, snapshots: [], problem: { exitCode, message } }
        }),
      ),
    )
    const problems = listed.flatMap(({ company, problem }) => (problem ? [{ company, ...problem }] : []))
    const { companiesWithCandidates } = await import('../builder/evidence/approval/approve.ts')
    const waits = companiesWithCandidates(root).length > 0
    terminal.show({ companies: listed }, () => {
      const rows = listed.flatMap(({ company, snapshots }) => snapshots.map((each) => ({ company, ...each })))
      if (rows.length === 0 && problems.length > 0) return 'Nothing can be listed'
      if (rows.length === 0)
        return waits
          ? 'Nothing is published yet; what waits for approval: tieout review'
          : 'Nothing is published yet. Next: tieout build'
      const restated = rows.flatMap(({ company, id, restatement }) =>
        restatement
          ? [wrap(`${company} ${id} restates closed months: ${restatementText(restatement)}`, terminal.width)]
          : [],
      )
      const unstamped = listed.flatMap(({ company, unstamped = [] }) =>
        unstamped.length > 0 ? [wrap(`${company}: ${unstampedText(unstamped)}`, terminal.width)] : [],
      )
      const remarks = [...restated, ...unstamped]
      return [listTable(rows, terminal), ...(remarks.length > 0 ? ['', ...remarks] : [])].join('\n')
    })
    for (const { company, message } of problems)
      terminal.note(
        `${terminal.notePaint.red('error')}    ${wrap(`${company}: ${message}`, terminal.width, 9)}`,
      )
    return problems[0]?.exitCode
  })
}

interface Listed {
  readonly company: string
  readonly snapshots: readonly (ReturnType<typeof summary> & {
    readonly status: string
    readonly held: string | null
  })[]
  readonly unstamped?: readonly string[]
  /** Why nothing of the company is listed. */
  readonly problem?: Pick<CommandFailure, 'exitCode' | 'message'>
}

/** The snapshots of a company, oldest first; `stamps` says whether they are expected to have time stamps. */
async function listOf(root: string, company: string, stamps: boolean): Promise<Listed> {
  const { companyFolder } = await import('../builder/snapshot/files/layout.ts')
  const { listSnapshots } = await import('../builder/snapshot/files/open.ts')
  const { readHistory } = await import('../builder/snapshot/log/history.ts')
  const { unstampedIn } = await import('../builder/snapshot/log/check-stamps.ts')
  const { held, allHeld } = await readHistory(root, company)
  const all = await listSnapshots(root, company)
  const inUse = all.findIndex(({ current }) => current)
  const snapshots = all.map((each, i) => ({
    ...summary(each),
    status: i === inUse ? 'current' : inUse >= 0 && i > inUse ? 'later' : 'earlier',
    held: (held.get(each.id) ?? allHeld)?.Reason ?? null,
  }))
  const unstamped = await unstampedIn(companyFolder(root, company), stamps)
  return { company, snapshots, ...(unstamped === null ? {} : { unstamped }) }
}

type Row = Pick<Listed, 'company'> & Listed['snapshots'][number]

function listTable(rows: readonly Row[], terminal: Terminal): string {
  const { dim, green } = terminal.paint
  return tableText(
    rows,
    [
      { title: 'Company', of: ({ company }) => company },
      { title: 'Snapshot', of: ({ id }) => id },
      {
        title: 'Status',
        of: ({ status, held }) => `${status}${held === null ? '' : ', held'}`,
        colour: ({ current }) => (current ? green : dim),
      },
      { title: 'Coverage', of: ({ coverage }) => coverageText(coverage) },
      { title: 'Postings', of: ({ postings }) => count(postings), right: true },
      { title: 'Documents', of: ({ documents }) => count(documents), right: true },
      { title: 'Tie-outs', of: ({ tieOuts }) => tieOutsText(tieOuts), right: true },
      { title: 'Warnings', of: ({ warnings }) => count(warnings), right: true },
      { title: 'Built', of: ({ builtAt }) => builtAt.slice(0, 16).replace('T', ' ') },
    ],
    terminal,
  )
}

function declareKey(snapshots: Command): void {
  const key = snapshots
    .command('key')
    .description(
      'Print the public keys that manifests are signed with, as a JWK Set. Give it to your auditor: "tieout verify --key <file>" then knows whose signatures count.',
    )
  examples(key, 'tieout snapshots key > acme-books.jwks.json')
  action(key, async ({ terminal, open }) => {
    const { publicKeys, signingKeyPath } = await import('../builder/snapshot/keys/key-file.ts')
    const keys = await publicKeys(signingKeyPath((await open()).state))
    if (keys.length === 0) throw new RefusedError('there is no key yet: the first build makes it')
    // The output is the same with and without --json, because programs read it.
    terminal.show({ keys }, () => JSON.stringify({ keys }, null, 2))
  })
}

const summary = ({ id, current, manifest }: SnapshotSummary) => ({
  id,
  current,
  coverage: { startDate: manifest.Coverage.StartDate, endDate: manifest.Coverage.EndDate },
  postings: manifest.Totals.Postings,
  transactions: manifest.Totals.Transactions,
  documents: manifest.Totals.Documents,
  tieOuts: tieOutsOf(manifest.TieOuts),
  warnings: withoutNotes(manifest.Warnings).length,
  previous: manifest.Previous?.SnapshotId ?? null,
  version: manifest.Tool.Version,
  builtAt: manifest.Build.At,
  restatement: manifest.Restatement ?? null,
})
