/**
 * The demonstration of `tieout start`: a user and a client with a state of their own below `.tieout/demo`, which is
 * deleted when it ends. The workspace's own `access.yaml` and keys are never changed.
 */
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { isRunning } from '../builder/system/running.ts'
import type { Workspace } from '../builder/workspace/workspace.ts'
import { DEFAULT_MINUTES, issueToken } from './token.ts'

const DEMO = {
  user: 'demo',
  email: 'demo@example.com',
  client: 'demo',
  clientName: 'Demo client',
  /** RFC 8252 §7.3: the port of a loopback address is ignored, so that the client may listen on any. */
  redirectUri: 'http://127.0.0.1/callback',
}

export interface Demo {
  readonly user: { readonly email: string; readonly password: string }
  readonly client: { readonly id: string; readonly secret: string; readonly redirectUri: string }
  /** A command that works when pasted, for 15 minutes. */
  readonly curl: string
}

/** The workspace with another state folder. Each `tieout start` has its own, so that two may run at once. */
export function demoWorkspace(workspace: Workspace): Workspace {
  const folder = join(workspace.state, 'demo')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  // A process that was killed could not delete its folder.
  for (const name of readdirSync(folder))
    if (!isRunning(Number(name))) rmSync(join(folder, name), { recursive: true, force: true })
  const state = join(folder, String(process.pid))
  endDemo({ state })
  mkdirSync(state, { mode: 0o700 })
  return {
    ...workspace,
    state,
    server: { ...workspace.server, state: { folder: state, database: null } },
    access: join(state, 'access.yaml'),
  }
}

export const endDemo = ({ state }: Pick<Workspace, 'state'>): void =>
  rmSync(state, { recursive: true, force: true })

/** Makes new secrets. The ids are always the same, so that a client that was set up once needs only the new secret. */
export async function makeDemo(demo: Workspace): Promise<Demo> {
  const { addClient, addUser } = await import('../builder/workspace/access/access-edit.ts')
  const { accessFile } = await import('../builder/workspace/access/access-place.ts')
  const { listCompanyIds } = await import('../builder/snapshot/files/open.ts')
  const companies = await listCompanyIds(demo.snapshots)
  const place = accessFile(demo.access)
  const { password } = await addUser(place, {
    id: DEMO.user,
    email: DEMO.email,
    firstName: 'Demo',
    lastName: 'User',
    companies,
    ledger: companies,
  })
  const { secret } = await addClient(place, {
    id: DEMO.client,
    name: DEMO.clientName,
    redirectUris: [DEMO.redirectUri],
    allowLoopbackPort: true,
  })
  const asked = { user: DEMO.email, client: DEMO.client, minutes: DEFAULT_MINUTES }
  const { token } = await issueToken(demo, asked)
  const path = companies[0] === undefined ? '/oauth2/user-info' : `/companies/${companies[0]}/info`
  return {
    user: { email: DEMO.email, password },
    client: { id: DEMO.client, secret, redirectUri: DEMO.redirectUri },
    curl: `curl -sw '\\n' -H 'Authorization: Bearer ${token}' '${demo.server.issuer}${path}'`,
  }
}
