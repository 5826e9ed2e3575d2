/**
 * SIE 4, the Swedish exchange format: how its files are known; read.ts reads them. Owns this format. Must not import
 * another one.
 */
import { type Format, readBy } from '../../format/format.ts'
import { looksLikeSie } from './parse.ts'

export const SIE: Format = {
  id: 'sie',
  name: 'SIE 4',
  knownBy: '#FLAGGA, #SIETYP 4',
  place: { folder: 'ledger/', extension: 'se' },
  looksLike: ({ head }) => looksLikeSie(head),
  ...readBy(async () => (await import('./read.ts')).READER),
}
