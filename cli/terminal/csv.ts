/** Writes rows as CSV (RFC 4180), for spreadsheets and other programs. A text that they would take for a formula gets an apostrophe. */
import { notFormula } from '../../builder/report/export/formula-text.ts'
import { UsageError } from './exit.ts'
import type { Terminal } from './terminal.ts'

type Value = string | number | boolean | null

export function csvText(header: readonly string[], rows: readonly (readonly Value[])[]): string {
  return [header, ...rows].map((row) => row.map(cell).join(',')).join('\n')
}

const cell = (value: Value): string => {
  const text = value === null ? '' : notFormula(String(value))
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** Throws {@link UsageError} where both --csv and --json are given. */
export function refuseBoth(terminal: Terminal, csv: boolean | undefined): void {
  if (csv && terminal.json) throw new UsageError('--csv and --json exclude each other: choose one')
}

/** The workbook or page that `--to` names, if any. Throws UsageError for a name that no program would open as one. */
export function sheetsName(to: string | undefined): string | undefined {
  if (to !== undefined && !/\.(xlsx|html)$/i.test(to))
    throw new UsageError(`${to} ends in neither .xlsx nor .html: --to <name>.xlsx`)
  return to
}
