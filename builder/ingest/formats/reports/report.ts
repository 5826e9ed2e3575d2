/**
 * A format of accounting programs that export reports: ledgers by account, journals, and the list of accounts, as text
 * or workbook. What is peculiar to a program is data (programs/); read.ts does the rest for all of them. Owns these
 * formats. Must not import another one.
 */
import { type Format, readBy } from '../../format/format.ts'
import { type ReportFamily, reportsIn } from './rows/layout.ts'

export const reportFormat = (family: ReportFamily): Format => ({
  id: family.id,
  name: family.name,
  knownBy: family.knownBy,
  place: { folder: `${family.id}/`, extension: null },
  looksLike: (look) => reportsIn(look, family).length > 0,
  ...readBy(async () => (await import('./read.ts')).readerOf(family)),
})
