/** Runs the compiled command as a user does, in a workspace of its own: as a function, or where a test is about it as a process. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { execa } from 'execa'
import * as assert from 'uvu/assert'
import { main } from '../../cli/main.ts'
import { CHART, companyYaml, type Files, ledgerCsv, writeFiles } from '../support/workspace.ts'

export const repository = fileURLToPath(new URL('../..', import.meta.url))
export const MAIN = join(repository, 'dist/cli/tieout.cjs')

export interface Ran {
  readonly code: number | undefined
  readonly out: string
  readonly err: string
}

interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string>>
  readonly input?: string
}

/** Without the colours and the CI mark of whoever runs the tests. */
const PLAIN = { NO_COLOR: undefined, FORCE_COLOR: undefined, CI: undefined }

/** A command as a process, for what only a process has: signals, limits of its memory, and that it runs on. `await` it for its end. */
export const begin = (args: readonly string[], { cwd, env, input = '' }: RunOptions) =>
  execa(process.execPath, [MAIN, ...args], {
    cwd,
    env: { ...PLAIN, ...env },
    input,
    reject: false,
    stripFinalNewline: false,
    // Where a test stops a command, execa would kill it after five seconds; a server may take longer to end.
    forceKillAfterDelay: false,
  })
export type Running = ReturnType<typeof begin>

/** {@link begin}, with its end waited for. */
export async function asProcess(args: readonly string[], options: RunOptions): Promise<Ran> {
  const { exitCode, stdout, stderr } = await begin(args, options)
  return { code: exitCode, out: stdout, err: stderr }
}

let before: Promise<unknown> = Promise.resolve()

/** What Node reads when a process starts. */
const AT_START = ['NODE_OPTIONS', 'TZ']

/** Commands that share their work among processes, which take longer to start than a small company takes. */
const SHARING = ['build', 'check', 'verify']

/**
 * Runs the command in this process, and what it would give to others too unless `args` say how many. The folder and the environment
 * are its own, so that a second one waits for the first.
 */
export function tieout(args: readonly string[], options: RunOptions): Promise<Ran> {
  if (AT_START.some((name) => options.env?.[name] !== undefined)) return asProcess(args, options)
  const isSharing = SHARING.includes(args[0]!) && !args.includes('--jobs')
  const ran = before.then(() => runHere(isSharing ? [...args, '--jobs', '1'] : args, options))
  before = ran.catch(() => {})
  return ran
}

/** The words of a command line; what stands between quotes is one of them. */
export const wordsOf = (line: string): string[] =>
  [...line.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!)

/** What a command prints, and where it does not succeed says on stderr, too; it must end with this code. */
export async function says(
  code: number,
  command: string | readonly string[],
  options: RunOptions,
): Promise<string> {
  const args = typeof command === 'string' ? wordsOf(command) : command
  const ran = await tieout(args, options)
  assert.is(ran.code, code, `${args.join(' ')}: ${ran.out}${ran.err}`)
  return code === 0 ? ran.out : ran.out + ran.err
}

/** Without the line ends at which a terminal breaks. */
export const flat = (text: string): string => text.replace(/\s+/g, ' ')

async function runHere(args: readonly string[], { cwd, env, input = '' }: RunOptions): Promise<Ran> {
  const back = process.cwd()
  const undo = setVariables({ ...PLAIN, ...env })
  const [stdout, stderr] = [collected(), collected()]
  process.chdir(cwd)
  try {
    const code = await main(args, {
      stdin: Readable.from([input]),
      stdout: stdout.stream,
      stderr: stderr.stream,
    })
    return { code, out: stdout.text(), err: stderr.text() }
  } finally {
    process.chdir(back)
    undo()
  }
}

/** Sets variables of the environment, or removes them; returns what sets them back. */
function setVariables(variables: Readonly<Record<string, string | undefined>>): () => void {
  const earlier = Object.fromEntries(Object.keys(variables).map((name) => [name, process.env[name]]))
  for (const [name, value] of Object.entries(variables))
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  return () => void setVariables(earlier)
}

function collected(): { readonly stream: Writable; text(): string } {
  let all = ''
  const stream = new Writable({
    decodeStrings: false,
    write: (chunk: string | Uint8Array, _encoding, done) => {
      all += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString('utf8')
      done()
    },
  })
  return { stream, text: () => all }
}

/** What the command has printed up to and with `pattern`; fails where it ends before. */
export function printed(
  running: { readonly stdout: Readable } & PromiseLike<unknown>,
  pattern: RegExp,
): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    running.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      if (pattern.test(text)) resolve(text)
    })
    void running.then(() => reject(new Error(`ended without ${pattern}:\n${text}`)))
  })
}

/** A folder that is gone afterwards. */
export async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-cli-'))
  try {
    return await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A workspace with these companies. */
export const inWorkspaceOf = <T>(
  companies: Readonly<Record<string, Files>>,
  run: (root: string) => Promise<T>,
): Promise<T> =>
  inFolder((root) => {
    writeFileSync(join(root, 'tieout.yaml'), 'datasets: datasets\nsnapshots: snapshots\n')
    for (const [id, files] of Object.entries(companies)) writeFiles(join(root, 'datasets', id), files)
    return run(root)
  })

/** A small company that ties out; `entries` are further lines for its ledger. */
export const goodCompany = (id: string, entries = ''): Files => ({
  'company.yaml': companyYaml(`id: ${id}`),
  'chart.csv': CHART,
  'ledger.csv': ledgerCsv(
    `1 2025-01-01 bank 1000.00; 1 2025-01-01 capital -1000.00
     2 2025-02-10 bank 250.00; 2 2025-02-10 sales -250.00; ${entries}`,
  ),
})

/** One that does not: an amount that is none, an account that is unknown, and what does not balance for it. */
export const badCompany = (id: string): Files =>
  goodCompany(id, '3 2025-03-01 bank 12.5x; 3 2025-03-01 nowhere -12.50')

/** One SIE 4 file whose own closing balances agree with its vouchers. */
export const SIE = `#FLAGGA 0
#FORMAT PC8
#SIETYP 4
#PROGRAM "Test" 1.0
#GEN 20250110
#FNAMN "Liten AB"
#RAR 0 20240101 20241231
#KONTO 1930 "Bank"
#KTYP 1930 T
#KONTO 2081 "Aktiekapital"
#KTYP 2081 S
#KONTO 3001 "Intakter"
#KTYP 3001 I
#KONTO 5010 "Lokalhyra"
#KTYP 5010 K
#IB 0 1930 50000.00
#IB 0 2081 -50000.00
#UB 0 1930 58000.00
#UB 0 2081 -50000.00
#RES 0 3001 -12000.00
#RES 0 5010 4000.00
#VER A 1 20240115 "Faktura"
{
#TRANS 1930 {} 12000.00
#TRANS 3001 {} -12000.00
}
#VER A 2 20240220 "Hyra"
{
#TRANS 5010 {} 4000.00
#TRANS 1930 {} -4000.00
}
`
