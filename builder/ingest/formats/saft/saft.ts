/**
 * SAF-T Financial, the audit file of Norway, Portugal and the OECD's schema: how its files are known; read.ts reads
 * them. Owns this format. Must not import another one.
 */
import { type Format, readBy } from '../../format/format.ts'
import { looksLikeSaft } from './parse.ts'

export const SAFT: Format = {
  id: 'saft',
  name: 'SAF-T Financial',
  knownBy: 'AuditFile, GeneralLedgerEntries',
  place: { folder: 'ledger/', extension: 'xml' },
  looksLike: ({ head }) => looksLikeSaft(head),
  ...readBy(async () => (await import('./read.ts')).READER),
}
