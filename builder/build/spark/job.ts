/**
 * Runs the command that hands a job to the cluster, and waits for it. Nothing of its arguments or of the values of secret environment
 * variables appears in messages or in the log that is kept.
 */

import { closeSync, openSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { execa } from 'execa'
import { present } from '../../contract/present.ts'
import { writeWhole } from '../../system/effects.ts'
import { undoWhenStopped } from '../../system/interrupt.ts'
import { error, FindingsError } from '../../workspace/findings/finding.ts'
import { makeStateFolder } from '../../workspace/state-folder.ts'
import type { Workspace } from '../../workspace/workspace.ts'
export interface JobCommand {
  /** The program and its arguments. */
  readonly command: readonly string[]
  readonly cwd: string
  /** The file for everything that it says. */
  readonly log: string
  /** `total` is null until the first stage has begun. */
  readonly progress: (done: number, total: number | null) => void
}

/** Runs statements from a file in the scratch folder, with a log of this name. Throws {@link FindingsError} as {@link runJob} does. */
export async function runStatements(
  sql: string,
  scratch: string,
  name: string,
  { root, state, engine }: Pick<Workspace, 'root' | 'state' | 'engine'>,
  progress: JobCommand['progress'] = () => {},
): Promise<void> {
  const script = join(scratch, 'job.sql')
  writeWhole(script, sql, { mode: 0o600 })
  const log = join(makeStateFolder(state, 'engine'), `${name}.log`)
  await runJob(script, { command: engine.command, cwd: root, log, progress })
}

/** Runs the statements in the file `script`. Throws {@link FindingsError} if the command cannot be started or fails. */
async function runJob(script: string, { command, cwd, log, progress }: JobCommand): Promise<void> {
  const [program, ...args] = command
  const named = args.some((arg) => arg.includes(SCRIPT))
  const given = named ? args.map((arg) => arg.replaceAll(SCRIPT, script)) : [...args, '-f', script]
  const lines = openSync(log, 'w', 0o600)
  const hide = hiding(process.env)
  let why: Why | null = null
  // The command has a process group of its own, so that undoWhenStopped ends it on Ctrl-C with all processes that it started.
  const child = execa(present(program, 'program in the command'), given, {
    cwd,
    all: true,
    buffer: false,
    detached: true,
    reject: false,
    stdin: 'ignore',
    env: { SPARK_SUBMIT_OPTS: `${SHOWS_PROGRESS} ${process.env.SPARK_SUBMIT_OPTS ?? ''}`.trim() },
  })
  const forget = undoWhenStopped(() => endGroup(child.pid))
  progress(0, null)
  try {
    // The progress of a stage is written over itself, with carriage returns.
    for await (const line of createInterface({ input: present(child.all, 'output of the command') })) {
      const said = hide(line)
      const stage = STAGE.exec(said)
      if (stage !== null) progress(Number(stage[1]), Number(stage[2]))
      else if (said.trim() !== '') writeSync(lines, `${said}\n`)
      why = reasonInLine(said, why)
    }
    const { exitCode, signal, code, failed } = await child
    if (!failed) return
    if (code === 'ENOENT') throw cannotStart(program)
    throw jobFailed(endOf(exitCode, signal ?? code), why, log)
  } finally {
    forget()
    closeSync(lines)
  }
}

/** Stands for the file with the statements in the arguments of a command. */
const SCRIPT = '{sql}'

/**
 * Makes spark-sql show its progress, as spark-shell does by itself. Options of the environment and of tieout.yaml come
 * later and count more.
 */
const SHOWS_PROGRESS = '-Dspark.ui.showConsoleProgress=true'

/** `[Stage 3:=====>      (5 + 2) / 16]` */
const STAGE = /\[Stage \d+:.*\((\d+) \+ \d+\) \/ (\d+)\]/

function endOf(exitCode: number | undefined, cause: string | undefined): string {
  if (exitCode !== undefined) return `ended with exit code ${exitCode}`
  return cause === 'SIGKILL'
    ? 'was killed, by somebody or by the system for want of memory'
    : `was ended by ${cause}`
}

const SECRET = /SECRET|PASSWORD|TOKEN|CREDENTIAL|ACCESS_KEY|PRIVATE_KEY/i

/** Replaces the values of secret environment variables in a text. */
function hiding(env: NodeJS.ProcessEnv): (text: string) => string {
  const secrets = Object.entries(env).flatMap(([name, value]) =>
    SECRET.test(name) && value !== undefined && value.length >= 6 ? [value] : [],
  )
  return (text) => secrets.reduce((said, secret) => said.replaceAll(secret, '…'), text)
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGTERM')
  } catch {
    // The process ended by itself meanwhile.
  }
}

