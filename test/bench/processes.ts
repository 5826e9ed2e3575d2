/** Whole processes, measured: wall and processor time in seconds, peak memory in bytes. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Usage {
  readonly wall: number
  /** User and system, of all threads. */
  readonly cpu: number
  readonly peak: number
  readonly stdout: string
}

const CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
const USAGE = fileURLToPath(new URL('usage.mjs', import.meta.url))

/** The compiled command line of this checkout. */
export const tieout = (workspace: string, ...args: string[]): Promise<Usage> =>
  tieoutOf(CHECKOUT, workspace, ...args)

/** The compiled command line of the checkout in a folder. */
export async function tieoutOf(checkout: string, workspace: string, ...args: string[]): Promise<Usage> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
  const file = join(folder, 'usage.json')
  try {
    const { wall, stdout } = await finished(
      'node',
      ['--import', USAGE, join(checkout, 'dist/cli/main.js'), '-C', workspace, ...args],
      {
        ...process.env,
        TIEOUT_USAGE: file,
      },
    )
    const { cpu, peak } = JSON.parse(readFileSync(file, 'utf8')) as { cpu: number; peak: number }
    return { wall, cpu, peak, stdout }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Any other program: its time, and its memory as /proc has it at the last look. */
export async function program(command: string, args: readonly string[]): Promise<Usage> {
  return finished(command, args, process.env)
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
    peak = Math.max(peak, peakOf(child.pid!))
  }, 20)
  const [code] = (await once(child, 'close')) as [number | null]
  clearInterval(looking)
  const wall = (performance.now() - begun) / 1000
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${stderr}\n${stdout}`)
  return { wall, cpu: Number.NaN, peak, stdout }
}

function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

/** User and system seconds of a running process so far. */
function cpuOf(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  const TICKS_PER_SECOND = 100
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** The same of a process and of those that it started and that still run. */
export const cpuOfFamily = (pid: number): number =>
  cpuOf(pid) +
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child.trim() !== '')
    .reduce((sum, child) => sum + cpuOf(Number(child)), 0)

/** Whether a program of that name can be started. */
export const isInstalled = (name: string): boolean =>
  (process.env.PATH ?? '').split(':').some((folder) => existsSync(join(folder, name)))
