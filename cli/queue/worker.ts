/** `tieout worker`: builds what waits in the queue, until it is stopped. */
import { hostname } from 'node:os'
import type { Command } from 'commander'
import type { Ended } from '../../builder/build/queue/ended.ts'
import type { Builders, WorkerEvent } from '../../builder/build/queue/worker.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { type Outcome, type PoolOptions, startBuildProcesses } from '../pool/build-pool.ts'
import { jobsOption, memoryOption } from '../pool/builds.ts'
import { atOnce } from '../pool/pool.ts'
import { action, examples } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit.ts'
import { countsText } from '../terminal/findings.ts'
import { stoppable } from '../terminal/stopping.ts'
import { plural, type Terminal } from '../terminal/terminal.ts'
import { queueOf } from './queue.ts'

/** Stands for any number of companies, so that as many builds run at once as the machine has room for. */
const MANY = 64

export function declareWorker(program: Command): void {
  const command = program
    .command('worker')
    .summary('build what waits in the queue')
    .description(
      'Build the companies that wait in the queue of tieout.yaml, until Ctrl-C or SIGTERM. Any number of workers, on any machines that have the workspace, share the queue: no two build one company at the same time, and what a worker leaves undone another one builds. Input that is refused waits for somebody to mend it; other failures are tried again, five times.',
    )
    .addOption(jobsOption())
    .addOption(memoryOption())
  examples(
    command,
    'tieout worker',
    'tieout worker --jobs 4 --memory 8GB',
    'tieout worker --json >>worker.log',
  )
  action<{ jobs?: number; memory?: number }>(command, async ({ terminal, open }, given) => {
    const { allMembersOf } = await import('../../builder/workspace/group-order.ts')
    const { listCompanies } = await import('../../builder/workspace/workspace.ts')
    const { BuildQueue } = await import('../../builder/build/queue/queue.ts')
    const { runWorker } = await import('../../builder/build/queue/worker.ts')
    const workspace = await open()
    const { database, nightly } = queueOf(workspace)
    const report = (event: WorkerEvent) => tell(event, terminal)
    const queue = await BuildQueue.open(database, true, (problem) => terminal.trace(problem))
    const name = `${hostname()}:${process.pid}`
    const processes = atOnce(MANY, given)
    const { jobs: _, ...sharing } = given
    try {
      await queue.scheduleNightly(nightly)
      const stop = new AbortController()
      const options = {
        name,
        jobs: processes,
        makeBuilders: () => buildersOf(workspace, { ...sharing, publish: true }, processes, name),
        companies: () => listCompanies(workspace),
        membersOf: (company: string) => allMembersOf(workspace, company),
        report,
        signal: stop.signal,
      }
      if (terminal.json) writeLine({ event: 'worker-started', worker: name, jobs: processes }, terminal)
      else
        terminal.note(
          `Worker ${name} builds ${plural(processes, 'company', 'companies')} at once. Ctrl-C ends it.`,
        )
      await stoppable(
        () => stop.abort(),
        () => runWorker(queue, options),
      )
      if (terminal.json) writeLine({ event: 'worker-stopped', worker: name }, terminal)
      return EXIT.done
    } finally {
      await queue.close()
    }
  })
}

function buildersOf({ root }: Workspace, options: PoolOptions, processes: number, worker: string): Builders {
  const builds = startBuildProcesses(root, options, processes)
  return {
    build: async (company) => {
      const outcome = await builds.build(company)
      return builds.isStopped() && wasEnded(outcome) ? null : endedOf(outcome, worker)
    },
    stop: () => {
      builds.stop()
      builds.close()
    },
  }
}

const wasEnded = (outcome: Outcome): boolean =>
  'failure' in outcome && outcome.failure.code === 'process-ended'

function endedOf(outcome: Outcome, worker: string): Ended {
  if ('failure' in outcome) {
    const { exitCode, message, findings } = outcome.failure
    const refused = exitCode === EXIT.findings
    return {
      outcome: refused ? 'refused' : 'failed',
      snapshotId: null,
      message: refused ? null : message,
      findings,
      worker,
    }
  }
  const { outcome: ended, snapshotId, findings } = outcome.result
  return { outcome: ended, snapshotId, message: null, findings, worker }
}

const writeLine = (line: object, { io }: Terminal): void =>
  void io.stdout.write(`${JSON.stringify({ time: new Date().toISOString(), ...line })}\n`)

/** Prints one line for each event; with --json one JSON document a line. */
function tell(event: WorkerEvent, terminal: Terminal): void {
  if (terminal.json) {
    writeLine(event, terminal)
    return
  }
  const time = terminal.paint.dim(new Date().toISOString().slice(0, 19).replace('T', ' '))
  terminal.print(`${time} ${sentenceOf(event)}`)
}

function sentenceOf(event: WorkerEvent): string {
  switch (event.event) {
    case 'build-started':
      return `${event.company} is being built${event.attempt === 1 ? '' : `, attempt ${event.attempt}`}`
    case 'build-ended':
      return `${event.company} ${endedText(event)} in ${event.seconds.toFixed(1)} s`
    case 'build-put-back':
      return `${event.company} was stopped with this worker; it waits in the queue again`
    case 'build-orphaned':
      return `${event.company} lost its worker in the middle; it waits in the queue again`
    case 'enqueued':
      return `${plural(event.companies.length, 'company waits', 'companies wait')} to be built, as every night`
    case 'queue-lost':
      return `${event.detail}; builds under way are given up, and the queue is tried again every second`
    case 'queue-back':
      return 'the queue answers again'
  }
}

const endedText = ({ outcome, snapshotId, message, findings }: Ended): string => {
  if (outcome === 'failed') return `failed (${message})`
  if (outcome === 'refused') return `was refused (${countsText(findings)})`
  return `${outcome === 'waiting' ? 'waits for approval' : outcome}${snapshotId === null ? '' : ` (${snapshotId})`}`
}
