/** On which basis a report was run. English, as the programs write it. */
import type { Basis } from '../../../../contract/vocabulary.ts'

/** `Accrual Basis Tuesday, January 7, 2025 10:12 AM GMT-5`, `Monday, Mar 02, 2026 12:01:05 PM GMT-8 - Cash Basis`. */
export function basisOf(text: string): Basis | null {
  const [, before, after] = /\b(accrual|cash)\s+basis\b|\bbasis:?\s+(accrual|cash)\b/i.exec(text) ?? []
  const basis = before ?? after
  return basis === undefined ? null : basis.toLowerCase() === 'cash' ? 'CASH' : 'ACCRUAL'
}
