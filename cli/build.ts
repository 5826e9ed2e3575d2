/** `tieout build`: a company's exports in, a published snapshot out. */
import type { Command } from 'commander'
import { runBuilds } from './builds.ts'
import { action, examples } from './command.ts'

export function declareBuild(program: Command): void {
  const command = program
    .command('build')
    .summary('validate, compute and publish a snapshot')
    .description(
      'Read, validate and compute companies, and publish a snapshot of each that ties out. A company with errors keeps its current snapshot.',
    )
    .argument('[company...]', 'ids of companies (default: all of them)')
  examples(
    command,
    'tieout build',
    'tieout build harbor',
    'tieout -C ~/bookkeeping build harbor nordvik --json',
  )
  action(command, (at, _options, ids) => runBuilds(at, ids, { publish: true }))
}
