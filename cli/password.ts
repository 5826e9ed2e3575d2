/** A password from a person or a pipe: never echoed, never an argument, where every user of the machine could see it. */
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { RefusedError, UsageError } from './exit.ts'

/** Undefined where one is to be made up. */
export async function readPassword(how: {
  readonly fromStdin: boolean
  readonly prompt: boolean
}): Promise<string | undefined> {
  if (how.fromStdin) {
    const password = (await text(process.stdin)).replace(/\r?\n$/, '')
    if (password === '') throw new UsageError('stdin holds no password')
    return password
  }
  if (!how.prompt || !process.stdin.isTTY || !process.stderr.isTTY) return undefined
  const first = await ask('Password (empty: one is made up): ')
  if (first === '') return undefined
  if ((await ask('The same again: ')) !== first) throw new UsageError('the two passwords differ; try again')
  return first
}

async function ask(question: string): Promise<string> {
  process.stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: silent, terminal: true })
  try {
    const answer = await Promise.race([lines.question(''), once(lines, 'SIGINT'), once(lines, 'close')])
    if (typeof answer === 'string') return answer
    throw new RefusedError('nothing was changed')
  } finally {
    lines.close()
    process.stderr.write('\n')
  }
}
