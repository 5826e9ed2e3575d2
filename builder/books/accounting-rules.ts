/**
 * The rules by which books are made (accounting.md §13): those of the formats 1 and 2 of snapshots, or those of format 3, which place
 * movements of cash by their entries. A company with closed months keeps its rules until somebody adopts the newer ones.
 */
export type AccountingRules = 2 | 3
export const NEWEST_RULES: AccountingRules = 3

/** The rules by which a snapshot was made: its format says them. */
export const rulesOfFormat = (format: number): AccountingRules => (format < 3 ? 2 : NEWEST_RULES)
