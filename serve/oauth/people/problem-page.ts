/** Shows an error to the user in the browser, where it must not be sent to a client. */
import type { ServerResponse } from 'node:http'
import { problemPage } from '../../pages/problem.ts'
import type { OAuthError, OAuthErrorCode } from '../errors.ts'
import { requestIdOf, sendPage } from '../reply.ts'
import type { OAuthServer } from '../server.ts'
import { styleHref } from './style.ts'

const TITLES: Partial<Record<OAuthErrorCode, string>> = {
  unknown_client: 'Unknown application',
  untrusted_redirect: 'Unknown return address',
  expired_request: 'This sign-in has ended',
  cross_site: 'This cannot go on here',
  server_error: 'Something went wrong',
  temporarily_unavailable: 'Busy at the moment',
}

/** Turns a message for the developer of a client into a sentence for the user. */
const sentence = (message: string): string =>
  `The application that sent you here made a mistake: ${message.replace(/\.$/, '')}.`

export function sendProblemPage(server: OAuthServer, res: ServerResponse, problem: OAuthError): void {
  const html = problemPage({
    style: styleHref(server.base),
    title: TITLES[problem.code] ?? 'This link is not complete',
    detail: problem.code === 'invalid_request' ? sentence(problem.message) : problem.message,
    code: problem.code,
    requestId: requestIdOf(res),
  })
  sendPage(res, problem.status, html, { headers: problem.headers })
}
