/** How the work of commands grows with their input. */
import * as assert from 'uvu/assert'
import { tieout } from './command.ts'

/** What a cell, a name or a header is filled with; each has been slow for some pattern somewhere. */
export const FILLINGS = [
  '2024-01-05 ',
  'a',
  '1',
  '1,000.',
  ' ',
  '-',
  '(',
  'Dr 1 Cr/',
  '*a',
  '<b ',
  ']]',
  '\u202e',
  'Total ',
]

export const filled = (n: number, by: string): string => by.repeat(Math.ceil(n / by.length)).slice(0, n)

/** Characters of the smaller input, and seconds that do not count. */
const [N, SLACK] = [100_000, 2]

export interface Ran {
  readonly command: string
  readonly seconds: number
}

/** Seconds of the processor that each command takes. */
export async function secondsOf(commands: readonly (readonly string[])[], cwd: string): Promise<Ran[]> {
  const ran: Ran[] = []
  for (const command of commands) {
    const before = process.cpuUsage()
    const { code, err } = await tieout(command, { cwd })
    assert.ok(code === 0 || code === 2 || code === 3, `${command.join(' ')}: ${code} ${err}`)
    const { user, system } = process.cpuUsage(before)
    ran.push({ command: command.join(' '), seconds: (user + system) / 1e6 })
  }
  return ran
}

/** Holds the times of one run against those of four times the input, with bounds so wide that the load of the machine does not matter. */
export async function grows(run: (n: number) => Promise<readonly Ran[]>): Promise<void> {
  const large = await run(4 * N)
  // Whatever the smaller one takes.
  if (large.every(({ seconds }) => seconds < SLACK)) return
  const small = await run(N)
  for (const [i, { command, seconds }] of large.entries())
    assert.ok(
      seconds < 6 * small[i]!.seconds + SLACK,
      `${command}: ${small[i]!.seconds} s, then ${seconds} s`,
    )
}
