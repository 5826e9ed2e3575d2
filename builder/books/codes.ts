/** Numbers that tables and typed arrays hold for what text says elsewhere. */
import type { Basis } from '../contract/vocabulary.ts'

export const BASIS_CODE = { ACCRUAL: 0, CASH: 1 } as const satisfies Record<Basis, number>
