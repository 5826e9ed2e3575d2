/** `tieout archive`: writes a published snapshot as a bag that can be kept, sent and verified anywhere. */
import { resolve } from 'node:path'
import { type Command, Option } from 'commander'
import type { Archived } from '../builder/evidence/archive/archive.ts'
import type { BagVersion } from '../builder/evidence/archive/tags.ts'
import { thisProgram } from '../builder/system/version.ts'
import { action, examples } from './terminal/command.ts'
import { resolved } from './terminal/filters.ts'
import { megabytes, showWork } from './terminal/progress.ts'
import { plural, type Terminal, wrap } from './terminal/terminal.ts'

interface Options {
  readonly to: string
  readonly bagit: BagVersion
}

export function declareArchive(program: Command): void {
  const command = program
    .command('archive')
    .summary('write a snapshot as one folder or zip that can be kept, sent and checked anywhere')
    .description(
      'Write a published snapshot as a BagIt bag (RFC 8493): its files as published, its kept sources, the public key, checksums, and a README.txt that says what it holds and how to check it without Tieout. "tieout verify" checks it, "tieout restore" takes it back.',
    )
    .argument('<company>', 'id of the company')
    .argument('[snapshot]', 'the snapshot to archive (default: the current one)')
    .requiredOption('--to <path>', 'a new folder, or a zip where it ends in .zip')
    .addOption(
      new Option(
        '--bagit <version>',
        'version of BagIt; 0.97 for tools that look for the "%25" of 1.0 in the names of files',
      )
        .choices(['1.0', '0.97'])
        .default('1.0'),
    )
  examples(
    command,
    'tieout archive harbor --to ~/audit/harbor-2025.zip',
    'tieout archive harbor 2025-12-r1-3f9c2a --to ~/audit/harbor-2025-12',
    'tieout verify ~/audit/harbor-2025.zip',
  )
  action<Options, [company: string, id?: string]>(
    command,
    async ({ terminal, read }, { to, bagit }, [company, id]) => {
      const { publishedSnapshot } = await import('../builder/inspect/inspect.ts')
      const { archiveSnapshot } = await import('../builder/evidence/archive/archive.ts')
      const { knownKeys } = await import('../builder/snapshot/keys/key-file.ts')
      const { snapshots, state } = await read([company])
      const snapshot = resolved(await publishedSnapshot(snapshots, company, id ?? null))
      const known = await knownKeys(state)
      const archived = await showWork(company, terminal, 'MB', (show) =>
        archiveSnapshot(snapshot, {
          to: resolve(to),
          version: bagit,
          software: thisProgram(),
          baggedAt: new Date(),
          known,
          written: (bytes, total) => show('archiving', megabytes(bytes), megabytes(total)),
        }),
      )
      terminal.show(archived, () => archivedText(archived, terminal))
    },
  )
}

function archivedText(
  { company, snapshotId, path, kind, payload, keptInputs, manifestSha256, keyId }: Archived,
  { paint, width }: Terminal,
): string {
  const inputs = keptInputs > 0 ? `, ${plural(keptInputs, 'kept source')} among them` : ''
  return [
    wrap(
      `${paint.green('Archived')} ${company} ${snapshotId} as the ${kind} ${path}: ${plural(payload.files, 'file')}, ${plural(megabytes(payload.bytes), 'MB', 'MB')}${inputs}.`,
      width,
    ),
    wrap(
      `Note for whoever receives it: SHA-256 of the manifest ${manifestSha256}, ${keyId === null ? 'not signed' : `signed with key ${keyId}`}.`,
      width,
    ),
  ].join('\n')
}
