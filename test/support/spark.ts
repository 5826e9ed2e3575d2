/**
 * A cluster of Spark for tests: a master and a worker of pyspark's package, as processes of this machine, on free ports of
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
        const ask =
          'from importlib.util import find_spec as f; print(f("pyspark").submodule_search_locations[0])'
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

/** An application that runs scripts. */
export interface Application {
  /** The command for tieout.yaml that runs a script at once. */
  readonly command: readonly string[]
  /** The command with spark-sql itself, in one process without a cluster; it takes some ten seconds to start. */
  readonly sparkSql: readonly string[]
  close(): Promise<void>
}

/** One on a cluster. */
export interface Cluster extends Application {
  /** Kills a worker with all its executors, as a machine fails. */
  killWorker(): void
  addWorker(): Promise<void>
}

const DRIVER = fileURLToPath(new URL('spark/driver.py', import.meta.url))
const CLIENT = fileURLToPath(new URL('spark/client.mjs', import.meta.url))

/** A process that lives for seconds spends more on a good compilation than it gains. */
const SHORT_LIVED =
  '-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote'

/** Few partitions: a test has few rows. */
const SETTINGS = {
  'spark.sql.shuffle.partitions': '4',
  'spark.sql.catalogImplementation': 'in-memory',
  'spark.driver.host': '127.0.0.1',
  'spark.driver.bindAddress': '127.0.0.1',
  'spark.driver.memory': '512m',
  'spark.executor.memory': '512m',
  'spark.driver.extraJavaOptions': SHORT_LIVED,
  'spark.executor.extraJavaOptions': SHORT_LIVED,
  'spark.ui.enabled': 'false',
  'spark.eventLog.compress': 'false',
}

/** Code for some rows takes longer to make than to do without. */
export const WITHOUT_CODE = {
  'spark.sql.codegen.wholeStage': 'false',
  'spark.sql.codegen.factoryMode': 'NO_CODEGEN',
}

interface ApplicationState {
  readonly id: string
  /** RUNNING, WAITING, FINISHED, FAILED or KILLED. */
  readonly state: string
}

/** The machines of a cluster, without an application. */
export interface Machines {
  /** `spark://127.0.0.1:…` */
  readonly master: string
  /** The command with spark-sql itself, on this master unless `settings` say otherwise. It takes some ten seconds to start. */
  sparkSql(settings?: Readonly<Record<string, string>>): readonly string[]
  /** The applications that the master knows. */
  applications(): Promise<readonly ApplicationState[]>
  /** Kills a worker with all its executors, as a machine fails. */
  killWorker(): void
  addWorker(): Promise<void>
  killMaster(): void
  /** Starts another process that ends with the cluster. */
  start(program: string, args: readonly string[]): ChildProcess
  close(): Promise<void>
}

/** Starts a master and a worker with two processors. */
export async function startMachines(more: Readonly<Record<string, string>> = {}): Promise<Machines> {
  if (SPARK === null) throw new Error(NO_SPARK)
  const { home } = SPARK
  const { start, close } = processes(SPARK)
  const spark = (name: string, args: readonly string[]) =>
    start(join(home, 'bin', 'spark-class'), [
      `org.apache.spark.deploy.${name}`,
      '--host',
      '127.0.0.1',
      ...args,
    ])
  const masterProcess = spark('master.Master', ['--port', '0', '--webui-port', '0'])
  const [master, page] = await Promise.all([
    said(masterProcess, /Starting Spark master at (\S+)/),
    said(masterProcess, /Bound MasterWebUI to \S+, and started at (\S+)/),
  ])
  const addWorker = async () => {
    const worker = spark('worker.Worker', ['--cores', '2', '--memory', '4g', '--webui-port', '0', master])
    workers.push(worker)
    await said(worker, /(Successfully registered) with master/)
  }
  const workers: ChildProcess[] = []
  await addWorker()
  return {
    master,
    sparkSql: (own = {}) => sparkSqlWith({ 'spark.master': master, ...more, ...own }),
    applications: async () => {
      const said = await (await fetch(`${page}/json/`)).json()
      const { activeapps, completedapps } = said as Record<'activeapps' | 'completedapps', ApplicationState[]>
      return [...activeapps, ...completedapps]
    },
    addWorker,
    killWorker: () => kill(workers.shift()),
    killMaster: () => kill(masterProcess),
    start,
    close,
  }
}

/** Processes of Spark, with a folder of their own, that end together. */
function processes({ python, home }: NonNullable<typeof SPARK>): Pick<Machines, 'start' | 'close'> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-spark-'))
  const env = {
    ...process.env,
    ...{ SPARK_HOME: home, SPARK_LOCAL_IP: '127.0.0.1', SPARK_LOCAL_DIRS: folder, SPARK_WORKER_DIR: folder },
    ...{ PYSPARK_PYTHON: python, SPARK_DAEMON_MEMORY: '256m', SPARK_DAEMON_JAVA_OPTS: SHORT_LIVED },
    SPARK_LAUNCHER_OPTS: SHORT_LIVED,
  }
  const all: ChildProcess[] = []
  return {
    start: (program, args) => {
      // A group of its own, so that its executors end with it.
      const child = spawn(program, args, {
        env,
        cwd: folder,
        detached: true,
        stdio: ['ignore', 'pipe', 'pipe'],
      })
      all.push(child)
      return child
    },
    close: async () => {
      for (const child of all) kill(child)
      await Promise.all(
        all.map((child) => (child.exitCode ?? child.signalCode) === null && once(child, 'exit')),
      )
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

const sparkSqlWith = (settings: Readonly<Record<string, string>>): readonly string[] => [
  join(SPARK!.home, 'bin', 'spark-sql'),
  ...Object.entries({ ...SETTINGS, ...settings }).flatMap((pair) => ['--conf', pair.join('=')]),
]

/** Starts the cluster, and an application on it, which has all of its cores. */
export async function startCluster(more: Readonly<Record<string, string>> = {}): Promise<Cluster> {
  const machines = await startMachines(more)
  return { ...machines, ...(await application(machines, machines.master, more)) }
}

/** Starts an application that has no cluster: what a job says and writes is the same, for a third less of processor time. */
export async function startLocal(more: Readonly<Record<string, string>> = {}): Promise<Application> {
  if (SPARK === null) throw new Error(NO_SPARK)
  const own = processes(SPARK)
  return { ...own, ...(await application(own, 'local[2]', more)) }
}

async function application(
  { start }: Pick<Machines, 'start'>,
  master: string,
  more: Readonly<Record<string, string>>,
): Promise<Pick<Application, 'command' | 'sparkSql'>> {
  const settings = { 'spark.master': master, ...SETTINGS, ...more }
  const driver = start(SPARK!.python, [DRIVER, ...Object.entries(settings).map((pair) => pair.join('='))])
  const port = await said(driver, /^port (\d+)/)
  return {
    command: [process.execPath, CLIENT, port],
    sparkSql: sparkSqlWith({ ...more, 'spark.master': 'local[1]' }),
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
