/** `tieout init`: makes an empty workspace. */
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { action, examples } from './terminal/command.ts'

export function declareInit(program: Command): void {
  const command = program
    .command('init')
    .summary('make an empty workspace')
    .description(
      'Make an empty workspace: tieout.yaml, datasets/, snapshots/, and a .gitignore that leaves out keys and state.',
    )
    .argument('[dir]', 'its folder; made where it does not exist', '.')
  examples(command, 'tieout init', 'tieout init bookkeeping')
  action(command, async ({ terminal, folder }, _options, [dir = '.']) => {
    const { initWorkspace } = await import('../builder/workspace/init.ts')
    const { root, created } = initWorkspace(resolve(folder, dir))
    terminal.show({ root, created }, () =>
      [
        `${terminal.paint.green('Made')} a workspace in ${root}`,
        ...created.map((name) => `  ${name}`),
        '',
        'Next: tieout add <company-id> <export files>',
      ].join('\n'),
    )
  })
}
