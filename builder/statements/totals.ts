/** The totals of a statement, by its specification: sums of the rows of its sections. */

import type { Figures, StatementRow, SummaryRow } from '../contract/document.ts'
import { figureAt } from '../contract/figures.ts'
import { present } from '../contract/present.ts'
import type { Section } from '../contract/vocabulary.ts'
import type { StatementSpec } from './specs.ts'

/** The figures of a total that the statement always has. */
export const totalOf = ({ summary }: Pick<StatementBody, 'summary'>, name: string): Figures =>
  present(summary.find((row) => row.name === name)?.values, `total ${name} on the statement`)

/** Rows and totals of a statement: all of them, also those that are zero throughout. */
export interface StatementBody {
  readonly rows: readonly StatementRow[]
  readonly summary: readonly SummaryRow[]
}

export interface Cash {
  readonly beginning: Figures
  readonly ending: Figures
}

/** Makes the totals of one statement after the other in the same memory: a body is sound until the next is made. */
export class Totals {
  readonly #nothing: Figures
  readonly #sections: ReadonlyMap<Section, Figures>
  readonly #totals: readonly { readonly row: SummaryRow; readonly parts: readonly Part[] | 'cash' }[]

  /** `nothing` is what a total without rows shows: 0, or no figure (NaN). */
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

  /** Rows stand in section order. */
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

/** Adds figures; "no figure" (NaN) adds nothing, and a sum of none stays none. */
function addTo(sum: Figures, figures: Figures, factor: 1 | -1): void {
  for (let p = 0; p < sum.length; p++) {
    const value = figureAt(figures, p)
    if (!Number.isNaN(value)) sum[p] = (figureAt(sum, p) || 0) + factor * value
  }
}
