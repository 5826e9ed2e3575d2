/** Runs files of tests once more, with what their servers keep in a real PostgreSQL: each test in a database of its own (state.ts). */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Test } from 'uvu'
import { LaneOutput } from '../verdict.ts'
import { type Postgres, startPostgres } from './postgres.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

interface Lane {
  readonly process: ChildProcess
  readonly output: LaneOutput
  readonly ended: Promise<unknown>
}

/** Each file is one test of `test`; they run one after the other, as in a lane of `npm test`. */
export function declareOverPostgres(test: Test, files: readonly string[]): void {
  let postgres: Postgres
  let lane: Lane
  test.before(async () => {
    postgres = await startPostgres()
    lane = startLane(postgres)
  })
  test.after(async () => {
    lane.process.kill('SIGKILL')
    await postgres.remove()
  })
  for (const file of files)
    test(file, async () => {
      if (lane.process.exitCode !== null || lane.process.signalCode !== null) lane = startLane(postgres)
      const { process: child, output, ended } = lane
      child.send(join(root, file))
      const { passed, failed } = await Promise.race([
        output.verdict(),
        ended.then(() => ({ passed: 0, failed: 1 })),
      ])
      const said = output.take()
      if (failed > 0 || passed === 0) throw new Error(said)
    })
}

function startLane({ stateEnv }: Postgres): Lane {
  const child = spawn(process.execPath, ['--import', 'tsx', join(root, 'test/lane.ts')], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
    env: { ...process.env, ...stateEnv, NO_COLOR: '1' },
  })
  return { process: child, output: new LaneOutput(child.stdout!), ended: once(child, 'exit') }
}
