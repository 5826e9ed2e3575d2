/**
 * Tells pages of this server outside of OAuth, such as reports, which user is signed in. They use cookies, never
 * tokens.
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { User } from '../../../builder/workspace/access/access.ts'
import { asOAuthError } from '../errors.ts'
import { logCause, type OAuthServer } from '../server.ts'
import { ownerOf } from './account.ts'
import { sendToSignIn, touchSession } from './browser.ts'
import { sendProblemPage } from './problem-page.ts'
import { styleHref } from './style.ts'

export interface People {
  /** Path of the server without a trailing slash; pages link below it. */
  readonly base: string
  /** Address of the style sheet of the server's pages. */
  readonly style: string
  /** Answers with a page; a failure is shown on a page too. */
  answer(res: ServerResponse, page: () => Promise<void>): Promise<void>
  /** The user who is signed in in this browser; null where nobody is. */
  person(req: IncomingMessage): Promise<User | null>
  /** Redirects to the sign-in, which leads to the page of this server at that path. */
  signIn(req: IncomingMessage, res: ServerResponse, page: string): Promise<void>
}

export const createPeople = (server: OAuthServer): People => ({
  base: server.base,
  style: styleHref(server.base),
  answer: async (res, page) => {
    try {
      await page()
    } catch (failure) {
      const problem = asOAuthError(failure)
      logCause(server, problem)
      sendProblemPage(server, res, problem)
    }
  },
  person: async (req) => {
    const owner = await ownerOf(server, req)
    if (owner === null) return null
    await touchSession(server, owner)
    return owner.user
  },
  signIn: (req, res, page) => sendToSignIn(server, req, res, page),
})
