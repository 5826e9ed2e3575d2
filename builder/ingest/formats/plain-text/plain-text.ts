/**
 * Plain-text accounting, the CSV that hledger, Beancount (bean-query) and Ledger write of their journals: how the files
 * are known; read.ts reads them. Owns these formats. Must not import another one.
 */
import { type Format, readBy } from '../../format/format.ts'
import { dialectOf } from './dialects.ts'

export const PLAIN_TEXT: Format = {
  id: 'plain-text',
  name: 'hledger, Beancount or Ledger CSV',
  knownBy:
    'txnidx, account, posting-comment; or narration, account, weight; or the 8 columns of "ledger csv"',
  place: { folder: 'ledger/', extension: 'journal.csv' },
  looksLike: (look) => dialectOf(look) !== null,
  ...readBy(async () => (await import('./read.ts')).READER),
}
