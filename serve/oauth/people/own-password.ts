/**
 * POST /account/password: a user sets another password. It is stored in the state, since access.yaml belongs to the
 * operator and need not be writable for the server; a new password in access.yaml replaces it again.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { PASSWORD_LENGTH_MIN } from '../../../builder/system/password.ts'
import { PATHS } from '../discovery.ts'
import { type Parameters, readForm, single } from '../parameters.ts'
import { sendRedirect } from '../reply.ts'
import { isPasswordOf, type OAuthServer, passwordMark } from '../server.ts'
import { formOwner, type Owner, sendAccount } from './account.ts'
import { checkPassword } from './password-check.ts'
import { changePassword } from './sessions.ts'

export async function changeOwnPassword(
  server: OAuthServer,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> {
  const form = await readForm(req)
  const owner = await formOwner(server, req, form)
  if (owner === null) return sendRedirect(res, server.base + PATHS.account)
  const { user, key } = owner
  const refuse = ({ problem, status, headers }: Refusal): Promise<void> =>
    sendAccount(server, req, res, owner, { status, headers, passwordProblem: problem })
  const checked = await checkForm(server, req, owner, form)
  if (checked.outcome === 'refused') return refuse(checked)
  const hash = await server.passwords.hash(single(form, 'new') ?? '')
  const password = { hash, replaces: passwordMark(user) }
  const isRight = isPasswordOf(server, user.id, checked.present)
  if (!(await changePassword(server.store, user.id, password, key, isRight))) {
    // Somebody changed the password, or signed this browser out, while the passwords were being checked.
    if ((await formOwner(server, req, form)) === null) return sendRedirect(res, server.base + PATHS.account)
    return refuse({ problem: ANOTHER, status: 400 })
  }
  server.log({ event: 'password-changed', user: user.id })
  sendRedirect(res, `${server.base}${PATHS.account}?done=password`)
}

const ANOTHER = 'The present password is another one.'

interface Refusal {
  readonly problem: string
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

type Checked =
  | (Refusal & { readonly outcome: 'refused' })
  /** `present` is the hash with which the present password was compared. */
  | { readonly outcome: 'right'; readonly present: string }

const refusal = (problem: string, status: number, headers: Refusal['headers'] = {}): Checked => ({
  outcome: 'refused',
  problem,
  status,
  headers,
})

/** Mistakes that can be seen without the password are reported first, so that a slip does not count as a guess. */
async function checkForm(
  server: OAuthServer,
  req: IncomingMessage,
  { user }: Owner,
  form: Parameters,
): Promise<Checked> {
  const typed = (name: string): string => single(form, name) ?? ''
  const next = typed('new')
  if ([...next].length < PASSWORD_LENGTH_MIN)
    return refusal(`The new password needs ${PASSWORD_LENGTH_MIN} characters or more.`, 400)
  if (next !== typed('again')) return refusal('The new password was typed in two ways.', 400)
  const check = await checkPassword(server, req, user.email, user, typed('current'))
  if (check.outcome === 'wait') return refusal(check.problem, 429, { 'Retry-After': String(check.seconds) })
  if (check.outcome === 'right') return { outcome: 'right', present: check.hash }
  server.log({ event: 'password-refused', user: user.id })
  return refusal(ANOTHER, 400)
}
