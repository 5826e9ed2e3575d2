/** Shared by all commands: examples under --help, the folder and terminal to work with, and the exit code. */
import { Command } from 'commander'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { EXIT, type ExitCode } from './exit.ts'
import { type Changing, openToChange, openToRead } from './location.ts'
import { type Io, Terminal } from './terminal.ts'

/** The program `tieout`; the other files declare its commands. */
export class Program extends Command {
  readonly io: Io
  /** The exit code of the command that ran. */
  exitCode: ExitCode = EXIT.done

  constructor(name: string, io: Io) {
    super(name)
    this.io = io
  }
}

function programOf(command: Command): Program {
  let outermost = command
  while (outermost.parent !== null) outermost = outermost.parent
  if (outermost instanceof Program) return outermost
  throw new Error(`${command.name()} is no part of the program`)
}

export interface Surroundings {
  readonly terminal: Terminal
  /** The folder in which, and above which, tieout.yaml is searched. */
  readonly folder: string
  /** Opens the workspace there. */
  open(): Promise<Workspace>
  /** Opens it with what is published of these companies; null stands for all. */
  read(companies: readonly string[] | null): Promise<Workspace>
  /** Opens it to change what is published. */
  changing(): Promise<Changing>
}

interface GlobalOptions {
  readonly workspace?: string
  readonly json?: boolean
  readonly verbose?: boolean
  readonly debug?: boolean
}

/** Adds examples below the help text; each line is a command that can be typed as it stands. */
export function examples(command: Command, ...lines: readonly string[]): Command {
  return command.addHelpText('after', `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}`)
}

/**
 * Runs `work` with the command's arguments and options. `work` imports the builder or the server itself, so that
 * `tieout --help` loads neither. `Args` are the arguments in the order in which the command declares them:
 * commander refuses a call that lacks a required one before `work` runs.
 */
export function action<
  Options extends object,
  Args extends readonly (string | undefined)[] = readonly string[],
>(
  command: Command,
  work: (at: Surroundings, options: Options, args: Args) => Promise<ExitCode | undefined>,
): void {
  command.action(async () => {
    const {
      workspace: folder = '.',
      json = false,
      verbose = false,
      debug = false,
    } = command.optsWithGlobals<GlobalOptions>()
    const program = programOf(command)
    const terminal = new Terminal(program.io, { json, verbose, debug })
    const given = command.processedArgs.flat() as [...Args]
    const at: Surroundings = {
      ...{ terminal, folder },
      open: async () => (await import('../../builder/workspace/workspace.ts')).openWorkspace(folder),
      read: (companies) => openToRead(folder, companies, terminal),
      changing: () => openToChange(folder, terminal),
    }
    program.exitCode = (await work(at, command.opts<Options>(), given)) ?? EXIT.done
  })
}
