/**
 * Runs a command that signs, for keys that this program never sees, such as those of a hardware token or a key service. The
 * command reads the bytes from standard input, which is a file, and writes 64 bytes or their base64url to standard output. No shell
 * is used. Messages never show the arguments, because they may contain a PIN.
 */
import { spawn } from 'node:child_process'
import { createPublicKey, type JsonWebKey, type KeyObject, verify } from 'node:crypto'
import { closeSync, openSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { present } from '../contract/present.ts'
import { writeWhole } from '../system/effects.ts'
import { readFileSync } from '../system/plain-file.ts'
import { scratchFolder } from '../system/scratch-folder.ts'
import { error, FindingsError } from './findings/finding.ts'
import type { SignerSettings } from './workspace.ts'

interface CommandKey {
  readonly publicKey: JsonWebKey
  sign(bytes: Uint8Array): Promise<Uint8Array>
}

/** The signing key of a command. Throws {@link FindingsError} if the public key cannot be read; `sign` throws it if the command fails. */
export function commandKey(root: string, { command, publicKey, seconds }: SignerSettings): CommandKey {
  const key = readPublicKey(resolve(root, publicKey))
  return {
    publicKey: key.export({ format: 'jwk' }),
    sign: async (bytes) => {
      const output = await outputOf(command, root, bytes, seconds)
      const signature = signatureIn(output)
      if (signature === null)
        throw refused(command, `gave ${output.length} bytes, which are not an Ed25519 signature`, FORM)
      if (!verify(null, bytes, key, signature))
        throw refused(
          command,
          `gave a signature that is not of the key in ${publicKey}, or not over the bytes that it got`,
          `${FORM}; name the public key that belongs to it as "publicKey"`,
        )
      return signature
    },
  }
}

/** Reads an Ed25519 public key from a file: PEM (SubjectPublicKeyInfo) or JWK. Throws {@link FindingsError}. */
export function readPublicKey(path: string): KeyObject {
  let problem = 'is not an Ed25519 key'
  try {
    const text = readFileSync(path, 'utf8')
    const key = text.trimStart().startsWith('{')
      ? createPublicKey({ key: JSON.parse(text) as JsonWebKey, format: 'jwk' })
      : createPublicKey(text)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') problem = 'does not exist'
  }
  throw new FindingsError([
    error('signer-public-key', `the public key ${path} ${problem}`, {
      remedy:
        'name a file with a public key of Ed25519, as PEM or JWK, such as "openssl pkey -in key.pem -pubout" writes it',
    }),
  ])
}

const FORM =
  'it is to write the 64 bytes of an Ed25519 signature over its standard input to its standard output, as they are or as base64url'

/** No signature is longer, in any encoding. */
const MOST_BYTES = 1024

/** Runs the command on a file with the bytes and returns its output. Throws {@link FindingsError} if it fails or takes too long. */
async function outputOf(
  command: readonly string[],
  cwd: string,
  bytes: Uint8Array,
  seconds: number,
): Promise<Buffer> {
  const scratch = scratchFolder('sign')
  const path = join(scratch.path, 'bytes')
  // Standard input is a file, because "openssl pkeyutl -rawin" needs its size.
  writeWhole(path, bytes, { mode: 0o600 })
  const input = openSync(path, 'r')
  try {
    return await runCommand(command, cwd, input, seconds)
  } finally {
    closeSync(input)
    scratch.remove()
  }
}

function runCommand(
  command: readonly string[],
  cwd: string,
  input: number,
  seconds: number,
): Promise<Buffer> {
  const [program, ...args] = command
  return new Promise<Buffer>((done, fail) => {
    const failed = (what: string, remedy: string) => fail(refused(command, what, remedy))
    // The command runs in a process group of its own, so that its children end with it.
    const child = spawn(present(program, 'program in the command'), args, {
      cwd,
      stdio: [input, 'pipe', 'inherit'],
      detached: true,
    })
    const chunks: Buffer[] = []
    let size = 0
    const stop = (what: string, remedy: string) => {
      failed(what, remedy)
      endGroup(child.pid)
    }
    const timer = setTimeout(
      () =>
        stop(`did not end within ${seconds} seconds`, 'see what it waits for, or allow it more "seconds"'),
      seconds * 1000,
    )
    present(child.stdout, 'standard output of the command').on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size > MOST_BYTES) stop(`gave more than ${MOST_BYTES} bytes`, FORM)
      else chunks.push(chunk)
    })
    child.on('error', ({ message, code }: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      const why = code === 'ENOENT' ? 'there is no such program' : message
      failed(`cannot be started: ${why}`, 'install it, or correct its name')
    })
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      if (code === 0) done(Buffer.concat(chunks))
      else
        failed(
          code === null ? `was ended by ${signal}` : `ended with exit code ${code}`,
          'what it said of that stands above; run it by hand with any file as its standard input',
        )
    })
  })
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // The process ended by itself meanwhile.
  }
}

function signatureIn(output: Buffer): Buffer | null {
  if (output.length === 64) return output
  const text = output.toString('latin1').trim()
  return /^[\w-]{86}$/.test(text) ? Buffer.from(text, 'base64url') : null
}

const refused = ([program]: readonly string[], what: string, remedy: string): FindingsError =>
  new FindingsError([
    error('signer-failed', `the command that signs, "${program}", ${what}; nothing was signed`, { remedy }),
  ])
