/** `tieout build` and `tieout check`: read a company's exports; a build publishes a snapshot, a check does all but that. */
import type { Command } from 'commander'
import { type BuildsOptions, jobsOption, memoryOption, runBuilds, workersOption } from './pool/builds.ts'
import { action, examples } from './terminal/command.ts'
import { UsageError } from './terminal/exit.ts'
import { reasonFrom } from './terminal/reason.ts'

export function declareBuild(program: Command): void {
  const command = program
    .command('build')
    .summary('validate, compute and publish a snapshot')
    .description(
      'Read, validate and compute companies, and publish a snapshot of each that ties out. A company with errors keeps its current snapshot; so does one whose figures in closed months (lockDate) differ from it, unless --restate says why.',
    )
    .argument('[company...]', 'ids of companies (default: all of them)')
    .option(
      '--restate <reason>',
      'publish other figures for closed months; the reason is kept in the manifest',
    )
    .addOption(jobsOption())
    .addOption(workersOption())
    .addOption(memoryOption())
  examples(
    command,
    'tieout build',
    'tieout build harbor',
    'tieout build --jobs 1',
    'tieout build harbor --workers 2',
    'tieout build --jobs 4 --memory 4GB',
    'tieout -C ~/bookkeeping build harbor nordvik --json',
    'tieout build harbor --restate "invoice 2210 was booked twice in March"',
  )
  action<Omit<BuildsOptions, 'publish'>>(command, async (at, { restate, ...given }, ids) =>
    runBuilds(at, ids, {
      ...given,
      publish: true,
      ...(restate === undefined ? {} : { restate: reasonOf(restate, ids) }),
    }),
  )
}

/** A reason must name its companies: one reason for all would restate months that nobody looked at. */
function reasonOf(text: string, ids: readonly string[]): string {
  if (ids.length === 0)
    throw new UsageError('--restate needs the company by its id: tieout build <company> --restate "reason"')
  return reasonFrom(text)
}

export function declareCheck(program: Command): void {
  const command = program
    .command('check')
    .summary('validate and compute without publishing')
    .description('Read, validate and compute companies without publishing anything.')
    .argument('[company...]', 'ids of companies (default: all of them)')
    .addOption(jobsOption())
    .addOption(workersOption())
    .addOption(memoryOption())
    .option(
      '--report',
      'write what to look at before publishing as a page: findings, accounts, months, differences',
    )
  examples(
    command,
    'tieout check',
    'tieout check harbor',
    'tieout check harbor --report',
    'tieout check harbor --json',
  )
  action<{ jobs?: number; workers?: number; memory?: number; report?: boolean }>(
    command,
    (at, { report = false, ...given }, ids) =>
      runBuilds(at, ids, { ...given, publish: false, ...(report ? { review: true } : {}) }),
  )
}
