/** `tieout approve` and `tieout reject`: the decision of a second person about a proposal. */
import type { Command } from 'commander'
import type { Approved } from '../builder/evidence/approval/approve.ts'
import { pinnedOf } from './prune.ts'
import { action, examples } from './terminal/command.ts'
import { UsageError } from './terminal/exit.ts'
import { passphraseFor } from './terminal/password.ts'
import { showWork } from './terminal/progress.ts'
import { reasonFrom } from './terminal/reason.ts'
import { wrap } from './terminal/terminal.ts'

const CANDIDATE = 'the beginning of its hash, as "tieout review" shows it (default: the only one)'

interface ApproveOptions {
  readonly key?: string
  readonly filesOnly?: boolean
}

export function declareApprove(program: Command): void {
  const command = program
    .command('approve')
    .summary('approve a proposal, which is then published or done')
    .description(
      'Approve what was built or proposed, with a key of your own: it is verified once more, to every figure, then published or done, and the log has both signatures. The key is never one that snapshots are signed with here. What was proposed before something else was done is stale, and is not approved.',
    )
    .argument('<company>', 'its id')
    .argument('[candidate]', CANDIDATE)
    .option(
      '--key <file>',
      'your private key, as "tieout approvers key" makes one (default: the file that TIEOUT_APPROVER_KEY names); its passphrase is asked for, or taken from TIEOUT_APPROVER_PASSPHRASE',
    )
    .option('--files-only', 'check files and manifests, do not compute the figures again')
  examples(
    command,
    'tieout approve acme 3f9c2a1b7d40e6aa --key ~/approver.pem',
    'TIEOUT_APPROVER_KEY=~/approver.pem tieout approve acme',
  )
  action<ApproveOptions, [company: string, asked?: string]>(
    command,
    async ({ terminal, read, changing }, { key, filesOnly = false }, [company, asked]) => {
      const file = key ?? process.env.TIEOUT_APPROVER_KEY
      if (file === undefined || file === '')
        throw new UsageError('name the file of your key: --key FILE, or TIEOUT_APPROVER_KEY')
      const { changeOptions } = await import('../builder/snapshot/signing/change-options.ts')
      const { openApproverKey } = await import('../builder/snapshot/approval/approver-key.ts')
      const { restatedByUse } = await import('../builder/snapshot/closing/restated.ts')
      const { approve } = await import('../builder/evidence/approval/approve.ts')
      const { change } = await changing()
      const pen = await openApproverKey(file, await passphraseFor(file, terminal.io))
      const approved = await showWork('approve', terminal, 'documents', (show) =>
        change(company, async (workspace) =>
          approve(
            workspace.snapshots,
            {
              company,
              candidate: asked ?? null,
              pen,
              inUse: () => pinnedOf(workspace, company),
              groups: async () => (await read(null)).snapshots,
              figures: !filesOnly,
              progress: (_, done, total) => show('computing the figures again', done, total),
            },
            {
              ...(await changeOptions(workspace)),
              compare: restatedByUse(workspace.snapshots, company),
            },
          ),
        ),
      )
      terminal.show(approved, () => wrap(approvedText(approved), terminal.width))
    },
  )
}

const DONE: Readonly<Record<string, string>> = {
  publish: 'is published and current',
  use: 'is current now',
  restore: 'is taken back; "tieout use" makes it the current one',
  prune: 'is removed, with what was proposed beside it',
  reopen: 'is current still; its closed months are open as proposed',
  adopt: 'and the others are adopted',
  approval: 'is current still; who approves is as proposed',
}

const approvedText = ({ outcome, company, event, snapshotId, approver, logHead }: Approved): string =>
  `${company}: ${snapshotId} ${DONE[event] ?? event}; ${outcome === 'already' ? 'it was approved already' : 'approved'} by ${approver}. The log ends with ${logHead}; note it elsewhere, for "tieout verify ${company} --expect".`

export function declareReject(program: Command): void {
  const command = program
    .command('reject')
    .summary('reject a proposal')
    .description(
      'Reject what was built or proposed: it is removed, and the log keeps who rejected it, when and why. What is published stays as it is.',
    )
    .argument('<company>', 'its id')
    .argument('[candidate]', CANDIDATE)
    .requiredOption('--reason <text>', 'why, in at least ten letters: it is kept in the signed log')
  examples(command, 'tieout reject acme --reason "the rent of March is booked twice"')
  action<{ reason: string }, [company: string, asked?: string]>(
    command,
    async ({ terminal, changing }, { reason }, [company, asked]) => {
      const { changeOptions } = await import('../builder/snapshot/signing/change-options.ts')
      const { reject } = await import('../builder/evidence/approval/approve.ts')
      const { change } = await changing()
      const { candidate, logHead } = await change(company, async (workspace) =>
        reject(
          workspace.snapshots,
          company,
          asked ?? null,
          reasonFrom(reason),
          await changeOptions(workspace),
        ),
      )
      const { hash, record } = candidate
      terminal.show(
        { company, candidate: hash, event: record.Event, snapshotId: record.SnapshotId, reason, logHead },
        () => `${company}: ${record.Event} of ${record.SnapshotId} is rejected; the log keeps the reason.`,
      )
    },
  )
}
