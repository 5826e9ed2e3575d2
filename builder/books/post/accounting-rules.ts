/**
 * The rules by which books are made (accounting.md §13), as numbers of the first format of snapshots that has them: 2 stands for formats
 * 1 and 2; since 3 movements of cash are placed by their entries; since 4 money is unapplied on the derived cash basis until its document
 * is there. A company with closed months keeps its rules until somebody adopts the newer ones.
 */
export type AccountingRules = 2 | 3 | 4
export const NEWEST_RULES: AccountingRules = 4

/** The rules by which a snapshot was made: its format says them. */
export const rulesOfFormat = (format: number): AccountingRules =>
  format < 3 ? 2 : format === 3 ? 3 : NEWEST_RULES
