/** The second sheet of a board pack: what it holds, with ways there, and what was proven before it was published. */
import { MARKS_EXPLAINED } from '../numbers.ts'
import { proofText } from '../proof.ts'
import type { ReportSource } from '../source.ts'
import { type About, BOLD, headText, LINK, sheetLayout, TITLE_WIDTH, titleRows } from './looks.ts'
import type { Provenance } from './provenance.ts'
import { once } from './sheets.ts'
import type { Sheet } from './xlsx.ts'
import type { SheetCell } from './xlsx-cells.ts'

/** A sheet and what the contents say of it. */
interface Page {
  readonly sheet: Sheet
  readonly says: string
}

export function contentsSheet(
  pages: readonly Page[],
  about: About,
  source: ReportSource,
  { SnapshotId, Warnings, Parameters }: Provenance,
): Sheet {
  const title = { ...about, title: 'Board pack', period: 'Period ended' }
  const above = [...titleRows(title), [headText('Sheet'), headText('What it shows')]]
  const facts = ([name, text]: readonly [string, string]): SheetCell[] => [
    { text: name, style: BOLD },
    { text },
  ]
  const rows: SheetCell[][] = [
    ...above,
    ...pages.map(({ sheet, says }): SheetCell[] => [{ text: sheet.name, style: LINK }, { text: says }]),
    [],
    facts(['Tied out', proofText(source)]),
    ...(
      [
        [
          'Warnings',
          Warnings === 0 ? 'none' : `${Warnings}, kept with the snapshot and on the overview of its report`,
        ],
        ['Snapshot', SnapshotId],
      ] as const
    ).map(facts),
    [],
    ...[
      ['Figures', 'Cells hold the figures as published, whatever is shown of them.'],
      [
        '',
        'Subtotals, totals, variances and percentages are formulas over the accounts; each gives the published figure.',
      ],
      ...(Parameters.BudgetId === null ? [] : [['Variances', MARKS_EXPLAINED]]),
    ].map(([name = '', text = '']) => facts([name, text])),
  ]
  return {
    name: 'Contents',
    widths: [TITLE_WIDTH, 100],
    frozen: { rows: 0, columns: 0 },
    rows: once(rows),
    layout: sheetLayout(title, {
      links: pages.map(({ sheet }, i) => ({ at: `A${above.length + 1 + i}`, sheet: sheet.name })),
    }),
  }
}
