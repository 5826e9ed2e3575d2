/** `tieout enqueue`: orders builds, which workers carry out. */
import type { Command } from 'commander'
import { chosen } from '../pool/builds.ts'
import { action, examples } from '../terminal/command.ts'
import { plural } from '../terminal/terminal.ts'
import { withQueue } from './queue.ts'

export function declareEnqueue(program: Command): void {
  const command = program
    .command('enqueue')
    .summary('order builds, which workers carry out')
    .description(
      'Put companies into the queue that tieout.yaml names. A "tieout worker", on this machine or another one, builds them. A company that waits already is not put in twice; one that is being built now is built once more.',
    )
    .argument('[company...]', 'ids of companies (default: all of them)')
  examples(command, 'tieout enqueue', 'tieout enqueue acme harbor')
  action(command, async ({ terminal, open }, _options, ids) => {
    const workspace = await open()
    const companies = await chosen(workspace, ids)
    const enqueued = await withQueue(workspace, (queue) => queue.enqueue(companies))
    const waiting = companies.filter((company) => !enqueued.includes(company))
    terminal.show({ enqueued, waiting }, () =>
      [
        `${plural(enqueued.length, 'company waits', 'companies wait')} to be built now${enqueued.length > 0 ? `: ${enqueued.join(', ')}` : ''}.`,
        ...(waiting.length > 0 ? [`In the queue before: ${waiting.join(', ')}.`] : []),
        'tieout status shows how they fare.',
      ].join('\n'),
    )
  })
}
