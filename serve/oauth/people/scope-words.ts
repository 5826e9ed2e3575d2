/** What each scope means to the user who grants it, the most important first. */
import type { OAuthScope } from '../tokens/grant.ts'

export const FIGURES = 'Read the figures of the companies you choose below; it cannot change anything'

/**
 * `phone` is left out: no telephone numbers are kept, so that it grants nothing. `profile` and `email` add nothing to
 * the two scopes with which an application may ask who the user is.
 */
const WORDS: readonly (readonly [scopes: readonly OAuthScope[], words: string])[] = [
  [['read:company'], FIGURES],
  [
    ['read:ledger'],
    'Read every posting behind these figures: dates, amounts, memos, names of customers and suppliers',
  ],
  [['read:company', 'openid'], 'See your name and your e-mail address'],
  [['openid'], 'Recognise you when you come back'],
]

export const inWords = (scopes: readonly string[]): string[] =>
  WORDS.flatMap(([needed, words]) => (needed.some((scope) => scopes.includes(scope)) ? [words] : []))
