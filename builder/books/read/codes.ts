/** Numbers that stand for the accounting basis in DuckDB tables and typed arrays. */
import type { Basis } from '../../contract/vocabulary.ts'

export const BASIS_CODE = { ACCRUAL: 0, CASH: 1 } as const satisfies Record<Basis, number>

export const basisName = (code: number): Basis => (code === BASIS_CODE.CASH ? 'CASH' : 'ACCRUAL')
