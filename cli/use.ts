/** `tieout use`: makes another published snapshot the current one. */
import type { Command } from 'commander'
import { action, examples } from './command.ts'
import { reasonFrom } from './reason.ts'

interface Options {
  readonly reason?: string
}

export function declareUse(program: Command): void {
  const command = program
    .command('use')
    .summary('go back to an earlier published snapshot, or forward again')
    .description(
      'Make another published snapshot the current one. All its files are verified before; who did it, when and why is entered in the log ("tieout snapshots log"). Servers answer from it at once. A later build is published as usual, unless it gives the very figures that you went back from.',
    )
    .argument('<company>', 'its id')
    .argument('<snapshot>', 'as "tieout snapshots list" shows it')
    .requiredOption('--reason <text>', 'why, in at least ten letters: it is kept in the signed log')
  examples(command, 'tieout use acme 2026-09-r1-3f9c2a --reason "October has the wrong exchange rate"')
  action<Options>(command, async ({ terminal, folder }, { reason = '' }, [company, snapshot]) => {
    const { openWorkspace } = await import('../builder/workspace/workspace.ts')
    const { openSigner } = await import('../builder/snapshot/sign.ts')
    const { useSnapshot } = await import('../builder/snapshot/use.ts')
    const workspace = openWorkspace(folder)
    const signer = await openSigner(workspace.state)
    const used = await useSnapshot(workspace.snapshots, company!, snapshot!, reasonFrom(reason), { signer })
    terminal.show({ company, snapshotId: snapshot, ...used }, () =>
      used.changed
        ? `${company}: ${snapshot} is current now${used.before && used.before !== snapshot ? `, ${used.before} was` : ''}.`
        : `${company}: ${snapshot} is current already; nothing was changed.`,
    )
    return undefined
  })
}
