/**
 * The table that an engine makes in DuckDB of the rows that `wrong` of its job selects: `file`, `row`, and each value as text, as it stands
 * in the file. What is said of such rows shows it, since the files need not be here.
 */
export const WRONG_ROWS = 'wrong_row'
