/**
 * FEC, the French audit file (fichier des écritures comptables): how its files are known; read.ts reads them. Owns this
 * format. Must not import another one.
 */
import { type Format, readBy } from '../../format/format.ts'
import { looksLikeFec } from './parse.ts'

export const FEC: Format = {
  id: 'fec',
  name: 'FEC',
  knownBy: 'JournalCode, EcritureDate, CompteNum',
  place: { folder: 'ledger/', extension: 'fec' },
  looksLike: ({ head }) => looksLikeFec(head),
  ...readBy(async () => (await import('./read.ts')).READER),
}
