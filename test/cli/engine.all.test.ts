/** An engine that cannot do its job: the reason in words, nothing published, and nothing left behind. Needs no Spark. */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { addCompany } from '../../builder/ingest/add/add.ts'
import { datasetFolder, readCompany, type Workspace } from '../../builder/workspace/workspace.ts'
import { suite } from '../suite.ts'
import { leftBy } from '../support/engines.ts'
import { writeParquet } from '../support/parquet.ts'
import { until } from '../support/until.ts'
import { CHART, COMPANY, companyYaml, inWorkspace } from '../support/workspace.ts'
import { begin, says, tieout } from './command.ts'

const engine = suite('an engine that fails')

const ROWS = `SELECT * FROM (VALUES ('S1', DATE '2025-01-05', 'bank', 100.00::DECIMAL(18, 2)), ('S1', DATE '2025-01-05', 'sales', -100.00::DECIMAL(18, 2)))
  t(transaction_id, date, account, amount)`

/** A company whose table an engine reads, by the program with this source text in place of spark-sql. */
const withCommand = (
  source: string | null,
  run: (workspace: Workspace) => Promise<void>,
  settings = '',
): Promise<void> =>
  inWorkspace(
    {
      'company.yaml': companyYaml('ledger: [{ table: "gl/*.parquet", engine: spark }]'),
      'chart.csv': CHART,
    },
    async (workspace) => {
      await writeParquet(join(datasetFolder(workspace, COMPANY), 'gl/a.parquet'), ROWS)
      const program = join(workspace.root, 'engine.mjs')
      if (source !== null) writeFileSync(program, source)
      const command = source === null ? ['no-such-spark'] : [process.execPath, program, '--secret-argument']
      appendFileSync(
        join(workspace.root, 'tieout.yaml'),
        `engine:\n  command: ${JSON.stringify(command)}\n${settings}`,
      )
      await run(workspace)
    },
  )

/** A build that starts on a busy machine takes its time. */
const eventually = <T>(attempt: () => T): Promise<T> => until(() => until(attempt))

const logOf = ({ state }: Workspace): string => readFileSync(join(state, 'engine', `${COMPANY}.log`), 'utf8')

function nothingIsThere(workspace: Workspace): void {
  assert.equal(leftBy(workspace), [], 'the scratch folder is empty')
  assert.not.ok(existsSync(join(workspace.snapshots, COMPANY, 'current.json')), 'nothing was published')
}

/** What the engine does, or null where there is no such program; what the build says of it; settings. */
const FAILURES: readonly (readonly [source: string | null, said: RegExp, settings?: string])[] = [
  [null, /"no-such-spark", cannot be started: there is no such program/],
  [`process.kill(process.pid, 'SIGKILL')`, /the job of the engine was killed, by somebody or by the system/],
  ['', /ended well, but did not write line, total/],
  ['', /the scratch folder of the engine cannot be used/, '  scratch: tieout.yaml/scratch\n'],
]
for (const [source, said, settings] of FAILURES)
  engine(`refused: ${said.source}`, () =>
    withCommand(
      source,
      async (workspace) => {
        assert.match(await says(3, `build ${COMPANY}`, { cwd: workspace.root }), said)
        nothingIsThere(workspace)
      },
      settings,
    ),
  )

engine('a job that fails says why, and where its log is; secrets stand neither there nor in messages', () => {
  const said = `console.error('[Stage 0:>  (0 + 2) / 4]'); console.error('token ' + process.env.LAKE_SECRET_KEY)
    console.error('Caused by: java.io.IOException: No space left on device'); process.exit(1)`
  return withCommand(said, async (workspace) => {
    const { code, out, err } = await tieout(['build', COMPANY], {
      cwd: workspace.root,
      env: { LAKE_SECRET_KEY: 'hunter2hunter2' },
    })
    const all = out + err
    assert.is(code, 3)
    assert.match(all, /ended with exit code 1: a disk is full; nothing was published/)
    assert.match(all, /make room in engine\.scratch.*\.tieout\/engine\/acme\.log/)
    assert.match(logOf(workspace), /^token …$/m)
    assert.not.match(all, /hunter2|secret-argument/)
    nothingIsThere(workspace)
  })
})

engine('Ctrl-C ends the job with all of its processes', () => {
  const source = `import { spawn } from 'node:child_process'
    import { writeFileSync } from 'node:fs'
    const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'])
    writeFileSync('pids', process.pid + ' ' + child.pid)
    setInterval(() => {}, 1000)`
  return withCommand(source, async (workspace) => {
    const running = begin(['build', COMPANY], { cwd: workspace.root })
    const pids = await eventually(() => {
      const found = readFileSync(join(workspace.root, 'pids'), 'utf8').split(' ').map(Number)
      assert.is(found.length, 2)
      return found
    })
    running.kill('SIGINT')
    const { exitCode } = await running
    assert.is(exitCode, 130)
    nothingIsThere(workspace)
    await until(() => {
      for (const pid of pids) assert.throws(() => process.kill(pid, 0), /ESRCH/)
    })
  })
})

engine('what a killed build left is removed by the next one', () => {
  const source = `import { existsSync, writeFileSync } from 'node:fs'
    if (existsSync('pid')) process.exit(1)
    writeFileSync('pid', String(process.pid))
    setInterval(() => {}, 1000)`
  return withCommand(source, async (workspace) => {
    const running = begin(['build', COMPANY], { cwd: workspace.root })
    const pid = await eventually(() => Number(readFileSync(join(workspace.root, 'pid'), 'utf8')))
    assert.ok(pid > 0)
    running.kill('SIGKILL')
    await running
    process.kill(pid)
    assert.is(leftBy(workspace).length, 1)
    await tieout(['build', COMPANY], { cwd: workspace.root })
    nothingIsThere(workspace)
  })
})

engine('a file that is no Parquet is refused before the engine is asked', () =>
  withCommand('', async (workspace) => {
    writeFileSync(join(datasetFolder(workspace, COMPANY), 'gl/b.parquet'), 'transaction_id,date\n')
    assert.match(await says(3, `build ${COMPANY}`, { cwd: workspace.root }), /is no Parquet file/)
    assert.equal(leftBy(workspace), [])
  }),
)

engine('"tieout add --table --engine" writes the entry, and leaves the files where they are', () =>
  withCommand('', async (workspace) => {
    const chart = join(workspace.root, 'chart.csv')
    writeFileSync(chart, CHART)
    const table = { table: 'gl/**/*.parquet', engine: 'spark' } as const
    const stated = { currency: 'USD', fiscalMonthEnd: 12 }
    const added = await addCompany(workspace, 'group', [chart], { table, stated })
    assert.equal(added.findings, [])
    assert.ok(added.questions.some(({ column }) => column === 'ledger.0.basis'))
    await addCompany(workspace, 'cash', [chart], { table, stated: { ...stated, basis: 'cash' } })
    const { value: cash } = readCompany(workspace, 'cash')
    assert.equal(cash?.ledger, [{ files: 'gl/**/*.parquet', engine: 'spark', basis: 'cash' }])
  }),
)
