/** `tieout completion`: a shell completes commands, options, their values, companies and snapshots, by asking the program itself. */
import { Argument, type Command } from 'commander'
import { action, examples } from './terminal/command.ts'

const SHELLS = ['bash', 'zsh', 'fish'] as const
type Shell = (typeof SHELLS)[number]

/** The script of each shell. It asks `tieout complete` for the words that may stand in the last place. */
const SCRIPTS: Readonly<Record<Shell, string>> = {
  bash: `_tieout() {
  local IFS=$'\\n'
  COMPREPLY=($(tieout complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _tieout tieout
`,
  zsh: `#compdef tieout
_tieout() {
  local -a found
  found=("\${(@f)$(tieout complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(\${found:#})
  if (( \${#found} )); then compadd -a found; else _files; fi
}
compdef _tieout tieout
`,
  fish: `complete -c tieout -a '(tieout complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'
`,
}

export function declareCompletion(program: Command): void {
  const command = program
    .command('completion')
    .summary('let a shell complete commands, options, companies and snapshots')
    .description(
      'Print a script for a shell, which then completes commands, options, their values, and the companies and snapshots of the workspace. Source it, or write it where the shell looks for such scripts.',
    )
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
  examples(
    command,
    'tieout completion bash > ~/.local/share/bash-completion/completions/tieout',
    'tieout completion zsh > ~/.zfunc/_tieout',
    'tieout completion fish > ~/.config/fish/completions/tieout.fish',
  )
  action<object, [shell: Shell]>(command, async ({ terminal }, _, [shell]) => {
    terminal.show({ shell, script: SCRIPTS[shell] }, () => SCRIPTS[shell].trimEnd())
  })
}

/** What the scripts call. `loadAll` declares all other commands, so that their names and options can be completed. */
export function declareComplete(program: Command, loadAll: () => Promise<void>): void {
  const command = program
    .command('complete', { hidden: true })
    .description('what may stand in the place of the last of these words')
    .argument('[word...]', 'what was typed after "tieout"; the last one is what is typed now')
  action(command, async ({ folder, terminal }, _, typed) => {
    await loadAll()
    const words = await completionsFor(
      program,
      typed.filter((word) => word !== undefined),
      folder,
    )
    terminal.show({ words }, () => words.join('\n'))
  })
}

/** The candidates that begin with the last word. */
async function completionsFor(program: Command, typed: readonly string[], folder: string): Promise<string[]> {
  const before = typed.slice(0, -1)
  const last = typed.at(-1) ?? ''
  const { command, given, awaiting } = commandOf(program, before)
  const candidates = awaiting
    ? (awaiting.argChoices ?? (await namesOf(awaiting.attributeName(), given[0], folder)))
    : last.startsWith('-')
      ? optionsOf(program, command)
      : [...subcommandsOf(command), ...(await argumentsOf(command, given, folder))]
  return candidates.filter((each) => each.startsWith(last)).sort()
}

type Option = Command['options'][number]

/** The command that the words name, the arguments that it was given, and the option whose value comes next. */
function commandOf(
  program: Command,
  words: readonly string[],
): { command: Command; given: string[]; awaiting: Option | null } {
  let command = program
  let awaiting: Option | null = null
  const given: string[] = []
  for (const word of words) {
    if (awaiting) {
      awaiting = null
      continue
    }
    if (word.startsWith('-')) {
      const option = [...command.options, ...program.options].find(
        (each) => each.long === word || each.short === word,
      )
      awaiting = option && (option.required || option.optional) ? option : null
      continue
    }
    const next = given.length === 0 ? command.commands.find((each) => each.name() === word) : undefined
    if (next) command = next
    else given.push(word)
  }
  return { command, given, awaiting }
}

const optionsOf = (program: Command, command: Command): string[] =>
  [...command.options, ...program.options].flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))

const subcommandsOf = (command: Command): string[] =>
  command
    .createHelp()
    .visibleCommands(command)
    .map((each) => each.name())

/** What may stand in the next argument; the last one of a command may take several. */
async function argumentsOf(command: Command, given: readonly string[], folder: string): Promise<string[]> {
  const all = command.registeredArguments
  const last = all.at(-1)
  const next = all[given.length] ?? (last?.variadic ? last : undefined)
  if (next === undefined) return []
  return [...(next.argChoices ?? (await namesOf(next.name(), given[0], folder)))]
}

const SNAPSHOT_ARGUMENTS: ReadonlySet<string> = new Set(['snapshot', 'old', 'new'])

/** Names that the workspace has for an argument or option; none where there is no workspace. */
async function namesOf(name: string, company: string | undefined, folder: string): Promise<string[]> {
  try {
    const { listCompanies, openWorkspace } = await import('../builder/workspace/workspace.ts')
    const workspace = openWorkspace(folder)
    if (name === 'company') return [...listCompanies(workspace)]
    if (!SNAPSHOT_ARGUMENTS.has(name) || company === undefined) return []
    const { listSnapshotIds } = await import('../builder/snapshot/files/open.ts')
    return await listSnapshotIds(workspace.snapshots, company)
  } catch {
    return []
  }
}
