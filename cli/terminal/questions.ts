/** Questions of a new company.yaml, asked on the terminal instead of being left there as blanks. */
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { CompanyEdit } from '../../builder/workspace/company-edit.ts'
import { sayWhenStopped } from './stopping.ts'
import { print, type Terminal, wrap } from './terminal.ts'

/** More than these are left in the file, where they are easier to answer. */
const MOST_QUESTIONS = 30

/** Whether somebody sits at the terminal who can be asked. */
export const canAsk = ({ json, io }: Terminal): boolean =>
  !json && io.stdin.isTTY === true && io.stdout.isTTY === true && process.env.CI === undefined

/**
 * Asks each question that is left in `edit` and writes the answers over the blanks; an empty answer leaves a blank. `save` is
 * called after each answer, so that Ctrl-C keeps what was answered.
 */
export async function askQuestions(edit: CompanyEdit, save: () => void, terminal: Terminal): Promise<void> {
  const { problemWith } = await import('../../builder/ingest/add/stated.ts')
  const questions = edit.blanks()
  const { paint, width } = terminal
  const { stdin, stdout } = terminal.io
  if (questions.length > MOST_QUESTIONS) return
  const lines = createInterface({ input: stdin, output: stdout, terminal: false })
  sayWhenStopped(() => 'stopped; what was answered is in company.yaml')
  const ended = once(lines, 'close').then(() => null)
  /** Null where the input has ended (Ctrl-D): what is left stays open then. */
  const ask = async (): Promise<string | null> =>
    (await Promise.race([lines.question('> '), ended]))?.trim() ?? null
  print(stdout, wrap('What no file says. An empty answer leaves the question in company.yaml.', width))
  /** False where the input has ended. */
  const settled = async ({ key, about }: (typeof questions)[number]): Promise<boolean> => {
    print(stdout, `\n${paint.bold(key)}${about === '' ? '' : `: ${wrap(about, width, 2)}`}`)
    for (;;) {
      const answer = await ask()
      if (!answer) return answer !== null
      const undo = edit.fill(key, /^\d+$/.test(answer) && key === 'fiscalMonthEnd' ? Number(answer) : answer)
      const problem = problemWith(edit, key)
      if (problem === null) {
        edit.answered(key)
        save()
        return true
      }
      undo()
      print(stdout, paint.yellow(`It ${problem}.`))
    }
  }
  for (const question of questions) if (!(await settled(question))) break
  lines.close()
}
