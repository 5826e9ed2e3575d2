/** Computes the totals of a statement from its specification, as sums of the rows of its sections. */

import type { Figures, StatementRow, SummaryRow, WithoutCashRow } from '../contract/document.ts'
import { NONE } from '../contract/figures.ts'
import { present } from '../contract/present.ts'
import type { Section } from '../contract/vocabulary.ts'
import type { StatementSpec } from './specs.ts'

/** The figures of a total, one per period; `name` must be a total of the statement. */
export const totalOf = ({ summary }: Pick<StatementBody, 'summary'>, name: string): Figures =>
  present(summary.find((row) => row.name === name)?.values, `total ${name} on the statement`)

/** All rows and totals of a statement, including those that are zero in every period. */
export interface StatementBody {
  readonly rows: readonly StatementRow[]
  readonly summary: readonly SummaryRow[]
  readonly withoutCash?: readonly WithoutCashRow[]
}

export interface Cash {
  readonly beginning: Figures
  readonly ending: Figures
}

/**
 * Computes totals for one statement after the other in the same memory: a body is valid until the next one is
 * made.
 */
export class Totals {
  readonly #nothing: Figures
  readonly #sections: ReadonlyMap<Section, Figures>
  readonly #totals: readonly { readonly row: SummaryRow; readonly parts: readonly Part[] | 'cash' }[]

  /** `nothing` has the figures of a total without rows: 0, or NaN (no figure). */
  constructor(spec: StatementSpec, nothing: Figures) {
    this.#nothing = nothing
    this.#sections = new Map(spec.sections.map((section) => [section, nothing.slice()]))
    this.#totals = spec.totals.map(([name, parts]) => ({
      row: { name, values: nothing.slice() },
      parts:
        parts === 'cash'
          ? parts
          : (Object.entries(parts) as [Section, 1 | -1][]).map(([section, factor]) => ({
              of: this.#section(section),
              factor,
            })),
    }))
  }

  #section(section: Section): Figures {
    return present(this.#sections.get(section), 'section of that name on the statement')
  }

  /** Adds up the totals; the document lists the rows as given, so they should be in the order of sections. */
  bodyOf(rows: readonly StatementRow[], cash?: Cash): StatementBody {
    for (const sum of this.#sections.values()) sum.set(this.#nothing)
    for (const row of rows) addTo(this.#section(row.section), row.values, 1)
    const summary = this.#totals.map(({ row, parts }) => {
      const { name, values } = row
      if (parts === 'cash')
        values.set((name === 'BeginningCash' ? cash?.beginning : cash?.ending) ?? this.#nothing)
      else {
        values.set(this.#nothing)
        for (const { of, factor } of parts) addTo(values, of, factor)
      }
      return row
    })
    return { rows, summary }
  }
}

interface Part {
  readonly of: Figures
  readonly factor: 1 | -1
}

/** Adds figures; NaN (no figure) adds nothing, and a sum of nothing but NaN stays NaN. */
function addTo(sum: Figures, figures: Figures, factor: 1 | -1): void {
  for (let p = 0; p < sum.length; p++) {
    const value = figures[p] ?? NONE
    if (!Number.isNaN(value)) sum[p] = (sum[p] || 0) + factor * value
  }
}
