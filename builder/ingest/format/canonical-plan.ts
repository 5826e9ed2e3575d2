/** The plan of a CSV that a format's parser wrote for the books, whose header is the canonical names of its columns. */
import type { LedgerSetting } from '../../workspace/company.ts'
import { ISO_DATE } from '../text/months.ts'
import type { LedgerPlan } from './intake.ts'

/** The column with each row's number in the source, where rows of the CSV are not those of the source. */
export const ROW = 'row'

/** Dates and amounts are in the canonical form, unless a format says otherwise of its own. */
export function canonicalPlan(
  named: Pick<LedgerPlan, 'file' | 'path' | 'basis'>,
  header: readonly string[],
): LedgerPlan {
  const columns = header.filter((name) => name !== ROW)
  return {
    kind: 'csv',
    ...named,
    ...formOfEntry({}),
    delimiter: ',',
    columns: Object.fromEntries(columns.map((name) => [name, name])),
    header,
    ...(columns.length < header.length ? { rowColumn: ROW } : {}),
  }
}

/** How dates and amounts are written, unless an entry of "ledger" says otherwise. */
export const formOfEntry = ({
  dateFormat = ISO_DATE,
  decimal = '.',
  thousands = '',
}: Pick<LedgerSetting, 'dateFormat' | 'decimal' | 'thousands'>): Pick<
  LedgerPlan,
  'dateFormat' | 'decimal' | 'thousands'
> => ({ dateFormat, decimal, thousands })
