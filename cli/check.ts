/** `tieout check`: does what a build does, without publishing. */
import type { Command } from 'commander'
import { jobsOption, runBuilds } from './builds.ts'
import { action, examples } from './command.ts'

export function declareCheck(program: Command): void {
  const command = program
    .command('check')
    .summary('validate and compute without publishing')
    .description('Read, validate and compute companies without publishing anything.')
    .argument('[company...]', 'ids of companies (default: all of them)')
    .addOption(jobsOption())
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
  action<{ jobs?: number; report?: boolean }>(command, (at, { report = false, ...given }, ids) =>
    runBuilds(at, ids, { ...given, publish: false, ...(report ? { review: true } : {}) }),
  )
}
