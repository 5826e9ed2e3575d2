/**
 * A cluster of Spark for tests: a master and two workers of pyspark's package, as processes of this machine, on free ports of
 * the loopback interface. `TIEOUT_SPARK` names a Python that has pyspark, else the one in the path is asked. Without it tests
 * skip and say so.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The Python that has pyspark, and the folder of the package; null without it. */
export const SPARK = findSpark()

function findSpark(): { readonly python: string; readonly home: string } | null {
  for (const python of [process.env.TIEOUT_SPARK, 'python3'])
    if (python !== undefined)
      try {
        const ask = 'import pyspark, os; print(os.path.dirname(pyspark.__file__))'
        const home = execFileSync(python, ['-c', ask], {
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'ignore'],
        })
        execFileSync('java', ['-version'], { stdio: 'ignore' })
        return { python, home: home.trim() }
      } catch {}
  return null
}

/** Why tests that need Spark are skipped. */
export const NO_SPARK =
  'pyspark or Java is missing (pip install pyspark==4.0.1, and name its Python as TIEOUT_SPARK): its tests are skipped'

export interface Cluster {
  /** `spark://127.0.0.1:…` */
  readonly master: string
  /** The command for tieout.yaml that runs a script on the cluster at once. */
  readonly command: readonly string[]
  /** The command with spark-sql itself, in one process without the cluster; it takes some ten seconds to start. */
  readonly sparkSql: readonly string[]
  /** Kills a worker with all its executors, as a machine fails. */
  killWorker(): void
  addWorker(): Promise<void>
  killMaster(): void
  close(): Promise<void>
}

const DRIVER = fileURLToPath(new URL('spark/driver.py', import.meta.url))
const CLIENT = fileURLToPath(new URL('spark/client.mjs', import.meta.url))

/** Few partitions: a test has few rows. */
const SETTINGS = {
  'spark.sql.shuffle.partitions': '4',
  'spark.sql.catalogImplementation': 'in-memory',
  'spark.driver.host': '127.0.0.1',
  'spark.driver.bindAddress': '127.0.0.1',
  'spark.driver.memory': '512m',
  'spark.executor.memory': '512m',
  'spark.ui.enabled': 'false',
  'spark.eventLog.compress': 'false',
}

/** Starts the cluster, and an application on it. */
export async function startCluster(more: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  if (SPARK === null) throw new Error(NO_SPARK)
  const { python, home } = SPARK
  const folder = mkdtempSync(join(tmpdir(), 'tieout-spark-'))
  const env = {
    ...process.env,
    ...{ SPARK_HOME: home, SPARK_LOCAL_IP: '127.0.0.1', SPARK_LOCAL_DIRS: folder, SPARK_WORKER_DIR: folder },
    ...{ PYSPARK_PYTHON: python, SPARK_DAEMON_MEMORY: '256m' },
  }
  const processes: ChildProcess[] = []
  const start = (program: string, args: readonly string[]) => {
    // A group of its own, so that its executors end with it.
    const child = spawn(program, args, {
      env,
      cwd: folder,
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    processes.push(child)
    return child
  }
  const spark = (name: string, args: readonly string[]) =>
    start(join(home, 'bin', 'spark-class'), [
      `org.apache.spark.deploy.${name}`,
      '--host',
      '127.0.0.1',
      ...args,
    ])
  const masterProcess = spark('master.Master', ['--port', '0', '--webui-port', '0'])
  const master = await said(masterProcess, /Starting Spark master at (\S+)/)
  const addWorker = async () => {
    const worker = spark('worker.Worker', ['--cores', '1', '--memory', '4g', '--webui-port', '0', master])
    workers.push(worker)
    await said(worker, /(Successfully registered) with master/)
  }
  const workers: ChildProcess[] = []
  await Promise.all([addWorker(), addWorker()])
  const settings = { 'spark.master': master, ...SETTINGS, ...more }
  const driver = start(python, [DRIVER, ...Object.entries(settings).map((pair) => pair.join('='))])
  const port = await said(driver, /^port (\d+)/)
  // The application above has all cores of the cluster.
  const alone = Object.entries({ ...settings, 'spark.master': 'local[1]' })
  return {
    master,
    command: [process.execPath, CLIENT, port],
    sparkSql: [join(home, 'bin', 'spark-sql'), ...alone.flatMap((pair) => ['--conf', pair.join('=')])],
    addWorker,
    killWorker: () => kill(workers.shift()),
    killMaster: () => kill(masterProcess),
    close: async () => {
      for (const child of processes) kill(child)
      await Promise.all(
        processes.map((child) => (child.exitCode ?? child.signalCode) === null && once(child, 'exit')),
      )
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

function kill(child: ChildProcess | undefined): void {
  if (child?.pid === undefined) return
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {}
}

/** The first group of the first line of a process that matches. */
function said(child: ChildProcess, pattern: RegExp): Promise<string> {
  const lines: string[] = []
  return new Promise((done, fail) => {
    for (const stream of [child.stdout!, child.stderr!])
      createInterface({ input: stream }).on('line', (line) => {
        lines.push(line)
        const found = pattern.exec(line)?.[1]
        if (found !== undefined) done(found)
      })
    child.on('exit', () => fail(new Error(`a process of the cluster ended:\n${lines.slice(-30).join('\n')}`)))
  })
}
