/** `tieout rules adopt`: the newest rules of accounting for companies whose closed months keep those of before. */
import type { Command } from 'commander'
import { type BuildsOptions, jobsOption, memoryOption, runBuilds, workersOption } from './pool/builds.ts'
import { action, examples } from './terminal/command.ts'
import { UsageError } from './terminal/exit.ts'
import { reasonFrom } from './terminal/reason.ts'

export function declareRules(program: Command): void {
  const rules = program
    .command('rules')
    .summary('adopt newer rules of accounting in closed months')
    .description(
      'Newer versions of this program may state closed months differently, from the same entries. Such a company goes on under its rules, and each build says so (rules-not-adopted), until the newer ones are adopted.',
    )
  const adopt = rules
    .command('adopt')
    .description(
      'Build companies by the newest rules and publish what closed months state differently by them. Refused where the sources state closed months differently too: build these first. A company whose figures stay as they are needs no adoption.',
    )
    .argument('[company...]', 'ids of companies')
    .option('--all', 'all companies')
    .requiredOption('--reason <text>', 'why, in at least ten letters: it is kept in the manifest and the log')
    .addOption(jobsOption())
    .addOption(workersOption())
    .addOption(memoryOption())
  examples(
    adopt,
    'tieout rules adopt acme --reason "cash flow by entries, agreed with the auditor"',
    'tieout rules adopt --all --reason "cash flow by entries, agreed with the auditor"',
  )
  action<Omit<BuildsOptions, 'publish'> & { all?: boolean; reason: string }>(
    adopt,
    async (at, { all = false, reason, ...given }, ids) => {
      if (all === ids.length > 0)
        throw new UsageError('name the companies that adopt the newest rules, or --all of them')
      return runBuilds(at, ids, { ...given, publish: true, adopt: reasonFrom(reason) })
    },
  )
}
