/**
 * Reads a password from a person or a pipe. It is never echoed and never an argument, which every user of the
 * machine could see.
 */
import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { RefusedError, UsageError } from './exit.ts'
import type { Io } from './terminal.ts'

/** Undefined where neither was asked for: a password is then generated. */
export async function readPassword(
  io: Io,
  how: { readonly fromStdin: boolean; readonly prompt: boolean },
): Promise<string | undefined> {
  if (how.fromStdin) {
    const password = (await text(io.stdin)).replace(/\r?\n$/, '')
    if (password === '') throw new UsageError('stdin holds no password')
    return password
  }
  if (!how.prompt || !isAttended(io)) return undefined
  const first = await ask(io, 'Password (empty: one is made up): ')
  if (first === '') return undefined
  if ((await ask(io, 'The same again: ')) !== first)
    throw new UsageError('the two passwords differ; try again')
  return first
}

/** The passphrase of an approver's key; null where the file is not encrypted. */
export async function passphraseFor(file: string, io: Io): Promise<string | null> {
  const { isEncrypted } = await import('../../builder/snapshot/approval/approver-key.ts')
  if (!isEncrypted(file)) return null
  const given = process.env[PASSPHRASE]
  if (given !== undefined && given !== '') return given
  if (!isAttended(io))
    throw new UsageError(
      `${file} is encrypted: put its passphrase into ${PASSPHRASE}, or run this on a terminal`,
    )
  return ask(io, 'Passphrase of the key: ')
}

/** The passphrase for a new key; null for a key that is stored without encryption. */
export async function newPassphrase(io: Io): Promise<string | null> {
  const given = process.env[PASSPHRASE]
  if (given !== undefined) return given === '' ? null : given
  if (!isAttended(io)) return null
  const first = await ask(io, 'Passphrase for the key (empty: the file is not encrypted): ')
  if (first === '') return null
  if ((await ask(io, 'The same again: ')) !== first)
    throw new UsageError('the two passphrases differ; try again')
  return first
}

const PASSPHRASE = 'TIEOUT_APPROVER_PASSPHRASE'

const isAttended = ({ stdin, stderr }: Io): boolean => stdin.isTTY === true && stderr.isTTY === true

async function ask({ stdin, stderr }: Io, question: string): Promise<string> {
  stderr.write(question)
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: stdin, output: silent, terminal: true })
  try {
    const answer = await Promise.race([lines.question(''), once(lines, 'SIGINT'), once(lines, 'close')])
    if (typeof answer === 'string') return answer
    throw new RefusedError('nothing was changed')
  } finally {
    lines.close()
    stderr.write('\n')
  }
}
