/** Whole processes, measured: wall and processor time in seconds, peak memory in bytes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Usage {
  readonly wall: number
  /** User and system, of all threads. */
  readonly cpu: number
  /** Of the process and all that it started, at the same moment; memory that processes share counts in each of them. */
  readonly peak: number
  readonly stdout: string
}

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
const USAGE = fileURLToPath(new URL('usage.cjs', import.meta.url))

/** The compiled command line of this checkout. */
export const tieout = (workspace: string, ...args: string[]): Promise<Usage> =>
  tieoutOf(CHECKOUT, workspace, ...args)

/** The same on some of the cores alone, by their numbers. */
export const tieoutOn = (cores: readonly number[], workspace: string, ...args: string[]): Promise<Usage> =>
  started(['taskset', '-c', cores.join(',')], CHECKOUT, workspace, args)

/** The compiled command line of the checkout in a folder. */
export const tieoutOf = (checkout: string, workspace: string, ...args: string[]): Promise<Usage> =>
  started([], checkout, workspace, args)

/** `before` is what starts the program, where it is not started by itself. */
async function started(
  before: readonly string[],
  checkout: string,
  workspace: string,
  args: readonly string[],
): Promise<Usage> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
  const file = join(folder, 'usage.json')
  const main = join(checkout, 'dist/cli/tieout.cjs')
  const [command = '', ...rest] = [...before, process.execPath, '--require', USAGE, main, '-C', workspace]
  try {
    const { wall, stdout, peak } = await finished(command, [...rest, ...args], {
      ...process.env,
      TIEOUT_USAGE: file,
    })
    const own = JSON.parse(readFileSync(file, 'utf8')) as { cpu: number; peak: number }
    return { wall, cpu: own.cpu, peak: Math.max(peak, own.peak), stdout }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function finished(command: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Usage> {
  const begun = performance.now()
  const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let stderr = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  let peak = 0
  const looking = setInterval(() => {
    peak = Math.max(peak, memoryOf(child.pid!))
  }, 20)
  const [code] = (await once(child, 'close')) as [number | null]
  clearInterval(looking)
  const wall = (performance.now() - begun) / 1000
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${stderr}\n${stdout}`)
  return { wall, cpu: Number.NaN, peak, stdout }
}

/** Resident memory of a process and of all that it started; 0 where it is gone. */
function memoryOf(pid: number): number {
  try {
    const own = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
    return readdirSync(`/proc/${pid}/task`)
      .flatMap((thread) => childrenOf(pid, thread))
      .reduce((sum, child) => sum + memoryOf(child), own)
  } catch {
    return 0
  }
}

/** Processes that a thread of a process started and that still run. */
const childrenOf = (pid: number, thread: string): number[] =>
  readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8')
    .split(' ')
    .filter((child) => child.trim() !== '')
    .map(Number)

/** User and system seconds of a running process so far. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  const TICKS_PER_SECOND = 100
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** The same of a process and of those that it started and that still run. */
export const cpuOfFamily = (pid: number): number =>
  childrenOf(pid, String(pid)).reduce((sum, child) => sum + cpuOf(child), cpuOf(pid))

/** Whether a program of that name can be started. */
export const isInstalled = (name: string): boolean =>
  (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)))
