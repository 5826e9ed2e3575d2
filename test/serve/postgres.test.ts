/**
 * Tests of the checklist over a real PostgreSQL: the same files that otherwise run over files of the state, each in a process of
 * its own. These are the ones that change the state most; any other can be run in the same way.
 */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import { suite } from 'uvu'
import { missing, type Postgres, startPostgres } from '../support/postgres.ts'
import { skipAll } from '../support/skipped.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const FILES = ['refresh', 'token', 'keys', 'processes']

const test = suite('the checklist over PostgreSQL')
let postgres: Postgres
test.before(async () => {
  postgres = await startPostgres()
})
test.after(() => postgres.remove())

for (const name of FILES)
  test(`test/serve/oauth/${name}.test.ts`, async () => {
    const file = join(root, `test/serve/oauth/${name}.test.ts`)
    const env = { ...postgres.stateEnv, NO_COLOR: '1' }
    const { exitCode, all } = await execa(process.execPath, ['--import', 'tsx', file], {
      cwd: root,
      env,
      all: true,
      reject: false,
    })
    if (exitCode !== 0) throw new Error(all)
  })

if (missing === null) test.run()
else skipAll(missing)
