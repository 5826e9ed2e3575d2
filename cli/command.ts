/** What every command shares: its examples under --help, its surroundings, its exit code. */
import type { Command } from 'commander'
import type { ExitCode } from './exit.ts'
import { Terminal } from './terminal.ts'

export interface Surroundings {
  readonly terminal: Terminal
  /** Where the workspace is looked for, upwards. */
  readonly folder: string
}

interface GlobalOptions {
  readonly workspace?: string
  readonly json?: boolean
  readonly verbose?: boolean
  readonly debug?: boolean
}

/** Lines under the help text; each a command that can be typed as it stands. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}

/**
 * Runs `work` with the command's arguments and options. What it needs of the builder or the server it imports itself,
 * when it runs: `tieout --help` loads none of it.
 */
export function action<Options extends object>(
  command: Command,
  work: (at: Surroundings, options: Options, args: readonly string[]) => Promise<ExitCode | undefined>,
): void {
  command.action(async () => {
    const {
      workspace = '.',
      json = false,
      verbose = false,
      debug = false,
      ...options
    } = command.optsWithGlobals<GlobalOptions & Options>()
    const terminal = new Terminal({ json, verbose, debug })
    const code = await work(
      { terminal, folder: workspace },
      options as unknown as Options,
      command.processedArgs.flat(),
    )
    process.exitCode = code ?? 0
  })
}
