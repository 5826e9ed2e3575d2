/** `tieout restore`: verifies an archived snapshot completely, then takes it back into the workspace. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { present } from '../builder/contract/present.ts'
import type { Restored } from '../builder/evidence/verify/restore.ts'
import type { Workspace } from '../builder/workspace/workspace.ts'
import { action, examples } from './terminal/command.ts'
import { EXIT, UsageError } from './terminal/exit.ts'
import { visible } from './terminal/money.ts'
import { megabytes, showWork } from './terminal/progress.ts'
import { type Terminal, wrap } from './terminal/terminal.ts'
import { waitingText } from './terminal/waiting.ts'
import { verificationText } from './verify.ts'

interface Options {
  readonly key?: string
  readonly filesOnly?: boolean
  readonly sources?: boolean
}

export function declareRestore(program: Command): void {
  const command = program
    .command('restore')
    .summary('take an archived snapshot back, after verifying it')
    .description(
      'Take a snapshot back from an archive of "tieout archive": the bag, the signature, every file and every figure are verified before, and nothing that is here is touched. Where a company has a current snapshot, that one stays current; "tieout use" changes it.',
    )
    .argument('<archive>', 'a zip, or the folder of a bag')
    .option(
      '--key <file>',
      'public keys of the publisher, as "tieout snapshots key" prints them: the signature must be of one of them or of a key that is known here, and is known from then on',
    )
    .option(
      '--sources',
      'put the sources that the archive keeps into the folder of the company too, where none is there yet: then "tieout check" reads them',
    )
    .option('--files-only', 'check files and manifests, do not compute the figures again')
  examples(
    command,
    'tieout restore ~/audit/harbor-2025.zip',
    'tieout restore ~/audit/harbor-2025.zip --key harbor.jwks.json',
    'tieout restore ~/audit/harbor-2025.zip --sources',
  )
  action<Options, [archive: string]>(
    command,
    async ({ terminal, changing }, { key, filesOnly = false, sources = false }, [archive]) => {
      const { isArchive } = await import('../builder/evidence/verify/archive.ts')
      const { companyInArchive, restoreArchive, restoreSources } = await import(
        '../builder/evidence/verify/restore.ts'
      )
      const { workspace, change } = await changing()
      if (key !== undefined && !existsSync(key)) throw new UsageError(`there is no file ${key}`)
      if (!(await isArchive(archive)))
        throw new UsageError(
          `"${archive}" is neither a zip nor the folder of a bag; "tieout archive" writes them`,
        )
      let restored = await showWork('restore', terminal, 'MB', async (show) => {
        const restoreIn = (at: Workspace) =>
          restoreArchive(at, {
            archive: resolve(archive),
            keyFile: key ?? null,
            figures: !filesOnly,
            unpacked: (bytes, total) => show('unpacking', megabytes(bytes), megabytes(total)),
            progress: (_, done, total) => show('computing the figures again', done, total),
          })
        const company = await companyInArchive(archive)
        return company === null ? restoreIn(workspace) : change(company, restoreIn)
      })
      const { company, snapshotId, outcome } = restored
      const isHere = outcome === 'restored' || outcome === 'present'
      const lack =
        sources && isHere && company !== null && snapshotId !== null
          ? await restoreSources(workspace, company, snapshotId)
          : null
      if (lack !== null) restored = { ...restored, notes: [...restored.notes, lack] }
      terminal.show(restored, () => restoredText(restored, terminal))
      if (outcome === 'waiting') return EXIT.waiting
      return outcome === 'refused' || lack !== null ? EXIT.failed : EXIT.done
    },
  )
}

function restoredText(
  { outcome, company, snapshotId, current, candidate, verification, notes }: Restored,
  terminal: Terminal,
): string {
  const { paint, width } = terminal
  if (outcome === 'refused')
    return `${verificationText(present(verification, 'verification'), terminal)}\n${paint.red('Nothing was restored.')}`
  const sentence =
    candidate !== null
      ? waitingText(present(company, 'company'), candidate, width)
      : outcome === 'present'
        ? `${company}: ${snapshotId} is here already, byte for byte; nothing was changed.`
        : `${paint.green('Restored')} ${company} ${snapshotId}${current ? '; it is the current one' : ''}.`
  return [
    wrap(sentence, width),
    ...notes.map((note) => `${paint.yellow('note'.padEnd(8))} ${wrap(visible(note), width, 9)}`),
  ].join('\n')
}
