/**
 * `tieout snapshots log`, `hold`, `release`: shows what was done to published snapshots, and protects snapshots
 * from pruning.
 */
import type { Command } from 'commander'
import { present } from '../builder/contract/present.ts'
import { restatedText } from '../builder/snapshot/closing/closed-months.ts'
import type { LogRecord } from '../builder/snapshot/log/log-record.ts'
import { action, examples, type Surroundings } from './terminal/command.ts'
import { EXIT, RefusedError, UsageError } from './terminal/exit.ts'
import { resolved } from './terminal/filters.ts'
import { publishedCompanies } from './terminal/location.ts'
import { visible } from './terminal/money.ts'
import { reasonFrom } from './terminal/reason.ts'
import { type TableColumn, tableText } from './terminal/table.ts'
import { plural, wrap } from './terminal/terminal.ts'
import { waitingText } from './terminal/waiting.ts'

interface Options {
  readonly reason?: string
}

export function declareLog(snapshots: Command): void {
  const log = snapshots
    .command('log')
    .description(
      'What was done to the snapshots of a company, when, by whom and why: publications, rollbacks, holds, prunings, restorations, adoptions, closed and reopened months. Lines are signed and chained; one that is not as it was written is named, with exit code 1. Where snapshots have time stamps, those without one are named.',
    )
    .argument('<company>', 'its id')
  examples(log, 'tieout snapshots log acme', 'tieout snapshots log acme --json')
  action<object, [company: string]>(log, async ({ terminal, read }, _options, [company]) => {
    const { companyFolder } = await import('../builder/snapshot/files/layout.ts')
    const { readLog } = await import('../builder/snapshot/log/log.ts')
    const { knownKeys } = await import('../builder/snapshot/keys/key-file.ts')
    const { unstampedIn, unstampedText } = await import('../builder/snapshot/log/check-stamps.ts')
    const workspace = await read([company])
    await publishedCompanies(workspace.snapshots, [company])
    const known = (await knownKeys(workspace.state)) ?? new Set()
    const folderOf = companyFolder(workspace.snapshots, company)
    const { records, damage } = await readLog(folderOf, known)
    if (records.length === 0 && damage === null)
      throw new RefusedError('there is no log yet: the next build begins it')
    const broken = damage?.message ?? null
    const unstamped = await unstampedIn(folderOf, workspace.timestamp !== null)
    const shown = { company, records, damage: broken, ...(unstamped === null ? {} : { unstamped }) }
    terminal.show(shown, () => {
      const { red } = terminal.paint
      return [
        logTable(records, terminal),
        ...(unstamped?.length ? [wrap(unstampedText(unstamped), terminal.width)] : []),
        ...(broken === null ? [] : [wrap(`${red('damage')}   ${broken}`, terminal.width, 9)]),
      ].join('\n\n')
    })
    return broken === null ? undefined : EXIT.failed
  })
}

const APPROVED: TableColumn<LogRecord> = {
  title: 'Approved',
  of: ({ Approval }) =>
    Approval ? visible(`${Approval.At.slice(0, 16).replace('T', ' ')} ${Approval.Name}, ${Approval.By}`) : '',
}

const logTable = (records: readonly LogRecord[], terminal: Surroundings['terminal']): string =>
  tableText(
    records,
    [
      { title: 'When (UTC)', of: ({ At }) => visible(At.slice(0, 16).replace('T', ' ')) },
      { title: 'By', of: ({ By }) => visible(By) },
      { title: 'What', of: ({ Event }) => visible(Event) },
      { title: 'Snapshot', of: ({ SnapshotId }) => visible(SnapshotId) },
      { title: 'Closed through', of: ({ ClosedThrough }) => ClosedThrough ?? '' },
      { title: 'Signed by', of: ({ KeyId }) => KeyId?.slice(0, 8) ?? 'nobody' },
      ...(records.some(({ Approval }) => Approval) ? [APPROVED] : []),
      { title: 'Reason', of: reasonText },
    ],
    terminal,
  )

/** The reason, with the figures of closed months that the line changed. */
const reasonText = ({ Reason, Restatement }: LogRecord): string =>
  visible(Restatement ? `${Reason} (closed months: ${restatedText(Restatement)})` : (Reason ?? ''))

export function declareHead(snapshots: Command): void {
  const head = snapshots
    .command('head')
    .description(
      'Print the SHA-256 of the last line of the log of a company, on one line. Noted elsewhere, such as in an e-mail to the auditor, it proves later that nothing published until then was cut off: "tieout verify <company> --expect <sha256>".',
    )
    .argument('<company>', 'its id')
  examples(head, 'tieout snapshots head acme')
  action<object, [company: string]>(head, async ({ terminal, read }, _options, [company]) => {
    const { companyFolder } = await import('../builder/snapshot/files/layout.ts')
    const { readLog } = await import('../builder/snapshot/log/log.ts')
    const { knownKeys } = await import('../builder/snapshot/keys/key-file.ts')
    const { snapshots: root, state } = await read([company])
    const known = (await knownKeys(state)) ?? new Set()
    const { records, hashes, damage } = await readLog(companyFolder(root, company), known)
    if (damage) throw new RefusedError(`${damage.message}; "tieout verify ${company}" says all`)
    const last = records.at(-1)
    const sha256 = hashes.at(-1)
    if (last === undefined || sha256 === undefined)
      throw new RefusedError(`there is no log of "${company}" yet: the first build begins it`)
    terminal.show(
      { company, line: last.Seq, at: last.At, sha256 },
      () => `${company} line ${last.Seq} of ${last.At} ${sha256}`,
    )
  })
}

