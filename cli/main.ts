/**
 * The command `tieout`: its commands, its options, and the translation of failures. First file of the room that
 * owns the terminal and the exit codes. Must not compute anything itself.
 */
import type { Command } from 'commander'
import { buildName } from '../builder/system/version.ts'
import { Program } from './terminal/command.ts'
import { EXIT, type ExitCode, failureOf } from './terminal/exit.ts'
import { findingsText } from './terminal/findings.ts'
import { type Io, Terminal, wantsColour, wrap } from './terminal/terminal.ts'

/** Commands in the order in which a new user needs them. Each is loaded only when it is called. */
const COMMANDS = new Map<string | undefined, () => Promise<(program: Command) => void>>([
  ['init', async () => (await import('./init.ts')).declareInit],
  ['add', async () => (await import('./add.ts')).declareAdd],
  ['check', async () => (await import('./build.ts')).declareCheck],
  ['build', async () => (await import('./build.ts')).declareBuild],
  ['show', async () => (await import('./show.ts')).declareShow],
  ['open', async () => (await import('./report.ts')).declareOpen],
  ['report', async () => (await import('./report.ts')).declareReport],
  ['serve', async () => (await import('./serve.ts')).declareServe],
  ['start', async () => (await import('./start.ts')).declareStart],
  ['review', async () => (await import('./review.ts')).declareReview],
  ['approve', async () => (await import('./approve.ts')).declareApprove],
  ['reject', async () => (await import('./approve.ts')).declareReject],
  ['approvers', async () => (await import('./approvers.ts')).declareApprovers],
  ['snapshots', async () => (await import('./snapshots.ts')).declareSnapshots],
  ['close', async () => (await import('./close.ts')).declareClose],
  ['reopen', async () => (await import('./close.ts')).declareReopen],
  ['rules', async () => (await import('./rules.ts')).declareRules],
  ['use', async () => (await import('./use.ts')).declareUse],
  ['prune', async () => (await import('./prune.ts')).declarePrune],
  ['verify', async () => (await import('./verify.ts')).declareVerify],
  ['diff', async () => (await import('./diff.ts')).declareDiff],
  ['archive', async () => (await import('./archive.ts')).declareArchive],
  ['evidence', async () => (await import('./evidence.ts')).declareEvidence],
  ['restore', async () => (await import('./restore.ts')).declareRestore],
  ['export', async () => (await import('./export.ts')).declareExport],
  ['proof', async () => (await import('./proof.ts')).declareProof],
  ['trial-balance', async () => (await import('./trial-balance.ts')).declareTrialBalance],
  ['ageing', async () => (await import('./audit/ageing.ts')).declareAgeing],
  ['journal-tests', async () => (await import('./audit/journal-tests.ts')).declareJournalTests],
  ['bridge', async () => (await import('./audit/bridge.ts')).declareBridge],
  ['sample', async () => (await import('./audit/sample.ts')).declareSample],
  ['explain', async () => (await import('./explain.ts')).declareExplain],
  ['enqueue', async () => (await import('./queue/enqueue.ts')).declareEnqueue],
  ['worker', async () => (await import('./queue/worker.ts')).declareWorker],
  ['status', async () => (await import('./queue/status.ts')).declareStatus],
  ['doctor', async () => (await import('./doctor/doctor.ts')).declareDoctor],
  ['user', async () => (await import('./user.ts')).declareUser],
  ['client', async () => (await import('./client.ts')).declareClient],
  ['token', async () => (await import('./token.ts')).declareToken],
  ['grants', async () => (await import('./grants.ts')).declareGrants],
  ['state', async () => (await import('./state.ts')).declareState],
  ['keys', async () => (await import('./keys.ts')).declareKeys],
  ['completion', async () => (await import('./completion.ts')).declareCompletion],
  [
    'complete',
    async () => {
      const { declareComplete } = await import('./completion.ts')
      return (program) => declareComplete(program, () => loadOthers(program))
    },
  ],
])

function makeProgram(argv: readonly string[], io: Io): Program {
  const program = new Program('tieout', io)
    .description(
      'Financial statements as dated, immutable, verifiable snapshots, and an API that serves them.',
    )
    .version(buildName(), '-V, --version', 'the version of this program')
    .helpOption('-h, --help', 'how to use a command')
    .helpCommand('help [command]', 'the same as --help')
    .option(
      '-C, --workspace <dir>',
      'where tieout.yaml is, here or in a folder above it (default: the current folder)',
    )
    .option('--json', 'print one JSON document on stdout, for programs')
    .option('--verbose', 'show long lists in full')
    .option('--debug', 'show where in the program a failure arose')
    .configureHelp({ showGlobalOptions: true, styleTitle: terminalFor(argv, io).paint.bold })
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      getOutHelpWidth: () => io.stdout.columns ?? 80,
      getErrHelpWidth: () => io.stderr.columns ?? 80,
      getOutHasColors: () => wantsColour(io.stdout),
      getErrHasColors: () => wantsColour(io.stderr),
      // The catch below reports every failure, once.
      outputError: () => {},
    })
    .exitOverride()
    .addHelpText(
      'after',
      '\nExit codes: 0 done, 1 failed, 2 wrong usage, 3 findings in the input, 5 waits for approval; of "verify" also 4 figures\nthat this version of the program computes otherwise, 6 sources that were not kept.\n"tieout <command> --help" shows examples of each.',
    )
  return program
}

/** All commands that the program does not have yet. */
async function loadOthers(program: Command): Promise<void> {
  const there = new Set(program.commands.map((command) => command.name()))
  for (const [name, load] of COMMANDS) if (name === undefined || !there.has(name)) (await load())(program)
}

/**
 * Runs the command that `argv` calls, which stands behind the name of the program, and returns its exit code. All commands are
 * loaded where the call names none or an unknown one, so that the help can list them.
 */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  const program = makeProgram(argv, io)
  try {
    const named = COMMANDS.get(program.parseOptions([...argv]).operands[0])
    if (named) (await named())(program)
    else await loadOthers(program)
    await program.parseAsync(argv, { from: 'user' })
    return program.exitCode
  } catch (problem) {
    return report(problem, argv, io)
  }
}

function terminalFor(argv: readonly string[], io: Io): Terminal {
  const asked = (flag: string): boolean => argv.includes(flag)
  return new Terminal(io, { json: asked('--json'), verbose: asked('--verbose'), debug: asked('--debug') })
}

/** Says why the command failed, and returns the exit code for it. */
export function report(problem: unknown, argv: readonly string[], io: Io): ExitCode {
  const { exitCode, code, message, findings } = failureOf(problem)
  if (exitCode === EXIT.done) return exitCode
  const terminal = terminalFor(argv, io)
  terminal.trace(problem)
  const { json, verbose, notePaint } = terminal
  if (json) {
    io.stdout.write(`${JSON.stringify({ error: { code, message, findings } }, null, 2)}\n`)
    return exitCode
  }
  const width = io.stderr.isTTY ? io.stderr.columns || 80 : Number.POSITIVE_INFINITY
  terminal.note(
    findings.length > 0
      ? findingsText(findings, { verbose, width, paint: notePaint })
      : `${notePaint.red('error')}    ${wrap(message, width, 9)}`,
  )
  if (exitCode === EXIT.usage) terminal.note('"tieout --help" and "tieout <command> --help" say how.')
  return exitCode
}
