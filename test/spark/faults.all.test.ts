/**
 * What goes wrong with a job on a cluster of a master and two workers: a clear reason, nothing published, nothing left on disk or on the
 * cluster, and the next build works. spark-sql itself runs the jobs, so that what it says is what people get.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { present } from '../../builder/contract/present.ts'
import { openWorkspace, type Workspace } from '../../builder/workspace/workspace.ts'
import { writeCompany, writeWorkspace } from '../bench/ledger.ts'
import { begin, inFolder, type Running } from '../cli/command.ts'
import { alike } from '../seed.ts'
import { canMount, smallDisk } from '../serve/attacks/small-disk.ts'
import { suite } from '../suite.ts'
import { atOnce } from '../support/at-once.ts'
import { leftBy, useDuckDb, useSpark, writing } from '../support/engines.ts'
import { ledgersToParquet } from '../support/parquet.ts'
import { freePort } from '../support/ports.ts'
import { skipAll } from '../support/skipped.ts'
import { type Machines, NO_SPARK, SPARK, startMachines, WITHOUT_CODE } from '../support/spark.ts'
import { until } from '../support/until.ts'
import { buildIn, findingsText } from '../support/workspace.ts'

const faults = suite('a job on a cluster that fails')

const SETTINGS = {
  // A task for each file, so that a job has many.
  'spark.sql.files.openCostInBytes': '134217728',
  ...WITHOUT_CODE,
}
/** Half of the cluster, so that two jobs run at once. */
const HALF = { 'spark.cores.max': '1' }

/** A workspace with a company of a file for each month and basis, published once from DuckDB. */
let origin: string
async function publishOnce(): Promise<void> {
  origin = mkdtempSync(join(tmpdir(), 'tieout-spark-faults-'))
  writeWorkspace(origin)
  await writeCompany(origin, ID, {
    ...{ postings: 20_000, classes: 4, departments: 2, months: 12, seed: 7, monthly: true },
  })
  const workspace = openWorkspace(origin)
  await ledgersToParquet(workspace, ID)
  useDuckDb(workspace, ID)
  await buildIn(workspace, ID)
}

/** `run` builds it again, with Spark. */
const published = (run: (workspace: Workspace) => Promise<void>): Promise<void> =>
  inFolder((root) => {
    cpSync(origin, root, { recursive: true })
    return run(openWorkspace(root))
  })
const ID = 'bench'

/** All names in the folder of a company's snapshots, a lock or an unfinished snapshot among them. */
const namesOf = ({ snapshots }: Workspace, id: string): string[] => readdirSync(join(snapshots, id)).sort()

/** Begins a build with Spark that is to fail, and lets `hurt` do something to it; then nothing of it is there. */
async function fails(
  workspace: Workspace,
  command: readonly string[],
  hurt: (running: Running, workspace: Workspace) => Promise<void>,
  scratch?: string,
): Promise<{ readonly code: number | undefined; readonly said: string; readonly log: string }> {
  const before = namesOf(workspace, ID)
  const using = useSpark(workspace, ID, command, scratch)
  const running = begin(['build', ID], { cwd: workspace.root })
  await hurt(running, using)
  const { exitCode, stdout, stderr } = await running
  assert.equal(namesOf(workspace, ID), before, 'nothing was published, and no lock is left')
  assert.equal(leftBy(using), [], 'the scratch folder is empty')
  return { code: exitCode, said: stdout + stderr, log: logOf(workspace) }
}

const logOf = ({ state }: Workspace): string => readFileSync(join(state, 'engine', `${ID}.log`), 'utf8')

const processes = (): string[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).split('\n')

/** The process of the command that a build started, which is spark-sql itself. */
function driverOf({ pid }: Running): number {
  const own = processes().flatMap((line) => {
    const [, child, parent] = /^ *(\d+) +(\d+) .*SparkSQLCLIDriver/.exec(line) ?? []
    return Number(parent) === pid ? [Number(child)] : []
  })
  return present(own[0], 'process of spark-sql')
}

/** Waits until the application of a job has ended on the cluster, with all of its processes. */
const endedOnCluster = (log: string): Promise<void> => {
  const id = present(/Application Id: (\S+)/.exec(log)?.[1], 'application in the log')
  return until(async () => {
    const { state } = present(
      (await machines.applications()).find((each) => each.id === id),
      id,
    )
    assert.not.match(state, /RUNNING|WAITING/)
    assert.equal(
      processes().filter((line) => line.includes(id)),
      [],
    )
  })
}

