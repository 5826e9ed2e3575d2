/**
 * The command `tieout`: its commands, its options, and the translation of failures. First file of the room that
 * owns the terminal and the exit codes. Must not compute anything itself.
 */
import { Command } from 'commander'
import { VERSION } from '../builder/workspace/version.ts'
import { keepCompiledCode } from './compile-cache.ts'
import { EXIT, failureOf } from './exit.ts'
import { findingsText } from './findings.ts'
import { stopOnSignals } from './stopping.ts'
import { print, Terminal, wantsColour, wrap } from './terminal.ts'

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
  ['explain', async () => (await import('./explain.ts')).declareExplain],
  ['enqueue', async () => (await import('./queue/enqueue.ts')).declareEnqueue],
  ['worker', async () => (await import('./queue/worker.ts')).declareWorker],
  ['status', async () => (await import('./queue/status.ts')).declareStatus],
  ['doctor', async () => (await import('./doctor.ts')).declareDoctor],
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
    .option('--json', 'print one JSON document on stdout, for programs')
    .option('--verbose', 'show long lists in full')
    .option('--debug', 'show where in the program a failure arose')
    .configureHelp({ showGlobalOptions: true, styleTitle: terminal().paint.bold })
    .configureOutput({
      getOutHasColors: () => wantsColour(process.stdout),
      getErrHasColors: () => wantsColour(process.stderr),
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
 * Runs the command that was called. All commands are loaded where the call names none or an unknown one, so that
 * the help can list them.
 */
async function run(): Promise<void> {
  const program = makeProgram()
  const named = COMMANDS.get(program.parseOptions(process.argv.slice(2)).operands[0])
  if (named) (await named())(program)
  else await loadOthers(program)
  await program.parseAsync()
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
  print(process.stderr, text)
  if (exitCode === EXIT.usage)
    process.stderr.write('"tieout --help" and "tieout <command> --help" say how.\n')
}

// In "tieout check | head" the reader closes the pipe once it has read enough.
process.stdout.on('error', (problem: NodeJS.ErrnoException) => {
  if (problem.code === 'EPIPE') process.exit(process.exitCode ?? 0)
  report(Object.assign(problem, { path: 'the output' }))
  process.exit()
})

keepCompiledCode()
stopOnSignals((message) => print(process.stderr, message))

/** An end before the command is through, for a promise that nobody settles, must not look like success. */
let isThrough = false
process.once('beforeExit', () => {
  if (!isThrough) report(new Error('the command ended before its work was done'))
})

run()
  .catch(report)
  .finally(() => {
    isThrough = true
  })
