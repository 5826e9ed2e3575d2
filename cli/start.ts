/** `tieout start`, which `npm start` runs: everything built, demo credentials made anew, the server, one line to try. */
import type { Command } from 'commander'
import type { Workspace } from '../builder/workspace/workspace.ts'
import { type Builds, buildAll, buildsText } from './builds.ts'
import { action, examples } from './command.ts'
import { EXIT, RefusedError } from './exit.ts'
import { portOption, withPort } from './port.ts'
import { logLine } from './serve.ts'
import type { Terminal } from './terminal.ts'
import { DEFAULT_MINUTES, isLoopback, issueToken } from './token.ts'

const DEMO = {
  user: 'demo',
  email: 'demo@example.com',
  client: 'demo',
  /** RFC 8252 §7.3: whatever port the client listens on. */
  redirectUri: 'http://127.0.0.1/callback',
}

export function declareStart(program: Command): void {
  const command = program
    .command('start')
    .summary('build all, make demo credentials, serve')
    .description(
      'Build every company, make a demo user and client with new secrets, and serve on this computer until Ctrl-C.',
    )
    .addOption(portOption())
    .option('--log', 'the log to stderr, one JSON line per request')
  examples(command, 'tieout start', 'tieout start --port 0')
  action<{ port?: number; log?: boolean }>(command, async ({ terminal, folder }, { port, log }) => {
    if (process.env.npm_lifecycle_event === 'start') endWithParent()
    const { listCompanies, openWorkspace } = await import('../builder/workspace/workspace.ts')
    const { closeOnSignals, startServer } = await import('../serve/server.ts')
    const workspace = await withPort(openWorkspace(folder), port)
    const { host, issuer } = workspace.server
    if (!isLoopback(host) || !isLoopback(new URL(issuer).hostname))
      throw new RefusedError(
        `tieout.yaml makes the server reachable as ${issuer} on ${host}: demo secrets are for 127.0.0.1 only. Use "tieout build" and "tieout serve".`,
      )
    const built = await buildAll(workspace, listCompanies(workspace), { publish: true }, terminal)
    const demo = await makeDemo(workspace)
    const running = await startServer(workspace, log ? { log: logLine } : {})
    closeOnSignals(running)
    terminal.show({ address: running.address, ...demo, companies: built.builds }, () =>
      startText(running.address, demo, built, terminal),
    )
    return EXIT.done
  })
}

/** npm passes SIGTERM on to the shell that runs its script; the shell ends, and tells nobody. */
function endWithParent(): void {
  const parent = process.ppid
  const looking = setInterval(() => {
    if (process.ppid === parent) return
    clearInterval(looking)
    process.kill(process.pid, 'SIGTERM')
  }, 500)
  looking.unref()
}

interface Demo {
  readonly user: { readonly email: string; readonly password: string }
  readonly client: { readonly id: string; readonly secret: string; readonly redirectUri: string }
  /** Works when pasted, for a quarter of an hour. */
  readonly curl: string
}

/** New secrets each time; the ids stay, so that a client set up once needs only the new secret. */
async function makeDemo(workspace: Workspace): Promise<Demo> {
  const { createAccess } = await import('../builder/workspace/access.ts')
  const { addClient, addUser, setCompanies, setPassword, setSecret } = await import(
    '../builder/workspace/access-edit.ts'
  )
  const { listCompanyIds } = await import('../builder/snapshot/open.ts')
  const path = workspace.access
  const access = createAccess(path)
  const companies = await listCompanyIds(workspace.snapshots)
  const user = access.user(DEMO.user)
  if (user) await setCompanies(path, DEMO.user, companies)
  const { password } = user
    ? await setPassword(path, DEMO.user)
    : await addUser(path, {
        id: DEMO.user,
        email: DEMO.email,
        firstName: 'Demo',
        lastName: 'User',
        companies,
      })
  const { secret } = access.client(DEMO.client)
    ? await setSecret(path, DEMO.client)
    : await addClient(path, {
        id: DEMO.client,
        name: 'Demo client',
        redirectUris: [DEMO.redirectUri],
        allowLoopbackPort: true,
      })
  const email = user?.email ?? DEMO.email
  const { token } = await issueToken(workspace, {
    user: email,
    client: DEMO.client,
    minutes: DEFAULT_MINUTES,
  })
  const path_ = companies[0] === undefined ? '/oauth2/user-info' : `/companies/${companies[0]}/info`
  return {
    user: { email, password },
    client: { id: DEMO.client, secret, redirectUri: DEMO.redirectUri },
    curl: `curl -sw '\\n' -H 'Authorization: Bearer ${token}' '${workspace.server.issuer}${path_}'`,
  }
}

function startText(
  address: string,
  { user, client, curl }: Demo,
  { builds }: Builds,
  terminal: Terminal,
): string {
  const { bold, dim } = terminal.paint
  return [
    ...(builds.length > 0 ? [buildsText(builds, terminal), ''] : []),
    `Tieout serves at ${bold(address)}`,
    '',
    `  Demo user      ${user.email}`,
    `  Password       ${user.password}`,
    `  Client id      ${client.id}`,
    `  Client secret  ${client.secret}`,
    `  Redirect URI   ${client.redirectUri} (any port)`,
    '',
    `Try it, within ${DEFAULT_MINUTES} minutes:`,
    '',
    curl,
    '',
    dim('Passwords and secrets are new each time. Ctrl-C ends the server.'),
  ].join('\n')
}
