/** What each scope means to the person who gives it. */
import type { Scope } from './grant.ts'

const WORDS: Record<Scope, string> = {
  openid: 'Recognise you when you come back',
  profile: 'See your name',
  email: 'See your e-mail address',
  phone: 'See your phone number (none is kept here)',
  'read:company': 'Read the figures of the companies you choose below; it cannot change anything',
  'read:ledger': 'Read every posting behind these figures: dates, amounts, memos, customers and suppliers',
}

export const inWords = (scopes: readonly string[]): string[] => scopes.map((scope) => WORDS[scope as Scope])
