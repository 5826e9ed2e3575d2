/** A company that several threads compose, and what is done to them. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Size, writeCompany, writeWorkspace } from '../bench/ledger.ts'
import { inFolder, tieout } from './command.ts'
import './thread-fault.cjs'

/** With more departments than one piece has. */
export const SIZE = { postings: 500, classes: 1, departments: 18, months: 2, seed: 3 }

/** With budgets and metrics too. */
export const PLANNED = { ...SIZE, budgets: 1, metrics: 1 }

export const inCompany = (run: (cwd: string) => Promise<void>, size: Size = SIZE): Promise<void> =>
  inFolder(async (cwd) => {
    writeWorkspace(cwd)
    await writeCompany(cwd, 'bench', size)
    await run(cwd)
  })

const HOOK = fileURLToPath(new URL('thread-fault.cjs', import.meta.url))
/** For a command in this process. */
export const withFault = (fault: string): Record<string, string> => ({ TIEOUT_FAULT: fault })
/** For a process of its own, and those that it starts, from their start. */
export const faultAtStart = (fault: string): Record<string, string> => ({
  NODE_OPTIONS: `--require ${HOOK}`,
  TIEOUT_FAULT: fault,
})

/** So large that one alone has threads. */
export const LARGER = { ...SIZE, classes: 4 }

/** How many threads a command has started in all of its processes; it must succeed. */
export async function threadsOf(cwd: string, args: readonly string[], env = withFault('')): Promise<number> {
  const list = join(cwd, 'threads')
  rmSync(list, { force: true })
  const { code, out, err } = await tieout(args, { cwd, env: { ...env, TIEOUT_THREADS: list } })
  if (code !== 0) throw new Error(`${args.join(' ')}: ${out}${err}`)
  return existsSync(list) ? readFileSync(list, 'utf8').trimEnd().split('\n').length : 0
}

/** Moves one amount between two lines of the first transaction. */
export function correct(cwd: string): void {
  const path = join(cwd, 'datasets', 'bench', 'ledger', 'accrual.csv')
  const lines = readFileSync(path, 'utf8').split('\n')
  const moved = (line: string, by: number): string =>
    line.replace(/,(-?\d+\.\d\d),/, (_, amount) => `,${(Number(amount) + by).toFixed(2)},`)
  writeFileSync(
    path,
    lines.map((line, i) => (i === 1 ? moved(line, 1) : i === 2 ? moved(line, -1) : line)).join('\n'),
  )
}
