/** What each scope means to the user who grants it, the most important first. */
import type { Scope } from './grant.ts'

/** `phone` is left out: no telephone numbers are kept, so that it grants nothing. */
const WORDS: readonly (readonly [scope: Scope, words: string])[] = [
  ['read:company', 'Read the figures of the companies you choose below; it cannot change anything'],
  [
    'read:ledger',
    'Read every posting behind these figures: dates, amounts, memos, names of customers and suppliers',
  ],
  ['profile', 'See your name'],
  ['email', 'See your e-mail address'],
  ['openid', 'Recognise you when you come back'],
]

export const inWords = (scopes: readonly string[]): string[] =>
  WORDS.flatMap(([scope, words]) => (scopes.includes(scope) ? [words] : []))
