/** What each scope means to the person who gives it, what matters most first. */
import type { Scope } from './grant.ts'

/** `phone` is not among them: none is kept here, so that it gives nothing. */
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
