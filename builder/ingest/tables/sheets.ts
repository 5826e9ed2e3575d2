/** Decides which sheets of a workbook are read, and returns each with its header and rows. */
import type { TableSetting } from '../../workspace/company.ts'
import { error, type Finding, warning } from '../../workspace/findings/finding.ts'
import { COMPANY_FILE } from '../../workspace/workspace.ts'
import type { TextRow } from '../text/csv.ts'
import { headerOver } from '../workbook/merged-cells.ts'
import type { TextSheet } from '../workbook/xlsx.ts'
import { headerAt, REQUIRED, type TableKind } from './header.ts'

export interface ChosenSheet {
  readonly name: string
  /** The header, then the rows below it. */
  readonly rows: readonly TextRow[]
  /** The rows above the header. */
  readonly above: readonly TextRow[]
}

/** The sheets that the setting names, else all of this kind that are neither blank nor hidden. */
export function sheetTables(
  sheets: readonly TextSheet[],
  setting: TableSetting,
  place: { readonly file: string; readonly key: string; readonly role: TableKind },
): { readonly tables: readonly ChosenSheet[]; readonly findings: readonly Finding[] } {
  const { sheets: chosen, findings } =
    setting.sheet === undefined ? shownTables(sheets, setting, place) : named(sheets, setting, place)
  return {
    tables: chosen.map((sheet) => ({ name: sheet.name, ...belowTitle(sheet, place.role, setting) })),
    findings: [...findings, ...chosen.flatMap((sheet) => hiddenPart(sheet, place.file, chosen.length > 1))],
  }
}

const headerOf = ({ rows }: TextSheet, role: TableKind, { columns }: TableSetting): number | null =>
  headerAt(
    rows.map(({ cells }) => cells),
    role,
    columns,
  )

function belowTitle(sheet: TextSheet, role: TableKind, setting: TableSetting): Omit<ChosenSheet, 'name'> {
  const at = headerOf(sheet, role, setting)
  if (at === null) return { rows: sheet.rows, above: [] }
  const { header, last } = headerOver(sheet.rows, at, sheet.merges)
  return { rows: [header, ...sheet.rows.slice(last + 1)], above: sheet.rows.slice(0, at) }
}

interface Chosen {
  readonly sheets: readonly TextSheet[]
  readonly findings: readonly Finding[]
}

type Place = { readonly file: string; readonly key: string; readonly role: TableKind }

function shownTables(sheets: readonly TextSheet[], setting: TableSetting, place: Place): Chosen {
  const filled = sheets.filter((sheet) => sheet.rows.length > 0)
  const shown = filled.filter((sheet) => !sheet.isHidden)
  const hidden = filled.filter((sheet) => sheet.isHidden).map((sheet) => hiddenSheet(sheet.name, place.file))
  if (shown.length === 0)
    return {
      sheets: [],
      findings: [
        error('empty-file', filled.length === 0 ? 'all its sheets are blank' : 'all its sheets are hidden', {
          file: place.file,
          remedy:
            filled.length === 0
              ? 'export the file again'
              : 'show the sheet that is meant, or name it in company.yaml',
        }),
      ],
    }
  const { sheets: chosen, findings } = onlyTables(shown, setting, place)
  return { sheets: chosen, findings: [...findings, ...hidden] }
}

/** A hidden sheet may be a copy of last year or a calculation: it is only read where company.yaml names it. */
const hiddenSheet = (name: string, file: string): Finding =>
  warning('hidden-sheet', `the sheet "${name}" is hidden, and not read`, {
    file,
    text: name,
    remedy: `where it counts, name it in company.yaml: "sheet: "${name}""; else nothing need be done`,
  })

/** Rows hidden by a filter are read as well, since figures would otherwise be missing unnoticed. */
function hiddenPart(
  { name, hiddenRows, hiddenColumns }: TextSheet,
  file: string,
  several: boolean,
): Finding[] {
  const parts = [
    ...(hiddenRows.length > 0
      ? [`${hiddenRows.length} hidden row${hiddenRows.length === 1 ? '' : 's'}`]
      : []),
    ...(hiddenColumns.length > 0
      ? [`hidden column${hiddenColumns.length === 1 ? '' : 's'} ${listed(hiddenColumns)}`]
      : []),
  ]
  if (parts.length === 0) return []
  return [
    warning('hidden-cells', `${parts.join(' and ')} of the sheet "${name}" are read like all others`, {
      file: several ? `${file}#${name}` : file,
      row: hiddenRows[0] ?? null,
      remedy: 'delete them in the workbook if they are not meant to count',
    }),
  ]
}

const listed = (letters: readonly string[]): string =>
  letters.length > 8 ? `${letters.slice(0, 8).join(', ')}, …` : letters.join(', ')

/**
 * Leaves out sheets that are not tables of this kind, such as notes, with a warning, since one of them may have a
 * misspelt header.
 */
function onlyTables(sheets: readonly TextSheet[], setting: TableSetting, { file, role }: Place): Chosen {
  const tables = sheets.filter((sheet) => headerOf(sheet, role, setting) !== null)
  if (tables.length === 0) return { sheets, findings: [] }
  const others = sheets.filter((sheet) => !tables.includes(sheet))
  const names = tables.map(({ name }) => `"${name}"`).join(', ')
  const findings = others.map(({ name, rows: [first] }) =>
    error('not-a-table', `the sheet "${name}" has no row with the columns ${REQUIRED[role].join(', ')}`, {
      file: `${file}#${name}`,
      row: first?.row ?? null,
      text: (first?.cells ?? [])
        .filter((cell) => cell !== '')
        .join(', ')
        .slice(0, 200),
      remedy: `name the sheets that are to be read in company.yaml: "sheet: ${tables.length === 1 ? names : `[${names}]`}"; or correct its header`,
    }),
  )
  return { sheets: tables, findings }
}

function named(sheets: readonly TextSheet[], setting: TableSetting, { file, key }: Place): Chosen {
  const filled = sheets.filter((sheet) => sheet.rows.length > 0)
  const names = [setting.sheet ?? []].flat()
  const findings = names
    .filter((name) => !filled.some((sheet) => sheet.name === name))
    .map((name) =>
      error('no-such-sheet', `${file} has no sheet "${name}" with rows in it`, {
        file: COMPANY_FILE,
        column: `${key}.sheet`,
        text: name,
        remedy: `its sheets are ${filled.map((sheet) => `"${sheet.name}"`).join(', ') || 'all blank'}`,
      }),
    )
  return { sheets: filled.filter((sheet) => names.includes(sheet.name)), findings }
}
