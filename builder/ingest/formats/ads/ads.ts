/**
 * The AICPA's Audit Data Standard for the general ledger (and ISO 21378's names for it): how its files are known;
 * read.ts reads them. Owns this format. Must not import another one.
 */
import { type Format, readBy } from '../../format/format.ts'
import { looksLikeAds } from './tables.ts'

export const ADS: Format = {
  id: 'ads',
  name: 'Audit Data Standard',
  knownBy: 'Journal_ID, Effective_Date, GL_Account_Number',
  place: { folder: 'ads/', extension: null },
  looksLike: looksLikeAds,
  ...readBy(async () => (await import('./read.ts')).READER),
}