/** Each waits for an application of its own on the cluster, so that a third of them runs a day. */
const FAULTS = alike(['interrupted', 'disk full', 'master killed', 'no master'])
const isDrawn = (fault: string): boolean => FAULTS.includes(fault)

/** Two jobs at once, for they wait for each other's processors. */
const works = atOnce(faults, 2)
let machines: Machines
/** Waits a minute for a master, and takes no processor. */
let noMaster: Promise<void>

if (SPARK === null) skipAll(NO_SPARK)
else {
  faults.before(async () => {
    ;[machines] = await Promise.all([startMachines(SETTINGS), publishOnce()])
    noMaster = isDrawn('no master') ? givesUp() : Promise.resolve()
    works.start()
  })
  faults.after(async () => {
    await Promise.allSettled([noMaster, works.ended()])
    await machines.close()
    rmSync(origin, { recursive: true, force: true })
  })

  if (isDrawn('interrupted'))
    works.check('Ctrl-C in the middle of a job ends it on the cluster too', () =>
      published(async (workspace) => {
        let driver = 0
        const { code, said, log } = await fails(
          workspace,
          machines.sparkSql(HALF),
          async (running, using) => {
            await writing(using)
            driver = driverOf(running)
            running.kill('SIGINT')
          },
        )
        assert.is(code, 130)
        assert.match(said, /stopped; nothing was published/)
        await until(() => assert.throws(() => process.kill(driver, 0), /ESRCH/))
        await endedOnCluster(log)
        await nextBuild(workspace)
      }),
    )

  if (!canMount && isDrawn('disk full')) faults.skip()
  if (canMount && isDrawn('disk full'))
    works.check('a scratch folder whose disk is full', () =>
      published(async (workspace) => {
        const scratch = join(workspace.root, 'scratch')
        const disk = present(smallDisk(scratch, 1), 'small disk')
        try {
          // Room for the statements and the keys, but not for the lines.
          writeFileSync(join(scratch, 'ballast.log'), Buffer.alloc(700_000))
          const { code, said, log } = await fails(workspace, machines.sparkSql(HALF), async () => {}, scratch)
          assert.is(code, 3)
          assert.match(said, /ended with exit code 1: a disk is full; nothing was published/)
          assert.match(said, /make room in engine\.scratch of tieout\.yaml/)
          await endedOnCluster(log)
        } finally {
          disk.unmount()
        }
        await nextBuild(workspace)
      }),
    )

  if (isDrawn('master killed'))
    faults(
      'a master that is killed in the middle of a job changes nothing, and progress and log are there',
      async () => {
        await works.ended()
        await published(async (workspace) => {
          const using = useSpark(workspace, ID, machines.sparkSql())
          const shown: [done: number, total: number | null][] = []
          const building = build(using, ID, {
            publish: true,
            progress: (step, done, total) => step === 'engine' && shown.push([done, total]),
          })
          await writing(using)
          machines.killMaster()
          const { outcome, findings } = await building
          // The same bytes as from DuckDB, so that there is nothing to publish.
          assert.is(outcome, 'unchanged', findingsText(findings))
          assert.equal(leftBy(using), [])

          assert.equal(shown[0], [0, null])
          const ofLines = shown.filter(([, total]) => total === 24)
          assert.ok(
            ofLines.some(([done]) => done > 0 && done < 24),
            JSON.stringify(shown),
          )
          const log = logOf(workspace)
          assert.match(log, /Application Id: app-/)
          assert.match(log, /Disconnected from Spark cluster! Waiting for reconnection/)
          assert.not.match(log, /\[Stage|^ *\n/m)
        })
      },
    )

  if (isDrawn('no master')) faults('no master: the job gives up after a minute', () => noMaster)
}

const givesUp = (): Promise<void> =>
  published(async (workspace) => {
    const nowhere = { 'spark.master': `spark://127.0.0.1:${await freePort()}` }
    const { code, said } = await fails(workspace, machines.sparkSql(nowhere), async () => {})
    assert.is(code, 3)
    assert.match(said, /ended with exit code 1: no master of the cluster answers; nothing was published/)
    await nextBuild(workspace)
  })

/** The build after one that failed, with DuckDB, finds the lock free and nothing new. */
async function nextBuild(workspace: Workspace): Promise<void> {
  useDuckDb(workspace, ID)
  assert.is((await buildIn(workspace, ID)).result.outcome, 'unchanged')
}
