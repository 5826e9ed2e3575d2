/** The table of net income, cash and total assets at the end of `tieout build`. */
import type { Basis, SummaryName } from '../../builder/contract/vocabulary.ts'
import type { KeyFigure } from '../../builder/report/key-figures.ts'
import type { SnapshotLocation } from '../../builder/snapshot/places/location.ts'
import { money } from './money.ts'
import { lineTable } from './narrow.ts'
import { count, type Terminal } from './terminal.ts'

interface CompanyFigures {
  readonly company: string
  readonly currency: string
  readonly figures: readonly KeyFigure[]
}

/** The key figures of each company's current snapshot; a company without one is left out. */
export async function keyFiguresOf(
  location: SnapshotLocation,
  companies: readonly string[],
): Promise<CompanyFigures[]> {
  const { openCurrent } = await import('../../builder/snapshot/files/open.ts')
  const { keyFigures } = await import('../../builder/report/key-figures.ts')
  const found: CompanyFigures[] = []
  if (companies.length === 0) return found
  const root = await location.read(companies, 'latest')
  for (const company of companies) {
    const snapshot = await openCurrent(root, company)
    if (snapshot)
      found.push({ company, currency: snapshot.manifest.Currency, figures: await keyFigures(snapshot) })
  }
  return found
}

interface Row {
  readonly company: string
  readonly basis: string
  readonly month: string
  readonly figures: ReadonlyMap<SummaryName, string | null>
}

/** With more companies than this, the table of two rows for each is only shown with --verbose. */
export const MOST_COMPANIES = 12

/** A row for the last month of each company and one for the month before; on the accrual basis where there are two. */
export function keyFiguresText(found: readonly CompanyFigures[], terminal: Terminal): string {
  const shown = found.filter(({ figures }) => figures.length > 0)
  if (shown.length === 0) return ''
  if (shown.length > MOST_COMPANIES && !terminal.verbose)
    return terminal.paint.dim(
      `Net income, cash and total assets of ${count(shown.length)} companies: tieout show COMPANY, or --verbose here.`,
    )
  const figure = (title: string, name: SummaryName, dispensable: number) => ({
    title,
    of: ({ figures }: Row) => money(figures.get(name) ?? null),
    right: true,
    dispensable,
  })
  return lineTable(
    shown.flatMap(rowsOf),
    [
      { title: 'Company', of: ({ company }: Row) => company },
      { title: 'Basis', of: ({ basis }: Row) => basis, dispensable: 3 },
      { title: 'Month', of: ({ month }: Row) => month },
      figure('Net income', 'NetIncome', 0),
      figure('Cash', 'EndingCash', 1),
      figure('Total assets', 'TotalAssets', 2),
    ],
    terminal,
  ).text
}

function rowsOf({ company, currency, figures }: CompanyFigures): Row[] {
  const basis: Basis = figures[0]?.basis ?? 'ACCRUAL'
  const own = figures.filter((each) => each.basis === basis)
  const month = own[0]?.month ?? ''
  const first = { company, basis: `${basis.toLowerCase()}, ${currency}`, month }
  return [
    { ...first, figures: new Map(own.map(({ name, value }) => [name, value])) },
    {
      ...{ company: '', basis: '', month: 'month before' },
      figures: new Map(own.map(({ name, before }) => [name, before])),
    },
  ]
}
