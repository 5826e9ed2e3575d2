/** The rooms of the program as data: which may import which, and which file to open first. ARCHITECTURE.md has the same as a table. */

const INTAKE = ['ingest/parquet', 'ingest/text', 'ingest/claims', 'ingest/workbook', 'ingest/format']
const INSIDE_INGEST = [...INTAKE, 'ingest/tables']
const FORMATS = ['ads', 'fec', 'plain-text', 'reports', 'saft', 'sie'].map((name) => `ingest/formats/${name}`)

/** Every room, from the ground up, with what it may import besides itself. */
export const MAY_IMPORT: Record<string, readonly string[]> = {
  contract: [],
  // HTML, and nothing else.
  pages: [],
  workspace: ['contract'],
  'ingest/parquet': ['contract', 'workspace'],
  'ingest/text': ['contract', 'workspace', 'ingest/parquet'],
  // What columns, titles and sheets that nobody reads may mean.
  'ingest/claims': ['contract', 'workspace', 'ingest/text'],
  'ingest/workbook': ['contract', 'workspace', 'ingest/text'],
  'ingest/format': [
    'contract',
    'workspace',
    'ingest/parquet',
    'ingest/text',
    'ingest/claims',
    'ingest/workbook',
  ],
  'ingest/tables': ['contract', 'workspace', ...INTAKE],
  // One format never imports another; what they share is `ingest/format`.
  ...Object.fromEntries(FORMATS.map((format) => [format, ['contract', 'workspace', ...INTAKE]])),
  ingest: ['contract', 'workspace', ...INSIDE_INGEST, ...FORMATS],
  books: ['contract', 'workspace', ...INSIDE_INGEST],
  // Reads ledgers on a cluster.
  spark: ['contract', 'workspace', 'ingest/text', 'ingest/format', 'books'],
  statements: ['contract', 'workspace', 'books'],
  tieouts: ['contract', 'workspace', 'books', 'statements'],
  // Knows no accounting: it keeps files.
  snapshot: ['contract', 'workspace'],
  // Speaks with a store of objects.
  bucket: ['contract', 'workspace', 'snapshot'],
  // Where snapshots are published: a folder, or a bucket.
  location: ['contract', 'workspace', 'snapshot', 'bucket'],
  signing: ['contract', 'workspace', 'snapshot', 'location'],
  'period-lock': ['contract', 'workspace', 'books', 'snapshot'],
  // From a published figure back to the rows of its sources; those of SIE budgets it reads as their format does.
  inspect: [
    ...['contract', 'workspace', 'ingest/text', 'ingest/workbook', 'ingest/formats/sie'],
    ...['books', 'statements', 'snapshot'],
  ],
  // Published statements as people read them.
  report: ['contract', 'workspace', 'pages', 'books', 'statements', 'snapshot', 'inspect'],
  // Keeps files as well: bags of what the snapshots hold, with their reports.
  archive: ['contract', 'workspace', 'pages', 'snapshot', 'report'],
  adhoc: ['contract', 'workspace', 'books', 'statements', 'snapshot', 'report'],
  // Figures of snapshots as files of other formats.
  export: ['contract', 'workspace', 'books', 'statements', 'snapshot', 'inspect', 'report'],
  add: ['contract', 'workspace', 'ingest', ...INSIDE_INGEST],
  build: [
    ...[
      'contract',
      'workspace',
      'ingest',
      'ingest/text',
      'ingest/format',
      'books',
      'spark',
      'statements',
      'tieouts',
    ],
    ...['snapshot', 'bucket', 'location', 'signing', 'period-lock', 'inspect', 'report'],
  ],
  verify: [
    ...['contract', 'workspace', 'ingest', 'ingest/format', 'books', 'snapshot', 'signing', 'report'],
    ...['archive', 'period-lock', 'build'],
  ],
  // Hands companies out to workers, and builds none.
  queue: ['contract', 'workspace'],
  approval: ['contract', 'workspace', 'snapshot', 'inspect', 'report', 'verify'],
  // Computes nothing: answers lie in snapshots, other ranges come from a process that it only forks.
  serve: ['contract', 'workspace', 'pages', 'snapshot', 'location'],
  cli: [
    ...[
      'contract',
      'workspace',
      'books',
      'spark',
      'snapshot',
      'bucket',
      'location',
      'signing',
      'archive',
      'period-lock',
      'inspect',
      'export',
      'report',
    ],
    ...['add', 'build', 'verify', 'queue', 'approval', 'serve'],
  ],
}

/** The file that a newcomer opens first: it says what the room owns, and what it must not do. */
export const FIRST_FILE: Record<string, string> = {
  contract: 'builder/contract/vocabulary.ts',
  pages: 'builder/pages/html.ts',
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
  books: 'builder/books/books.ts',
  spark: 'builder/spark/spark.ts',
  statements: 'builder/statements/specs.ts',
  tieouts: 'builder/tieouts/tieouts.ts',
  snapshot: 'builder/snapshot/layout.ts',
  bucket: 'builder/bucket/bucket.ts',
  location: 'builder/location/location.ts',
  signing: 'builder/signing/signing.ts',
  archive: 'builder/archive/archive.ts',
  'period-lock': 'builder/period-lock/guard.ts',
  adhoc: 'builder/adhoc/child.ts',
  inspect: 'builder/inspect/inspect.ts',
  report: 'builder/report/report.ts',
  export: 'builder/export/export.ts',
  add: 'builder/add/add.ts',
  build: 'builder/build/build.ts',
  verify: 'builder/verify/verify.ts',
  queue: 'builder/queue/queue.ts',
  approval: 'builder/approval/approve.ts',
  serve: 'serve/server.ts',
  cli: 'cli/main.ts',
}
