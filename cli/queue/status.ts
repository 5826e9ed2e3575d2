/** `tieout status`: what waits in the queue, what is being built, and how the last builds ended. */
import type { Command } from 'commander'
import type { QueueEntry } from '../../builder/build/queue/queue.ts'
import { action, examples } from '../terminal/command.ts'
import { countsText, findingsText } from '../terminal/findings.ts'
import { tableText } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { withQueue } from './queue.ts'

export function declareStatus(program: Command): void {
  const command = program
    .command('status')
    .summary('show the queue of builds')
    .description(
      'Show which companies wait in the queue of tieout.yaml, which are being built by whom, and how the last build of each ended, with its findings. Ended builds are shown for 90 days.',
    )
    .argument('[company...]', 'ids of companies (default: all that the queue knows)')
  examples(command, 'tieout status', 'tieout status acme', 'tieout status --json')
  action(command, async ({ terminal, open }, _options, ids) => {
    const { all, workers } = await withQueue(await open(), async (queue) => ({
      all: await queue.entries(),
      workers: await queue.workers(),
    }))
    const entries = all.filter(({ company }) => ids.length === 0 || ids.includes(company))
    const document = { companies: entries.map(documentOf), workers }
    terminal.show(document, () => `${statusText(entries, terminal)}\n\n${workersText(workers)}`)
  })
}

const documentOf = ({ company, waiting, running, last }: QueueEntry) => ({
  company,
  waiting: waiting && { ...waiting, since: waiting.since.toISOString(), from: waiting.from.toISOString() },
  running: running && { ...running, since: running.since.toISOString() },
  last: last && { ...last, at: last.at.toISOString() },
})

const NOTHING = '–'

function statusText(entries: readonly QueueEntry[], terminal: Terminal): string {
  if (entries.length === 0) return 'Nothing was put into the queue yet: tieout enqueue'
  const { paint } = terminal
  const colours = { running: paint.green, waiting: paint.yellow, idle: paint.dim }
  const table = tableText(
    entries,
    [
      { title: 'Company', of: ({ company }) => company },
      { title: 'Now', of: stateOf, colour: (entry) => colours[stateOf(entry)] },
      { title: 'Since', of: ({ running, waiting }) => timeOf(running?.since ?? waiting?.since) },
      { title: 'Worker', of: ({ running, last }) => running?.worker ?? last?.worker ?? NOTHING },
      { title: 'Last build', of: ({ last }) => timeOf(last?.at) },
      { title: 'Outcome', of: ({ last }) => last?.outcome ?? NOTHING },
      { title: 'Snapshot', of: ({ last }) => last?.snapshotId ?? NOTHING },
    ],
    terminal,
  )
  return [table, ...entries.flatMap((entry) => detailsOf(entry, terminal))].join('\n')
}

const workersText = (workers: readonly string[]): string =>
  workers.length === 0 ? 'No worker runs: tieout worker' : `Workers: ${workers.join(', ')}`

const stateOf = ({ running, waiting }: QueueEntry): 'running' | 'waiting' | 'idle' =>
  running ? 'running' : waiting ? 'waiting' : 'idle'

/** What a reader has to act on: failures, and findings that refuse a company. */
function detailsOf({ company, waiting, last }: QueueEntry, terminal: Terminal): string[] {
  const { paint } = terminal
  if (last?.outcome === 'failed') {
    const next = waiting && waiting.attempt > 1
    const then = next
      ? `attempt ${waiting.attempt} follows at ${timeOf(waiting.from)}`
      : `it is not tried again before "tieout enqueue ${company}"`
    return ['', `${paint.red(`${company} failed`)}: ${last.message}; ${then}.`]
  }
  if (last?.outcome !== 'refused') return []
  return [
    '',
    `${paint.red(`${company} was refused`)}: ${countsText(last.findings)}; nothing was published.`,
    findingsText(last.findings, terminal),
  ]
}

const timeOf = (at: Date | undefined): string =>
  at === undefined ? NOTHING : `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`
