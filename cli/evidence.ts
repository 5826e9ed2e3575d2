/** `tieout evidence`: writes all that a company published in a period, with its log, as one bag for its auditor. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Evidence } from '../builder/evidence/archive/evidence.ts'
import { thisProgram } from '../builder/system/version.ts'
import { action, examples } from './terminal/command.ts'
import { UsageError } from './terminal/exit.ts'
import { publishedCompanies } from './terminal/location.ts'
import { megabytes, showWork } from './terminal/progress.ts'
import { plural, type Terminal, wrap } from './terminal/terminal.ts'

interface Options {
  readonly from: string
  readonly through: string
  readonly to: string
}

export function declareEvidence(program: Command): void {
  const command = program
    .command('evidence')
    .summary('write all that a company published in a period as one bag for its auditor')
    .description(
      'Write the snapshots of a period as one BagIt bag: those whose last month lies in it and those that restate a month of it, with the log, the keys, restatements, differences of the settings, kept sources, the page of the format, and index.html, which shows all of it to people. The manifests of all other snapshots are included, so that nothing can be missing unnoticed. "tieout verify" checks the bag.',
    )
    .argument('<company>', 'id of the company')
    .requiredOption('--from <month>', 'the first month, such as 2025-01')
    .requiredOption('--through <month>', 'the last month')
    .requiredOption('--to <path>', 'a new folder, or a zip where it ends in .zip')
  examples(
    command,
    'tieout evidence acme --from 2025-01 --through 2025-12 --to ~/audit/acme-2025.zip',
    'tieout verify ~/audit/acme-2025.zip --key acme-books.jwks.json',
  )
  action<Options, [company: string]>(
    command,
    async ({ terminal, read }, { from, through, to }, [company]) => {
      const period = { from: monthFrom('--from', from), through: monthFrom('--through', through) }
      if (period.from > period.through) throw new UsageError(`--from ${from} is after --through ${through}`)
      const { companyFolder } = await import('../builder/snapshot/files/layout.ts')
      const { writeEvidence } = await import('../builder/evidence/archive/evidence.ts')
      const { knownKeys } = await import('../builder/snapshot/keys/key-file.ts')
      const { snapshots: root, state } = await read([company])
      await publishedCompanies(root, [company])
      const known = (await knownKeys(state)) ?? new Set()
      const evidence = await showWork(company, terminal, 'MB', (show) =>
        writeEvidence(
          companyFolder(root, company),
          company,
          resolve(to),
          { period, version: '1.0', software: thisProgram(), baggedAt: new Date() },
          known,
          (bytes, total) => show('writing', megabytes(bytes), megabytes(total)),
        ),
      )
      terminal.show(evidence, () => evidenceText(evidence, terminal))
    },
  )
}

function monthFrom(option: string, text: string): string {
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    throw new UsageError(`${option} "${text}" is not a month; write for example ${option} 2025-01`)
  return text
}

function evidenceText(evidence: Evidence, { paint, width }: Terminal): string {
  const { company, period, snapshots, leftOut, path, kind, payload, keptInputs, logLines, head } = evidence
  const inputs = keptInputs > 0 ? `, ${plural(keptInputs, 'kept source')} among them` : ''
  const others =
    leftOut.length > 0 ? `; of ${plural(leftOut.length, 'other snapshot')} the manifest alone` : ''
  return [
    wrap(
      `${paint.green('Written')} what ${company} published of ${period.from} to ${period.through} as the ${kind} ${path}: ${plural(snapshots.length, 'snapshot')} in ${plural(payload.files, 'file')}, ${plural(megabytes(payload.bytes), 'MB', 'MB')}${inputs}${others}.`,
      width,
    ),
    wrap(
      `Begin with its index.html. Note for whoever receives it: the log has ${plural(logLines, 'line')}, SHA-256 of the last one ${head} ("tieout verify ${kind === 'zip' ? 'the zip' : 'the folder'} --expect" asks for it).`,
      width,
    ),
  ].join('\n')
}
