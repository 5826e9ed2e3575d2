/** Runs files of tests once more, with what their servers keep in a real PostgreSQL: each test in a database of its own (state.ts). */
import { Lane } from '../lane-process.ts'
import { alike } from '../seed.ts'
import type { Test } from '../suite.ts'
import { type Postgres, startPostgres } from './postgres.ts'

/** Each file is one test of `test`, and a third of them runs; one after the other, as in a lane of `npm test`. */
export function declareOverPostgres(test: Test, files: readonly string[]): void {
  let postgres: Postgres
  let lane: Lane
  test.before(async () => {
    postgres = await startPostgres()
    lane = new Lane(postgres.stateEnv)
  })
  test.after(async () => {
    lane.kill()
    await postgres.remove()
  })
  for (const file of alike(files))
    test(file, async () => {
      if (lane.hasEnded) lane = new Lane(postgres.stateEnv)
      const { passed, failed, said } = await lane.run(file)
      if (failed > 0 || passed === 0) throw new Error(said)
    })
}
