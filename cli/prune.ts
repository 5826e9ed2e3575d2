/** `tieout prune`: removes snapshots that the retention policy does not keep. */
import type { Command } from 'commander'
import type { PlannedSnapshot, PrunePlan, PruneRequest } from '../builder/snapshot/log/prune.ts'
import type { Amount, Swept } from '../builder/snapshot/places/bucket/sweep.ts'
import type { Workspace } from '../builder/workspace/workspace.ts'
import { action, examples } from './terminal/command.ts'
import { EXIT, RefusedError } from './terminal/exit.ts'
import { changeIn, publishedCompanies, withLocation } from './terminal/location.ts'
import { visible } from './terminal/money.ts'
import { tableText } from './terminal/table.ts'
import { bytesText, plural, type Terminal, wrap } from './terminal/terminal.ts'
import { waitingText } from './terminal/waiting.ts'

interface Options {
  readonly yes?: boolean
  readonly reason?: string
}

export function declarePrune(program: Command): void {
  const command = program
    .command('prune')
    .summary('remove old snapshots by the retention policy of tieout.yaml')
    .description(
      'Show which snapshots the retention policy of tieout.yaml keeps, and why; with --yes, remove the others. The current and the newest snapshot, held ones, those of a held company ("tieout snapshots hold") and those that clients are reading always stay. Of a removed one the manifest and its signature are kept, and the log says who removed it. In a bucket the objects that no snapshot has any more are marked first, and deleted by a later prune, a day after that at the earliest.',
    )
    .argument('[company...]', 'ids of companies (default: all that are published)')
    .option('--yes', 'remove them; without it nothing is changed')
    .option('--reason <text>', 'a reason for the log, in addition to the policy')
  examples(command, 'tieout prune', 'tieout prune acme --yes --reason "year 2015 is out of retention"')
  action<Options>(command, async ({ terminal, read }, { yes = false, reason }, asked) => {
    const workspace = await read(null)
    const companies = await publishedCompanies(workspace.snapshots, asked)
    const change = changeIn(workspace, terminal)
    const plans: PrunePlan[] = []
    for (const company of companies)
      plans.push(
        yes
          ? await change(company, ({ snapshots }) =>
              pruned(workspace, snapshots, company, yes, reason ?? null),
            )
          : await pruned(workspace, workspace.snapshots, company, yes, null),
      )
    const waiting = plans.flatMap(({ company, candidate }) =>
      candidate === null ? [] : { company, candidate },
    )
    const removed = yes && waiting.length === 0
    // The objects of one company may be those of others, so that all are looked at or none.
    const objects =
      asked.length > 0
        ? null
        : await withLocation(workspace, terminal, (location) => location.sweep({ dry: !yes }))
    terminal.show({ removed, companies: plans, ...(objects === null ? {} : { objects }) }, () =>
      [
        plansText(plans, removed, terminal),
        ...(objects === null ? [] : [wrap(objectsText(objects, yes), terminal.width)]),
        ...waiting.map(({ company, candidate }) => waitingText(company, candidate, terminal.width)),
      ].join('\n'),
    )
    return waiting.length === 0 ? undefined : EXIT.waiting
  })
}

/** `snapshots`: the folder in which the company is changed, which holds no other where the snapshots are in a bucket. */
async function pruned(
  workspace: Workspace,
  snapshots: string,
  company: string,
  yes: boolean,
  reason: string | null,
): Promise<PrunePlan> {
  const { retention } = workspace
  if (retention === null)
    throw new RefusedError(
      'tieout.yaml has no retention, so every snapshot is kept; write for example "retention: { keepLast: 30, keepMonthEnds: { years: 10 } }"',
    )
  const { planPruning, prune } = await import('../builder/snapshot/log/prune.ts')
  const request: PruneRequest = {
    ...{ company, policy: retention, groups: async () => workspace.snapshots },
    inUse: () => pinnedOf(workspace, company),
  }
  if (!yes) return planPruning(snapshots, request)
  const { changeOptions } = await import('../builder/snapshot/signing/change-options.ts')
  return prune(snapshots, request, reason, await changeOptions(workspace))
}

/** Ids of the snapshots that clients are reading. The server knows them; the builder must not import the server. */
export async function pinnedOf({ server }: Workspace, company: string): Promise<ReadonlySet<string>> {
  const { pinnedSnapshots } = await import('../serve/companies/pin.ts')
  return (await pinnedSnapshots(server.state, server.pinSeconds)).get(company) ?? new Set()
}

function plansText(plans: readonly PrunePlan[], yes: boolean, terminal: Terminal): string {
  const rows = plans.flatMap(({ company, snapshots }) => snapshots.map((each) => ({ company, ...each })))
  const { dim, yellow } = terminal.paint
  const goes = ({ keep }: PlannedSnapshot) => keep.length === 0
  const table = tableText(
    rows,
    [
      { title: 'Company', of: ({ company }) => company },
      { title: 'Snapshot', of: ({ snapshotId }) => snapshotId },
      { title: 'Published', of: ({ publishedAt }) => publishedAt.slice(0, 10) },
      { title: 'Size', of: ({ bytes }) => bytesText(bytes), right: true },
      {
        title: yes ? 'Done' : 'Plan',
        of: (row) => (goes(row) ? (yes ? 'removed' : 'remove') : 'keep'),
        colour: (row) => (goes(row) ? yellow : dim),
      },
      { title: 'Because', of: ({ keep }) => visible(keep.join('; ') || 'no rule keeps it') },
    ],
    terminal,
  )
  const sum = (of: (plan: PrunePlan) => number) => plans.reduce((total, plan) => total + of(plan), 0)
  const gone = rows.filter(goes).length
  const waits = plans.some(({ candidate }) => candidate !== null)
  const inputs = sum((plan) => plan.inputs)
  const what = [
    plural(gone, 'snapshot', 'snapshots'),
    ...(inputs > 0 ? [plural(inputs, 'kept source', 'kept sources')] : []),
  ].join(' and ')
  const freed = `${bytesText(sum((plan) => plan.freedBytes))} of the disk`
  const sentence =
    gone + inputs === 0
      ? 'Nothing to remove.'
      : waits
        ? `Would remove ${what}: ${freed}.`
        : yes
          ? `Removed ${what}: ${freed}. Files that other snapshots share stay.`
          : `Would remove ${what}: ${freed}. Nothing was changed; "tieout prune --yes" removes them.`
  return `${table}\n\n${wrap(sentence, terminal.width)}`
}

/** What is done, or would be, with the objects of a bucket that no snapshot has. */
function objectsText({ removed, marked, left }: Swept, yes: boolean): string {
  const said = [
    ...(removed.objects > 0 ? [`${yes ? 'deleted' : 'would delete'} ${amountText(removed)}`] : []),
    ...(marked.objects > 0
      ? [
          `${yes ? 'marked' : 'would mark'} ${amountText(marked)}, to be deleted by a prune a day after they were marked, at the earliest`,
        ]
      : []),
    ...(left.objects > 0 ? [`${amountText(left)} stay for now, as all do for their first seven days`] : []),
  ]
  return `Objects in the bucket that no snapshot has: ${said.join('; ') || 'none'}.`
}

const amountText = ({ objects, bytes }: Amount): string =>
  `${plural(objects, 'object', 'objects')} (${bytesText(bytes)})`
