/** `tieout state`: the database in which servers keep their state: its schema, and taking over what another place has kept. */
import type { Command } from 'commander'
import type { StatePlace } from '../builder/workspace/workspace.ts'
import { declareBackup } from './grants.ts'
import { action, examples } from './terminal/command.ts'
import { UsageError } from './terminal/exit.ts'
import { plural } from './terminal/terminal.ts'

export function declareState(program: Command): void {
  const state = program
    .command('state')
    .summary('prepare the database of the state, back up and restore a state')
    .description(
      'The state of servers (sign-ins, grants, keys) in the PostgreSQL database that "state" of tieout.yaml names, or in files.',
    )
  declareMigrate(state)
  declareBackup(state)
  declareRestore(state)
  declareAccess(state)
}

function declareMigrate(state: Command): void {
  const migrate = state
    .command('migrate')
    .description(
      'Make the tables of the state in its database, or bring them to this version. Servers do so themselves when they start, where their user may; this is for those whose user may not.',
    )
  examples(migrate, 'tieout state migrate', 'PGUSER=owner tieout state migrate')
  action(migrate, async ({ terminal, open }) => {
    const { migrate } = await import('../serve/store/postgres/schema.ts')
    const { from, to } = await migrate(databaseOf((await open()).server.state))
    terminal.show({ from, to }, () =>
      from === to
        ? `The state has version ${to} of its schema: there was nothing to do.`
        : `The state has version ${to} of its schema now; it had ${from === 0 ? 'none' : from}.`,
    )
  })
}

function databaseOf({ database }: StatePlace): string {
  if (database !== null) return database
  throw new UsageError(
    'tieout.yaml names no database for the state; write its address there, such as "state: postgres://tieout@db.example.com/tieout"',
  )
}

function declareRestore(state: Command): void {
  const restore = state
    .command('restore')
    .description(
      'Take over grants, sign-ins and keys from a copy that "tieout state backup" made, or from the folder oauth of a server that kept its state in files, into an empty state. Clients go on with the tokens that they have.',
    )
    .requiredOption('--from <folder>', 'the copy, or the folder oauth of a stopped server')
    .option('--replace', 'put aside what the state in files of this machine has; its server must be stopped')
  examples(
    restore,
    'tieout state restore --from /backup/2026-11-23/oauth',
    'tieout state restore --from .tieout/oauth',
  )
  action<{ from: string; replace?: boolean }>(
    restore,
    async ({ terminal, open }, { from, replace = false }) => {
      const { restoreState } = await import('../serve/oauth/state/restore-state.ts')
      const { grants, replaced } = await restoreState((await open()).server.state, from, { replace })
      const before = replaced === null ? '' : ` What was there before is in ${replaced}.`
      terminal.show(
        { from, grants, replaced },
        () => `${plural(grants, 'grant is', 'grants are')} restored from ${from}.${before}`,
      )
    },
  )
}

function declareAccess(state: Command): void {
  const access = state
    .command('access')
    .description(
      'Put users and clients into the database of the state, where all servers read them from then on in place of the access.yaml of their machines: "tieout user" and "tieout client" change them there, from any machine. Or write them into a file, to edit or to keep it.',
    )
    .option('--from <file>', 'the access.yaml to put there, in place of what is there')
    .option('--to <file>', 'a new file for what is there')
  examples(access, 'tieout state access --from access.yaml', 'tieout state access --to /backup/access.yaml')
  action<{ from?: string; to?: string }>(access, async ({ terminal, open }, { from, to }) => {
    if ((from === undefined) === (to === undefined)) throw new UsageError('one of --from and --to is needed')
    const { putAccess, takeAccess } = await import('../serve/oauth/state/shared-access.ts')
    const database = databaseOf((await open()).server.state)
    const done = to === undefined ? await putAccess(database, String(from)) : await takeAccess(database, to)
    const what = `${plural(done.users, 'user')} and ${plural(done.clients, 'client')}`
    terminal.show({ ...done, ...(to === undefined ? { from } : { to }) }, () =>
      to === undefined
        ? `${terminal.paint.green('Put')} ${what} into the database. All servers read them there within seconds, and access.yaml of their machines no longer.`
        : `${terminal.paint.green('Wrote')} ${what} into ${to}.`,
    )
  })
}
