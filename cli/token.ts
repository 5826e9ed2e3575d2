/** `tieout token`: makes an access token without a browser, to try the API. */
import { type Command, InvalidArgumentError } from 'commander'
import type { Workspace } from '../builder/workspace/workspace.ts'
import { action, examples } from './terminal/command.ts'
import { RefusedError, UsageError } from './terminal/exit.ts'
import { portOption, withPort } from './terminal/port.ts'

interface Options {
  readonly user: string
  readonly client: string
  readonly company?: readonly string[]
  readonly minutes: number
  readonly ledger?: boolean
  readonly port?: number
  readonly force?: boolean
}

export const DEFAULT_MINUTES = 15
export const LONGEST_MINUTES = 1440

export function declareToken(program: Command): void {
  const command = program
    .command('token')
    .summary('print an access token to try the API with')
    .description(
      'Print an access token for a user and a client, without sign-in and consent. Meant for trying things out on this computer.',
    )
    .requiredOption('--user <email>', 'whose companies it shows')
    .requiredOption('--client <id>', 'the client it belongs to')
    .option('--company <id...>', 'only these companies (default: all that the user may see)')
    .option('--minutes <number>', 'how long it is valid', minutes, DEFAULT_MINUTES)
    .option('--ledger', 'also allow every posting (scope read:ledger), where the client may ask for it')
    .addOption(portOption())
    .option('--force', 'make it even where other machines reach the server')
  examples(
    command,
    'tieout token --user ann@example.com --client 4f1c2a90b7d3e856',
    'curl -H "Authorization: Bearer $(tieout token --user ann@example.com --client 4f1c2a90b7d3e856)" http://127.0.0.1:8080/oauth2/user-info',
  )
  action<Options>(command, async ({ terminal, open }, options) => {
    const { isLoopback } = await import('../builder/workspace/workspace.ts')
    const workspace = await withPort(await open(), options.port)
    const { issuer } = workspace.server
    if (!isLoopback(new URL(issuer).hostname) && options.force !== true)
      throw new RefusedError(
        `the server's address is ${issuer}: a token that nobody signed in for belongs on this computer only; --force makes it all the same`,
      )
    const { token, companies } = await issueToken(workspace, options)
    const expiresAt = new Date(Date.now() + options.minutes * 60_000).toISOString()
    terminal.show({ token, expiresAt, companies }, () => token)
  })
}

function minutes(text: string): number {
  if (!/^\d{1,4}$/.test(text) || Number(text) < 1 || Number(text) > LONGEST_MINUTES)
    throw new InvalidArgumentError(`It must be a number of minutes from 1 to ${LONGEST_MINUTES}.`)
  return Number(text)
}

export async function issueToken(
  workspace: Workspace,
  asked: Pick<Options, 'user' | 'client' | 'company' | 'minutes' | 'ledger'>,
): Promise<{ readonly token: string; readonly companies: readonly string[] }> {
  const { createOAuth } = await import('../serve/oauth/oauth.ts')
  const { OAUTH_RECORDS } = await import('../serve/oauth/state/records.ts')
  const { openServerState } = await import('../serve/oauth/state/server-state.ts')
  const { ALL_SCOPES, SCOPES } = await import('../serve/oauth/tokens/grant.ts')
  const { withAccess } = await import('../serve/oauth/state/shared-access.ts')
  const access = await withAccess(workspace, async (_place, access) => access)
  const user = access.userByEmail(asked.user)
  if (user === undefined) throw new UsageError(`there is no user ${asked.user} in access.yaml`)
  const client = access.client(asked.client)
  if (client === undefined) throw new UsageError(`there is no client "${asked.client}" in access.yaml`)
  if (asked.ledger && !client.allowLedger)
    throw new UsageError(
      `the client "${asked.client}" may not ask for postings: write "allowLedger: true" to it in access.yaml`,
    )
  const own = access.companiesOf(user.id)
  const foreign = (asked.company ?? []).filter((id) => !own.includes(id))
  if (foreign.length > 0) throw new UsageError(`${asked.user} may not see ${foreign.join(', ')}`)
  const companies = asked.company ?? own
  const { store, keys, close } = await openServerState(workspace.server.state, OAUTH_RECORDS)
  const oauth = await createOAuth({
    store,
    issuer: workspace.server.issuer,
    keys,
    access,
    companies: () => [],
    accessTokenSeconds: workspace.server.accessTokenSeconds,
  })
  try {
    return {
      token: await oauth.issueDemoToken(
        user.id,
        asked.client,
        companies,
        asked.minutes * 60,
        asked.ledger ? ALL_SCOPES : SCOPES,
      ),
      companies,
    }
  } finally {
    await oauth.close()
    await close()
  }
}