export function declareHold(snapshots: Command): void {
  const hold = snapshots
    .command('hold')
    .description(
      'Hold a snapshot, or all of a company: "tieout prune" keeps what is held, whatever the policy says, until it is released.',
    )
    .argument('<company>', 'its id')
    .argument(
      '[snapshot]',
      'as "tieout snapshots list" shows it (default: all of the company, those to come too)',
    )
    .requiredOption('--reason <text>', 'why, such as the number of a case')
  examples(
    hold,
    'tieout snapshots hold acme 2025-12-r1-3f9c2a --reason "tax audit 2025"',
    'tieout snapshots hold acme --reason "case 4711: nothing may be removed"',
  )
  declareDecision(hold, async ({ holdSnapshots }, { root, company, snapshot, reason, signer }) => {
    await holdSnapshots(root, company, snapshot, present(reason, 'reason of the hold'), { signer })
    return snapshot === null
      ? `${company}: all snapshots are held, those to come too.`
      : `${company}: ${snapshot} is held.`
  })
  const release = snapshots
    .command('release')
    .description('Release what was held: the policy decides about it again.')
    .argument('<company>', 'its id')
    .argument('[snapshot]', 'one that was held by itself (default: the hold on all of the company)')
    .option('--reason <text>', 'why')
  examples(
    release,
    'tieout snapshots release acme 2025-12-r1-3f9c2a --reason "audit closed"',
    'tieout snapshots release acme --reason "case 4711 is closed"',
  )
  declareDecision(release, async ({ releaseSnapshots }, { root, company, snapshot, reason, signer }) => {
    await releaseSnapshots(root, company, snapshot, reason, { signer })
    return snapshot === null
      ? `${company} is not held any more; snapshots that were held by themselves still are.`
      : `${company}: ${snapshot} is not held any more.`
  })
}

export function declareAdopt(snapshots: Command): void {
  const adopt = snapshots
    .command('adopt')
    .description(
      'Vouch for the snapshots of a company as they lie here, although they are not signed or their log was lost: one signed line of the log names every manifest by its hash. From then on a change to any of them is seen. Compare them with an archive or a backup first.',
    )
    .argument('<company>', 'its id')
    .requiredOption('--reason <text>', 'why, such as what happened to the log')
  examples(adopt, 'tieout snapshots adopt acme --reason "published before snapshots were signed"')
  action<Options, [company: string]>(adopt, async ({ terminal, changing }, { reason = '' }, [company]) => {
    const { changeOptions } = await import('../builder/snapshot/signing/change-options.ts')
    const { adoptHistory } = await import('../builder/snapshot/log/adopt.ts')
    const { change } = await changing()
    const found = await change(company, async (workspace) =>
      adoptHistory(workspace.snapshots, company, reasonFrom(reason), await changeOptions(workspace)),
    )
    const { adopted, candidate } = found
    terminal.show({ company, ...found }, () =>
      candidate === null
        ? `${company}: ${plural(adopted, 'snapshot is', 'snapshots are')} adopted.`
        : waitingText(company, candidate, terminal.width),
    )
    return candidate === null ? undefined : EXIT.waiting
  })
}

type Decisions = typeof import('../builder/snapshot/log/use.ts')
interface Decision {
  readonly root: string
  readonly company: string
  /** Null for all snapshots of the company. */
  readonly snapshot: string | null
  readonly reason: string | null
  readonly signer: import('../builder/snapshot/keys/key-file.ts').Signer
}

function declareDecision(
  command: Command,
  decide: (decisions: Decisions, decision: Decision) => Promise<string>,
): void {
  action<Options, [company: string, snapshot?: string]>(
    command,
    async ({ terminal, changing }, { reason = null }, [company, named]) => {
      if (reason?.trim() === '') throw new UsageError('the reason is empty')
      const { workspaceSigner } = await import('../builder/snapshot/signing/signing.ts')
      const { snapshotIdNamed } = await import('../builder/inspect/inspect.ts')
      const decisions = await import('../builder/snapshot/log/use.ts')
      const { change } = await changing()
      const { snapshot, said } = await change(company, async (workspace) => {
        const root = workspace.snapshots
        const snapshot = named === undefined ? null : resolved(await snapshotIdNamed(root, company, named))
        const signer = await workspaceSigner(workspace)
        return { snapshot, said: await decide(decisions, { root, company, snapshot, reason, signer }) }
      })
      terminal.show({ company, snapshotId: snapshot, reason }, () => said)
    },
  )
}
