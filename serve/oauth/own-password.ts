/**
 * POST /account/password: a person gives themselves another password. It lies in the state, since access.yaml is the
 * operator's and need not be writable to the server; a new password in access.yaml takes its place again.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { hashPassword, PASSWORD_LENGTH_MIN } from '../../builder/workspace/password.ts'
import { formOwner, type Owner, sendAccount } from './account.ts'
import { PATHS } from './discovery.ts'
import { type Parameters, readForm, single } from './parameters.ts'
import { checkPassword } from './password-check.ts'
import { sendRedirect } from './reply.ts'
import { type OAuthServer, passwordMark } from './server.ts'

export async function changeOwnPassword(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const form = await readForm(req)
  const owner = formOwner(server, req, form)
  if (owner === null) return sendRedirect(res, server.base + PATHS.account)
  const { user, key } = owner
  const refused = await refusalOf(server, req, owner, form)
  if (refused !== null) {
    const { problem, status, headers } = refused
    return sendAccount(server, req, res, owner, { status, headers, passwordProblem: problem })
  }
  const hash = await hashPassword(single(form, 'new') ?? '')
  await server.state.putOwnPassword(user.id, { hash, replaces: passwordMark(user) }, key)
  server.log({ event: 'password-changed', user: user.id })
  sendRedirect(res, `${server.base}${PATHS.account}?done=password`)
}

interface Refusal {
  readonly problem: string
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

/** What needs no password to be seen comes first, so that a slip does not count as a guess. */
async function refusalOf(
  server: OAuthServer,
  req: IncomingMessage,
  { user }: Owner,
  form: Parameters,
): Promise<Refusal | null> {
  const [present, next, again] = ['current', 'new', 'again'].map((name) => single(form, name) ?? '') as [
    string,
    string,
    string,
  ]
  if ([...next].length < PASSWORD_LENGTH_MIN)
    return { problem: `The new password needs ${PASSWORD_LENGTH_MIN} characters or more.`, status: 400 }
  if (next !== again) return { problem: 'The new password was typed in two ways.', status: 400 }
  const check = await checkPassword(server, req, user.email, user, present)
  if (check.outcome === 'wait')
    return { problem: check.problem, status: 429, headers: { 'Retry-After': String(check.seconds) } }
  if (check.outcome === 'right') return null
  server.log({ event: 'password-refused', user: user.id })
  return { problem: 'The present password is another one.', status: 400 }
}
