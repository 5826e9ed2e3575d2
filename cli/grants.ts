/** `tieout grants`: lists which applications have access on whose behalf, and ends it. */
import type { Command } from 'commander'
import type { Access } from '../builder/workspace/access/access.ts'
import type { GrantInfo, GrantStatus, OperatorGrants } from '../serve/oauth/tokens/grants.ts'
import { action, examples, type Surroundings } from './terminal/command.ts'
import { EXIT, UsageError } from './terminal/exit.ts'
import { tableText } from './terminal/table.ts'
import { plural } from './terminal/terminal.ts'

export function declareGrants(program: Command): void {
  const grants = program
    .command('grants')
    .summary('list which applications have access, and end it')
    .description('List and end the access that users have granted to applications.')
  declareList(grants)
  declareRevoke(grants)
  declareBackup(grants)
}

interface ListOptions {
  readonly user?: string
  readonly client?: string
  readonly all?: boolean
}

function declareList(grants: Command): void {
  const list = grants
    .command('list', { isDefault: true })
    .description('List the grants that are valid now, oldest first.')
    .option('--user <email>', 'only what this user has granted')
    .option('--client <id>', 'only what this client has been granted')
    .option('--all', 'also list ended grants, which are kept for 30 days')
  examples(list, 'tieout grants list', 'tieout grants list --user ann@example.com --json')
  action<ListOptions>(list, async ({ terminal, open }, { user, client, all = false }) =>
    withGrants({ terminal, open }, async (grants, access) => {
      const userId = user === undefined ? undefined : access.userByEmail(user)?.id
      if (user !== undefined && userId === undefined)
        throw new UsageError(`there is no user ${user} in access.yaml`)
      const found = (await grants.list())
        .filter((grant) => all || grant.status === 'active')
        .filter((grant) => userId === undefined || grant.userId === userId)
        .filter((grant) => client === undefined || grant.clientId === client)
        .map((grant) => named(grant, access))
      terminal.show({ grants: found.map(documentOf) }, () =>
        found.length === 0 ? 'No application has access.' : listText(found, terminal),
      )
    }),
  )
}

function declareRevoke(grants: Command): void {
  const revoke = grants
    .command('revoke')
    .description('End a grant. Its tokens are refused from this moment; the application has to ask again.')
    .argument('<id...>', 'as "tieout grants list" shows it, or its beginning')
  examples(revoke, 'tieout grants revoke 4f1c2a90')
  action(revoke, async ({ terminal, open }, _options, ids) =>
    withGrants({ terminal, open }, async (grants, access) => {
      const known = await grants.list()
      const chosen = ids.map((id) => only(known, id))
      for (const { id } of chosen) await grants.revoke(id)
      const ended = chosen.map((grant) => named(grant, access))
      terminal.show({ revoked: ended.map(({ id }) => id) }, () =>
        ended
          .map(({ client, user }) => `${client} has no access in the name of ${user} any more.`)
          .join('\n'),
      )
    }),
  )
}

/** The same command of "tieout state" and, as it was called first, of "tieout grants". */
export function declareBackup(parent: Command): void {
  const backup = parent
    .command('backup')
    .description(
      'Copy all grants and sign-ins, and the keys behind them, while servers run; nobody else can read the copy. "tieout state restore" brings it back.',
    )
    .requiredOption('--to <folder>', 'where the copy goes; it must not exist yet')
    .option('--without-keys', 'leave out the keys: the copy is then of use only beside the keys of now')
  examples(backup, `tieout ${parent.name()} backup --to /backup/2026-11-23/oauth`)
  action<{ to: string; withoutKeys?: boolean }>(
    backup,
    async ({ terminal, open }, { to, withoutKeys = false }) =>
      withGrants({ terminal, open }, async (grants) => {
        await grants.backup(to, { keys: !withoutKeys })
        const copied = (await grants.list()).length
        terminal.show({ to, grants: copied }, () => `${plural(copied, 'grant is', 'grants are')} in ${to}.`)
      }),
  )
}

function only(grants: readonly GrantInfo[], start: string): GrantInfo {
  const found = grants.filter(({ id }) => id.startsWith(start))
  const [grant, ...others] = found
  if (grant && others.length === 0) return grant
  throw new UsageError(
    found.length === 0 ? `there is no grant "${start}"` : `${found.length} grants begin with "${start}"`,
  )
}

async function withGrants(
  { terminal, open }: Pick<Surroundings, 'terminal' | 'open'>,
  work: (grants: OperatorGrants, access: Access) => Promise<void>,
): Promise<typeof EXIT.done> {
  const { withAccess } = await import('../serve/oauth/state/shared-access.ts')
  const { openGrants } = await import('../serve/oauth/tokens/grants.ts')
  const workspace = await open()
  const access = await withAccess(workspace, async (_place, access) => access)
  const grants = await openGrants(workspace.server.state, access, (event) => {
    const said =
      event.event === 'mode-corrected'
        ? `${event.file} was open to others (${event.mode}); closed now`
        : String(event.detail)
    terminal.note(`${terminal.notePaint.yellow('note')}: ${said}`)
  })
  try {
    await work(grants, access)
  } finally {
    await grants.close()
  }
  return EXIT.done
}

interface NamedGrant extends GrantInfo {
  /** E-mail and name, or the ids where access.yaml no longer has them. */
  readonly user: string
  readonly client: string
}

const named = (grant: GrantInfo, access: Access): NamedGrant => ({
  ...grant,
  user: access.user(grant.userId)?.email ?? grant.userId,
  client: access.client(grant.clientId)?.name ?? grant.clientId,
})

function listText(grants: readonly NamedGrant[], terminal: Surroundings['terminal']): string {
  const { dim, green, red, yellow } = terminal.paint
  const colours: Record<GrantStatus, (text: string) => string> = {
    active: green,
    revoked: red,
    expired: dim,
    withdrawn: yellow,
  }
  return tableText(
    grants,
    [
      { title: 'Grant', of: ({ id }) => (terminal.verbose ? id : id.slice(0, 12)) },
      { title: 'Status', of: ({ status }) => status, colour: ({ status }) => colours[status] },
      { title: 'User', of: ({ user }) => user },
      { title: 'Client', of: ({ client }) => client },
      { title: 'Companies', of: ({ companies }) => companies.join(', ') || '-' },
      { title: 'Since', of: ({ since }) => day(since) },
      { title: 'Last used', of: ({ usedAt }) => day(usedAt) },
      { title: 'Ends', of: ({ endsAt }) => day(endsAt) },
    ],
    terminal,
  )
}

const documentOf = (grant: NamedGrant) => ({
  id: grant.id,
  status: grant.status,
  user: { id: grant.userId, name: grant.user },
  client: { id: grant.clientId, name: grant.client },
  scopes: grant.scopes,
  companies: grant.companies,
  since: new Date(grant.since).toISOString(),
  lastUsedAt: new Date(grant.usedAt).toISOString(),
  endsAt: new Date(grant.endsAt).toISOString(),
  endsUnusedAt: new Date(grant.idleEndsAt).toISOString(),
})

const day = (at: number): string => new Date(at).toISOString().slice(0, 10)
