/**
 * What every export states about its origin, so that its reader can trace it: the snapshot, the filters, the
 * sources, the control totals and the identities that were checked. It states no date and no path: equal exports
 * are equal byte for byte.
 */

import { sourceFacts } from '../../snapshot/files/completeness.ts'
import { stateText } from '../../snapshot/files/input-state.ts'
import type { InputEntry, Manifest, TieOutEntry } from '../../snapshot/files/manifest.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'
import { withoutNotes } from '../../workspace/findings/finding.ts'
import { PACK } from './names.ts'
import type { ExportTable } from './table.ts'

interface Parameters {
  readonly What: string
  readonly Format: string
  readonly Statements: readonly string[]
  readonly Basis: string
  readonly BudgetId: string | null
  readonly ClassId: string | null
  readonly DepartmentId: string | null
  readonly From: string
  readonly Through: string
}

interface ExportedTable {
  readonly Table: string
  readonly Rows: number
  readonly ControlTotals: Readonly<Record<string, string>>
}

export interface Provenance {
  readonly Software: string
  readonly Company: string
  readonly CompanyName: string
  readonly SnapshotId: string
  readonly ManifestSha256: string
  readonly KeyId: string | null
  readonly PublishedAt: string
  readonly PublishedBy: string
  readonly Currency: string
  readonly Coverage: Manifest['Coverage']
  readonly Parameters: Parameters
  readonly Tables: readonly ExportedTable[]
  readonly Sources: readonly InputEntry[]
  /** What is known of the completeness of each source: file, fact, value. */
  readonly Completeness: readonly (readonly string[])[]
  readonly TieOuts: readonly TieOutEntry[]
  readonly Warnings: number
}

export const provenanceOf = (
  { company, id, manifest, manifestHash }: Snapshot,
  companyName: string,
  software: string,
  parameters: Parameters,
  tables: readonly ExportTable[],
): Provenance => ({
  Software: software,
  Company: company,
  CompanyName: companyName,
  SnapshotId: id,
  ManifestSha256: manifestHash,
  KeyId: manifest.Build.KeyId ?? null,
  PublishedAt: manifest.Build.At,
  PublishedBy: `${manifest.Tool.Name} ${manifest.Tool.Version}`,
  Currency: manifest.Currency,
  Coverage: manifest.Coverage,
  Parameters: parameters,
  Tables: tables.map(({ name, rows, controlTotals }) => ({
    Table: name,
    Rows: rows,
    ControlTotals: controlTotals,
  })),
  Sources: manifest.Inputs,
  Completeness: manifest.Inputs.flatMap((input) =>
    sourceFacts(manifest, input).map((fact) => [input.File, ...fact]),
  ),
  TieOuts: manifest.TieOuts,
  Warnings: withoutNotes(manifest.Warnings).length,
})

/** The metadata of Parquet and Arrow files, under our own key. */
export const metadataOf = ({
  Completeness: _,
  ...provenance
}: Provenance): Readonly<Record<string, string>> => ({
  'tieout.provenance': JSON.stringify(provenance),
})

type Rows = readonly string[][]

/** The provenance as tables: `[title, rows of cells]` for each part. */
export const provenanceRows = (found: Provenance): readonly (readonly [string, Rows])[] => [
  ['Export', exportRows(found)],
  ...(found.Tables.length === 0 ? [] : [['Control totals', controlTotalRows(found)] as const]),
  ['Sources', sourceRows(found)],
  ['SHA-256 of the sources', hashRows(found)],
  ['Completeness and accuracy of each source', found.Completeness.map((row) => [...row])],
  ['Identities', identityRows(found)],
]

const exportRows = ({ Parameters: asked, ...found }: Provenance): Rows => [
  ['Company', `${found.CompanyName} (${found.Company})`],
  ['Snapshot', found.SnapshotId],
  ['Manifest SHA-256', found.ManifestSha256],
  ['Signed by key', found.KeyId ?? 'nobody'],
  ['Published', `${found.PublishedAt} by ${found.PublishedBy}`],
  ['Coverage of the snapshot', `${found.Coverage.StartDate} to ${found.Coverage.EndDate}`],
  ['Currency', found.Currency],
  ['Exported by', found.Software],
  ['Statements', asked.Statements.join(', ')],
  ['Basis', asked.Basis],
  asked.What === PACK
    ? ['Budget beside actuals', asked.BudgetId ?? 'none']
    : ['Budget', asked.BudgetId ?? 'none: actuals'],
  ['Class', asked.ClassId ?? 'all'],
  ['Department', asked.DepartmentId ?? 'all'],
  ['Months', `${asked.From} to ${asked.Through}`],
  ['Warnings of the build', String(found.Warnings)],
]

const controlTotalRows = (found: Provenance): Rows => [
  ['Table', 'Rows', 'Column', 'Sum'],
  ...found.Tables.flatMap(({ Table, Rows, ControlTotals }) =>
    Object.entries(ControlTotals).map(([column, sum]) => [Table, String(Rows), column, sum]),
  ),
]

const sourceRows = (found: Provenance): Rows => [
  ['File', 'Role', 'Bytes', 'Rows read', 'Rows rejected', 'Debit', 'Credit', 'First', 'Last'],
  ...found.Sources.map((input) => [
    input.File,
    input.Role,
    String(input.Bytes),
    String(input.RowsRead),
    String(input.RowsRejected),
    input.Debit ?? '',
    input.Credit ?? '',
    input.FirstDate ?? '',
    input.LastDate ?? '',
  ]),
]

/** The hashes stand in a table of their own, so that a page need not be as wide as a hash beside the other columns. */
const hashRows = (found: Provenance): Rows =>
  found.Sources.map((source) => [source.File, source.Sha256 ?? stateText(source)])

const identityRows = (found: Provenance): Rows => [
  ['Identity', 'Statement', 'Basis', 'Comparisons', 'Left', 'Right', 'Largest difference', 'Result'],
  ...found.TieOuts.map((entry) => [
    entry.Identity,
    entry.Statement,
    entry.Basis,
    String(entry.Checks),
    entry.Left,
    entry.Right,
    entry.LargestDifference,
    entry.Result,
  ]),
]
