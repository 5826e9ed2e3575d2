/** `tieout use`: makes another published snapshot the current one. */
import type { Command } from 'commander'
import { restatedText } from '../builder/snapshot/closing/closed-months.ts'
import type { Used } from '../builder/snapshot/log/use.ts'
import { action, examples } from './terminal/command.ts'
import { EXIT } from './terminal/exit.ts'
import { resolved } from './terminal/filters.ts'
import { reasonFrom } from './terminal/reason.ts'
import { restatementTable } from './terminal/restatement.ts'
import { type Terminal, wrap } from './terminal/terminal.ts'
import { waitingText } from './terminal/waiting.ts'

interface Options {
  readonly reason?: string
}

export function declareUse(program: Command): void {
  const command = program
    .command('use')
    .summary('go back to an earlier published snapshot, or forward again')
    .description(
      'Make another published snapshot the current one. All its files are verified before; who did it, when and why is entered in the log ("tieout snapshots log"). Servers answer from it at once. Figures of closed months that differ from then on are listed, counted and entered in the log with the reason. A later build is published as usual, unless it gives the very figures that you went back from.',
    )
    .argument('<company>', 'its id')
    .argument('<snapshot>', 'as "tieout snapshots list" shows it')
    .requiredOption('--reason <text>', 'why, in at least ten letters: it is kept in the signed log')
  examples(command, 'tieout use acme 2026-09-r1-3f9c2a --reason "October has the wrong exchange rate"')
  action<Options, [company: string, snapshot: string]>(
    command,
    async ({ terminal, changing }, { reason = '' }, [company, named]) => {
      const { changeOptions } = await import('../builder/snapshot/signing/change-options.ts')
      const { snapshotIdNamed } = await import('../builder/inspect/inspect.ts')
      const { useSnapshot } = await import('../builder/snapshot/log/use.ts')
      const { restatedByUse } = await import('../builder/snapshot/closing/restated.ts')
      const { change } = await changing()
      const { snapshot, ...used } = await change(company, async (workspace) => {
        const { snapshots } = workspace
        const snapshot = resolved(await snapshotIdNamed(snapshots, company, named))
        const done = await useSnapshot(snapshots, company, snapshot, reasonFrom(reason), {
          ...(await changeOptions(workspace)),
          compare: restatedByUse(snapshots, company),
        })
        return { snapshot, ...done }
      })
      const { candidate } = used
      terminal.show({ company, snapshotId: snapshot, ...used }, () =>
        candidate === null
          ? usedText(company, snapshot, used, terminal)
          : waitingText(company, candidate, terminal.width),
      )
      return candidate === null ? undefined : EXIT.waiting
    },
  )
}

function usedText(
  company: string,
  snapshot: string,
  { changed, before, restatement }: Used,
  terminal: Terminal,
): string {
  if (!changed) return `${company}: ${snapshot} is current already; nothing was changed.`
  const said = `${company}: ${snapshot} is current now${before && before !== snapshot ? `, ${before} was` : ''}.`
  if (restatement === null) return said
  const closed = `In closed months ${restatedText(restatement)}. The log says so, with the reason.`
  return [said, restatementTable(restatement, terminal), wrap(closed, terminal.width)]
    .filter((text) => text !== '')
    .join('\n\n')
}
