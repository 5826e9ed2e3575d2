/** Shows the figures of closed months that differ from what is published, for the person who has to give a reason. */

import { statementTitle } from '../../builder/contract/vocabulary.ts'
import { restatedText } from '../../builder/snapshot/closing/closed-months.ts'
import type { RestatedFigure, Restatement } from '../../builder/snapshot/files/manifest.ts'
import { money, visible } from './money.ts'
import { lineTable } from './narrow.ts'
import { count, type Terminal } from './terminal.ts'

/** `12 figures in 4 documents differ from 2025-04-r1-3f9c2a, in 2025-01 to 2025-03. Reason: …` */
export const restatementText = (restatement: Restatement): string =>
  `${restatedText(restatement)}. Reason: ${visible(restatement.Reason ?? 'none was given')}`

const LISTED = 20

export function restatementTable(
  { First, Figures }: Pick<Restatement, 'First' | 'Figures'>,
  terminal: Terminal,
): string {
  if (First.length === 0) return ''
  const shown = terminal.verbose ? First : First.slice(0, LISTED)
  const table = lineTable(
    shown,
    [
      { title: 'Statement', of: scopeText, flexible: 14 },
      { title: 'Account', of: ({ Name }) => visible(Name), flexible: 12 },
      { title: 'Month', of: ({ Month }) => Month },
      { title: 'Published', of: ({ Old }) => money(Old), right: true },
      { title: 'Now', of: ({ New }) => (New === null ? 'none' : money(New)), right: true },
    ],
    terminal,
  ).text
  const rest = Figures - shown.length
  return rest === 0 ? table : `${table}\nand ${count(rest)} more`
}

/** `Profit and loss, accrual, class east`. A budget is stated on each basis too, so that its rows stand twice. */
function scopeText({ Statement, Basis, BudgetId, ClassId, DepartmentId }: RestatedFigure): string {
  return [
    statementTitle(Statement),
    ...(Basis === null ? [] : [Basis.toLowerCase()]),
    ...(BudgetId === null ? [] : [`budget ${BudgetId}`]),
    ...(ClassId === null ? [] : [`class ${ClassId}`]),
    ...(DepartmentId === null ? [] : [`department ${DepartmentId}`]),
  ].join(', ')
}