const cannotStart = (program: string | undefined): FindingsError =>
  new FindingsError([
    error(
      'engine-failed',
      `the command of the engine, "${program}", cannot be started: there is no such program`,
      {
        remedy: 'install Spark on this machine, or name its spark-sql as engine.command in tieout.yaml',
      },
    ),
  ])

const jobFailed = (what: string, why: Why | null, log: string): FindingsError =>
  new FindingsError([
    error(
      'engine-failed',
      `the job of the engine ${what}${why === null ? '' : `: ${why.reason}`}; nothing was published`,
      {
        remedy: `${why?.remedy ? `${why.remedy}; ` : ''}what it said stands in ${log}`,
      },
    ),
  ])

interface Why {
  readonly reason: string
  /** Null where it is not known what to do. */
  readonly remedy: string | null
}

interface KnownFailure {
  readonly said: RegExp
  /** Stands in place of what Spark says; null where that names the reason well enough. */
  readonly reason: string | null
  readonly remedy: string
}

const KNOWN: readonly KnownFailure[] = [
  {
    said: /All masters are unresponsive/,
    reason: 'no master of the cluster answers',
    remedy: 'start it, or correct its address in engine.command of tieout.yaml',
  },
  {
    said: /No space left on device|Disk quota exceeded/,
    reason: 'a disk is full',
    remedy: 'make room in engine.scratch of tieout.yaml, and on the disks of the workers',
  },
  {
    said: /S3AFileSystem not found|No FileSystem for scheme|UNSUPPORTED_FILE_SYSTEM/i,
    reason: null,
    remedy:
      'give the cluster hadoop-aws: "--packages", "org.apache.hadoop:hadoop-aws:3.4.1" in engine.command of tieout.yaml, of the version of its Hadoop; if it calls buckets otherwise (s3:// or s3a://), write that under "table"',
  },
  {
    said: /NoAuthWithAWSException|NoAwsCredentialsException|Unable to load credentials|No AWS Credentials/i,
    reason: null,
    remedy:
      'give the cluster credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment, or a role; never as an argument',
  },
  {
    said: /AccessDeniedException.*s3|status code: 403/i,
    reason: null,
    remedy:
      'allow the credentials of the cluster s3:GetObject and s3:ListBucket; they need not be those of Tieout',
  },
]

/** Spark names the kind of an error in brackets, or the class of an exception. */
const ERROR =
  /^(?:Caused by: |Error in query: |Exception in thread "[^"]*" )?(\[[A-Z][A-Z0-9_.]+\] .+|(?:[\w$]+\.)+[\w$]*(?:Exception|Error): .+)$/

/** The reason that a line of the log gives. A known one counts more than any other, and a later error more than an earlier one. */
function reasonInLine(line: string, before: Why | null): Why | null {
  const told = ERROR.exec(line.trim())?.[1]?.slice(0, 400)
  const known = KNOWN.find(({ said, reason }) => said.test(reason === null ? (told ?? '') : line))
  const reason = known?.reason ?? told
  if (reason === undefined || (known === undefined && before?.remedy)) return before
  return { reason, remedy: known?.remedy ?? null }
}
