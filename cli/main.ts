#!/usr/bin/env node
/** The command `tieout`: its commands, its options, and what becomes of every failure. Holds no logic of its own. */
import { Command } from 'commander'
import { VERSION } from '../builder/version.ts'
import { declareAdd } from './add.ts'
import { declareArchive } from './archive.ts'
import { declareBuild } from './build.ts'
import { declareCheck } from './check.ts'
import { declareClient } from './client.ts'
import { declareDiff } from './diff.ts'
import { EXIT, failureOf } from './exit.ts'
import { declareExplain } from './explain.ts'
import { declareExport } from './export.ts'
import { findingsText } from './findings.ts'
import { declareGrants } from './grants.ts'
import { declareInit } from './init.ts'
import { declareKeys } from './keys.ts'
import { declareProof } from './proof.ts'
import { declarePrune } from './prune.ts'
import { declareRestore } from './restore.ts'
import { declareServe } from './serve.ts'
import { declareSnapshots } from './snapshots.ts'
import { declareStart } from './start.ts'
import { Terminal, wantsColour, wrap } from './terminal.ts'
import { declareToken } from './token.ts'
import { declareTrialBalance } from './trial-balance.ts'
import { declareUse } from './use.ts'
import { declareUser } from './user.ts'
import { declareVerify } from './verify.ts'

/** In the order in which a new user needs them. */
const COMMANDS = [
  declareInit,
  declareAdd,
  declareCheck,
  declareBuild,
  declareServe,
  declareStart,
  declareSnapshots,
  declareUse,
  declarePrune,
  declareVerify,
  declareDiff,
  declareArchive,
  declareRestore,
  declareExport,
  declareProof,
  declareTrialBalance,
  declareExplain,
  declareUser,
  declareClient,
  declareToken,
  declareGrants,
  declareKeys,
]

const asked = (flag: string): boolean => process.argv.includes(flag)

function makeProgram(): Command {
  const program = new Command('tieout')
    .description(
      'Financial statements as dated, immutable, verifiable snapshots, and an API that serves them.',
    )
    .version(VERSION, '-V, --version', 'the version of this program')
    .helpOption('-h, --help', 'how to use a command')
    .helpCommand('help [command]', 'the same as --help')
    .option(
      '-C, --workspace <dir>',
      'where tieout.yaml is, here or in a folder above it (default: the current folder)',
    )
    .option('--json', 'one JSON document on stdout, for machines')
    .option('--verbose', 'leave nothing out of long lists')
    .option('--debug', 'where in the program a failure arose')
    .configureHelp({ showGlobalOptions: true, styleTitle: terminal().paint.bold })
    .configureOutput({
      getOutHasColors: () => wantsColour(process.stdout),
      getErrHasColors: () => wantsColour(process.stderr),
      // A failure is told once, below.
      outputError: () => {},
    })
    .exitOverride()
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 findings in the input.\n"tieout <command> --help" shows examples of each.',
    )
  for (const declare of COMMANDS) declare(program)
  return program
}

function terminal(): Terminal {
  return new Terminal({ json: asked('--json'), verbose: asked('--verbose'), debug: asked('--debug') })
}

function report(problem: unknown): void {
  const { exitCode, code, message, findings } = failureOf(problem)
  process.exitCode = exitCode
  if (exitCode === EXIT.done) return
  const shown = terminal()
  shown.trace(problem)
  const { json, verbose, notePaint } = shown
  if (json) {
    process.stdout.write(`${JSON.stringify({ error: { code, message, findings } }, null, 2)}\n`)
    return
  }
  const width = process.stderr.isTTY ? process.stderr.columns || 80 : Number.POSITIVE_INFINITY
  const text =
    findings.length > 0
      ? findingsText(findings, { verbose, width, paint: notePaint })
      : `${notePaint.red('error')}    ${wrap(message, width, 9)}`
  process.stderr.write(`${text}\n`)
  if (exitCode === EXIT.usage)
    process.stderr.write('"tieout --help" and "tieout <command> --help" say how.\n')
}

// "tieout check | head": whoever reads has read enough.
process.stdout.on('error', (problem: NodeJS.ErrnoException) => {
  if (problem.code === 'EPIPE') process.exit(process.exitCode ?? 0)
  throw problem
})

makeProgram().parseAsync().catch(report)
