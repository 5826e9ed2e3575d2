/** The rooms of the program as data: which may import which, and which file to open first. ARCHITECTURE.md has the same as a table. */

const GROUND = ['contract', 'system', 'workspace']
const INTAKE = ['ingest/parquet', 'ingest/text', 'ingest/claims', 'ingest/workbook', 'ingest/format']
const INSIDE_INGEST = [...INTAKE, 'ingest/tables']
const FORMATS = ['ads', 'fec', 'plain-text', 'reports', 'saft', 'sie'].map((name) => `ingest/formats/${name}`)
const FIGURES = [...GROUND, 'database', 'books', 'statements']

/** Every room, from the ground up, with what it may import besides itself. */
export const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  system: ['contract'],
  workspace: ['contract', 'system'],
  'ingest/parquet': GROUND,
  'ingest/text': [...GROUND, 'ingest/parquet'],
  // What columns, titles and sheets that nobody reads may mean.
  'ingest/claims': [...GROUND, 'ingest/text'],
  'ingest/workbook': [...GROUND, 'ingest/text'],
  'ingest/format': [...GROUND, 'ingest/parquet', 'ingest/text', 'ingest/claims', 'ingest/workbook'],
  'ingest/tables': [...GROUND, ...INTAKE],
  // One format never imports another; what they share is `ingest/format`.
  ...Object.fromEntries(FORMATS.map((format) => [format, [...GROUND, ...INTAKE]])),
  ingest: [...GROUND, ...INSIDE_INGEST, ...FORMATS],
  'ingest/add': [...GROUND, ...INSIDE_INGEST, 'ingest'],
  // Reads amounts and dates by the rules of ingest/text.
  database: [...GROUND, 'ingest/text'],
  books: [...GROUND, ...INSIDE_INGEST, 'database'],
  statements: FIGURES.slice(0, -1),
  'statements/tie-outs': FIGURES,
  // Knows no accounting: it keeps files.
  snapshot: GROUND,
  // Speaks with a store of objects.
  'snapshot/places/bucket': [...GROUND, 'snapshot'],
  // Where snapshots are published: a folder, or a bucket.
  'snapshot/places': [...GROUND, 'snapshot', 'snapshot/places/bucket'],
  'snapshot/signing': [...GROUND, 'snapshot', 'snapshot/places'],
  'snapshot/closing': [...GROUND, 'books', 'snapshot'],
  // From a published figure back to the rows of its sources; those of SIE budgets it reads as their format does.
  inspect: [...FIGURES, 'ingest/text', 'ingest/workbook', 'ingest/formats/sie', 'snapshot'],
  // Published statements as people read them.
  report: [...FIGURES, 'snapshot', 'inspect'],
  // Figures of snapshots as files of other formats.
  'report/export': [...FIGURES, 'snapshot', 'inspect', 'report'],
  'report/adhoc': [...FIGURES, 'snapshot', 'inspect', 'report', 'report/export'],
  // Reads ledgers on a cluster.
  'build/spark': [...GROUND, 'ingest/text', 'ingest/format', 'database', 'books'],
  // Reads what the members of a group have published.
  'build/group': [
    ...[...GROUND, 'ingest/text', 'ingest/format', 'ingest/tables', 'database', 'books', 'snapshot'],
  ],
  build: [
    ...[...FIGURES, 'ingest', 'ingest/text', 'ingest/format', 'statements/tie-outs', 'snapshot'],
    ...['snapshot/places/bucket', 'snapshot/places', 'snapshot/signing', 'snapshot/closing'],
    ...['inspect', 'report', 'build/spark', 'build/group'],
    // A group is set up from what its members have published.
    ...['ingest/add', 'ingest/tables'],
  ],
  // Hands companies out to workers, and builds none.
  'build/queue': GROUND,
  // Keeps files: bags of what the snapshots hold, with their reports.
  'evidence/archive': [...GROUND, 'snapshot', 'report'],
  'evidence/verify': [
    ...[...FIGURES, 'ingest', 'ingest/format', 'snapshot', 'snapshot/signing', 'snapshot/closing'],
    ...['report', 'build', 'build/group', 'evidence/archive'],
  ],
  'evidence/approval': [...GROUND, 'snapshot', 'inspect', 'report', 'evidence/verify'],
  // Computes nothing: answers lie in snapshots, other ranges come from a process that it only forks.
  serve: [...GROUND, 'snapshot', 'snapshot/places'],
  cli: [
    ...[...GROUND, 'ingest/add', 'books', 'snapshot', 'snapshot/places/bucket', 'snapshot/places'],
    ...['snapshot/signing', 'snapshot/closing', 'inspect', 'report', 'report/export', 'build', 'build/spark'],
    ...['build/queue', 'evidence/archive', 'evidence/verify', 'evidence/approval', 'serve'],
  ],
}

/** The file that a newcomer opens first: it says what the room owns, and what it must not do. */
export const FIRST_FILE: Record<string, string> = {
  contract: 'builder/contract/vocabulary.ts',
  system: 'builder/system/effects.ts',
  workspace: 'builder/workspace/workspace.ts',
  'ingest/parquet': 'builder/ingest/parquet/footer.ts',
  'ingest/text': 'builder/ingest/text/decode.ts',
  'ingest/workbook': 'builder/ingest/workbook/xlsx.ts',
  'ingest/format': 'builder/ingest/format/format.ts',
  'ingest/claims': 'builder/ingest/claims/claims.ts',
  'ingest/tables': 'builder/ingest/tables/table.ts',
  ...Object.fromEntries(FORMATS.map((room) => [room, `builder/${room}/${room.split('/')[2]}.ts`])),
  'ingest/formats/reports': 'builder/ingest/formats/reports/report.ts',
  ingest: 'builder/ingest/ingest.ts',
  'ingest/add': 'builder/ingest/add/add.ts',
  database: 'builder/database/database.ts',
  books: 'builder/books/books.ts',
  statements: 'builder/statements/specs.ts',
  'statements/tie-outs': 'builder/statements/tie-outs/tieouts.ts',
  snapshot: 'builder/snapshot/files/layout.ts',
  'snapshot/places/bucket': 'builder/snapshot/places/bucket/bucket.ts',
  'snapshot/places': 'builder/snapshot/places/location.ts',
  'snapshot/signing': 'builder/snapshot/signing/signing.ts',
  'snapshot/closing': 'builder/snapshot/closing/guard.ts',
  inspect: 'builder/inspect/inspect.ts',
  report: 'builder/report/report.ts',
  'report/export': 'builder/report/export/export.ts',
  'report/adhoc': 'builder/report/adhoc/child.ts',
  'build/spark': 'builder/build/spark/spark.ts',
  'build/group': 'builder/build/group/group.ts',
  build: 'builder/build/build.ts',
  'build/queue': 'builder/build/queue/queue.ts',
  'evidence/archive': 'builder/evidence/archive/archive.ts',
  'evidence/verify': 'builder/evidence/verify/verify.ts',
  'evidence/approval': 'builder/evidence/approval/approve.ts',
  serve: 'serve/server.ts',
  cli: 'cli/main.ts',
}
