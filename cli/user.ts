/** `tieout user`: sets who may sign in, with which password, and which companies they may see. */
import type { Command } from 'commander'
import type { Workspace } from '../builder/workspace/workspace.ts'
import { action, examples, type Surroundings } from './terminal/command.ts'
import { UsageError } from './terminal/exit.ts'
import { readPassword } from './terminal/password.ts'

interface AddOptions {
  readonly firstName: string
  readonly lastName: string
  readonly company: readonly string[]
  readonly ledger?: readonly string[]
  readonly passwordStdin?: boolean
}

const LEDGER_OPTION =
  'of these companies, those whose entries the user may see on pages of accounts (default: none)'

export function declareUser(program: Command): void {
  const user = program
    .command('user')
    .summary('set who may sign in, and what they may see')
    .description('Set who may sign in, and which companies they may see.')
  declareUserAdd(user)
  declareSetPassword(user)
  declareSetCompanies(user)
  declareUserRemove(user)
}

function declareUserAdd(user: Command): void {
  const add = user
    .command('add')
    .description(
      'Add a user. The password is asked for, read from stdin, or made up and printed once; only its hash is stored.',
    )
    .argument('<email>', 'the address the user signs in with')
    .requiredOption('--first-name <name>', 'first name')
    .requiredOption('--last-name <name>', 'last name')
    .requiredOption('--company <id...>', 'the companies that the user may see')
    .option('--ledger <id...>', LEDGER_OPTION)
    .option('--password-stdin', 'read the password from stdin, without the line end')
  examples(
    add,
    'tieout user add ann@example.com --first-name Ann --last-name Berg --company harbor nordvik',
    'tieout user add ann@example.com --first-name Ann --last-name Berg --company harbor --password-stdin <secret.txt',
  )
  action<AddOptions, [email: string]>(add, async ({ terminal, open }, options, [email]) => {
    const workspace = await open()
    await noteUnknownCompanies(workspace, options.company, terminal)
    const { addUser } = await import('../builder/workspace/access/access-edit.ts')
    const { withAccess } = await import('../serve/oauth/state/shared-access.ts')
    const password = await passwordOf(options, terminal)
    const added = await withAccess(workspace, (place, access) => {
      if (access.userByEmail(email) !== undefined)
        throw new UsageError(
          `there is a user ${email} already: "tieout user set-companies" changes what they may see, "tieout user set-password" their password`,
        )
      return addUser(place, {
        email,
        firstName: options.firstName,
        lastName: options.lastName,
        companies: options.company,
        ...(options.ledger ? { ledger: options.ledger } : {}),
        ...(password === undefined ? {} : { password }),
      })
    })
    const made = password === undefined ? added.password : null
    terminal.show({ id: added.id, email, companies: options.company, password: made }, () =>
      [
        `${terminal.paint.green('Added')} ${email}, who may see ${options.company.join(', ')}.`,
        ...madePassword(made),
      ].join('\n'),
    )
  })
}

function declareSetPassword(user: Command): void {
  const set = user
    .command('set-password')
    .description('Give a user a new password. Everything that the user has granted until now ends.')
    .argument('<email>', 'the address the user signs in with')
    .option('--password-stdin', 'read the password from stdin, without the line end')
  examples(set, 'tieout user set-password ann@example.com')
  action<{ passwordStdin?: boolean }, [email: string]>(set, async ({ terminal, open }, options, [email]) => {
    const workspace = await open()
    const { setPassword } = await import('../builder/workspace/access/access-edit.ts')
    const { withAccess } = await import('../serve/oauth/state/shared-access.ts')
    const id = await userIdOf(workspace, email)
    const password = await passwordOf(options, terminal)
    const set = await withAccess(workspace, (place) => setPassword(place, id, password))
    const made = password === undefined ? set.password : null
    terminal.show({ id, email, password: made }, () =>
      [`${terminal.paint.green('Changed')} the password of ${email}.`, ...madePassword(made)].join('\n'),
    )
  })
}

function declareSetCompanies(user: Command): void {
  const set = user
    .command('set-companies')
    .description('Set which companies a user may see. It takes effect at once.')
    .argument('<email>', 'the address the user signs in with')
    .argument('[company...]', 'all companies that the user may see from now on; none takes all away')
    .option('--ledger <id...>', LEDGER_OPTION)
  examples(
    set,
    'tieout user set-companies ann@example.com harbor nordvik',
    'tieout user set-companies ann@example.com harbor nordvik --ledger harbor',
  )
  action<Pick<AddOptions, 'ledger'>, [email: string, ...companies: string[]]>(
    set,
    async ({ terminal, open }, { ledger = [] }, [email, ...companies]) => {
      const workspace = await open()
      await noteUnknownCompanies(workspace, companies, terminal)
      const { setCompanies } = await import('../builder/workspace/access/access-edit.ts')
      const { withAccess } = await import('../serve/oauth/state/shared-access.ts')
      const id = await userIdOf(workspace, email)
      await withAccess(workspace, (place) => setCompanies(place, id, companies, ledger))
      terminal.show(
        { id, email, companies, ledger },
        () => `${email} may see ${companies.length > 0 ? companies.join(', ') : 'no company'} from now on.`,
      )
    },
  )
}

function declareUserRemove(user: Command): void {
  const remove = user
    .command('remove')
    .description('Remove a user. Their sessions, and everything that they have granted, end at once.')
    .argument('<email>', 'the address the user signs in with')
  examples(remove, 'tieout user remove ann@example.com')
  action<object, [email: string]>(remove, async ({ terminal, open }, _options, [email]) => {
    const workspace = await open()
    const { removeUser } = await import('../builder/workspace/access/access-edit.ts')
    const { withAccess } = await import('../serve/oauth/state/shared-access.ts')
    const id = await userIdOf(workspace, email)
    await withAccess(workspace, (place) => removeUser(place, id))
    terminal.show({ id, email }, () => `${terminal.paint.green('Removed')} ${email}.`)
  })
}

async function userIdOf(workspace: Workspace, email: string): Promise<string> {
  const { withAccess } = await import('../serve/oauth/state/shared-access.ts')
  const user = await withAccess(workspace, async (_place, access) => access.userByEmail(email))
  if (user === undefined) throw new UsageError(`there is no user ${email} in access.yaml`)
  return user.id
}

/** Notes unknown company ids. Access may be given before a company exists, but a spelling mistake should be seen. */
async function noteUnknownCompanies(
  workspace: Workspace,
  ids: readonly string[],
  terminal: Surroundings['terminal'],
): Promise<void> {
  const { listCompanies } = await import('../builder/workspace/workspace.ts')
  const { openLocation } = await import('../builder/snapshot/places/open.ts')
  const published = await (await openLocation(workspace)).companies()
  const known = new Set([...listCompanies(workspace), ...published])
  for (const id of ids)
    if (!known.has(id)) terminal.note(`${terminal.notePaint.yellow('note')}: there is no company "${id}" yet`)
}

/** The password to set. Undefined where it is to be generated: nobody can be asked, or nothing was entered. */
async function passwordOf(
  { passwordStdin }: { readonly passwordStdin?: boolean },
  terminal: Surroundings['terminal'],
): Promise<string | undefined> {
  return readPassword(terminal.io, { fromStdin: passwordStdin === true, prompt: !terminal.json })
}

const madePassword = (password: string | null): string[] =>
  password === null ? [] : [`Password: ${password}`, 'It is shown this once; only its hash is stored.']
