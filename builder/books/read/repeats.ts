/** Finds transactions that the books hold twice, and transaction ids that start again each year and so join two vouchers to one entry. */

import { type Database, tablesOf } from '../../database/database.ts'
import type { LedgerInput } from '../../ingest/format/intake.ts'
import { error, type Finding, ofLedger, warning } from '../../workspace/findings/finding.ts'
import type { Frame } from '../reference/frame.ts'
import { type Entries, ODD_LINES } from './entries.ts'
import { entryColumnOf, inputAt } from './ledger-context.ts'

/** Warns of transaction ids with lines in more than one fiscal year. */
export async function repeatFindings(
  db: Database,
  frame: Frame,
  files: readonly string[],
  entries: Entries,
): Promise<Finding[]> {
  const starts = frame.fiscalYears.slice(1).map((year) => `DATE '${year.start}'`)
  if (starts.length === 0 || !entries.spanDays) return []
  const [row] = await db.rows<{
    tx: string
    first: string
    last: string
    file: number
    row: string
    found: string
  }>(`
    SELECT tx, first::VARCHAR AS first, last::VARCHAR AS last, place[1] AS file, place[2] AS row, count(*) OVER () AS found FROM (
      SELECT basis, tx, min(day) AS first, max(day) AS last, arg_max([file, row], day) AS place FROM posting GROUP BY basis, tx)
    WHERE len(list_filter([${starts.join(', ')}], lambda start: start > first AND start <= last)) > 0
    ORDER BY first, tx LIMIT 1`)
  if (!row) return []
  return [
    warning(
      'transaction-id-in-two-years',
      `${row.found} transaction id${row.found === '1' ? ' stands' : 's stand'} in more than one fiscal year; ${ofLedger(row.tx)} is dated ${row.first} and ${row.last}: its lines count as one entry`,
      {
        file: files[row.file] ?? null,
        row: Number(row.row),
        column: 'transaction_id',
        text: row.tx,
        remedy: 'where numbers begin anew each year, export ids that tell the years apart, such as 2024-17',
      },
    ),
  ]
}

/**
 * Finds transactions that stand in two files, with the same lines or with corrected ones: exports of overlapping periods, or one export
 * saved twice in another order or with another column. The halves of an entry that is written into two files do not balance by
 * themselves. There is one finding for each pair of files, because that is one mistake; where accounts differ, they may be other entries
 * with the same number, and it only warns.
 */
export async function overlapFindings(
  db: Database,
  files: readonly string[],
  entries: Entries,
): Promise<Finding[]> {
  if (!entries.spanFiles) return []
  const rows = await db.rows<{
    before: number
    file: number
    row: string
    tx: string
    first: string
    last: string
    found: string
    are_same: boolean
    are_alike: boolean
  }>(`
    WITH line AS (FROM posting UNION ALL BY NAME FROM opening_line),
    content AS (
      SELECT basis, tx, file, sum(hash(day, account, class, department, amount)) AS content, count(*) AS lines,
        min(row) AS row, min(day) AS day, sum(amount) AS total, list_sort(list(DISTINCT account)) AS accounts
      FROM line GROUP BY basis, tx, file),
    pair AS (
      SELECT a.file AS before, b.file AS file, b.row, b.tx, b.day, a.content = b.content AND a.lines = b.lines AS is_same,
        a.accounts = b.accounts AS is_alike
      FROM content a JOIN content b ON a.basis = b.basis AND a.tx = b.tx AND a.file < b.file
      WHERE is_same OR (a.day = b.day AND a.total = 0 AND b.total = 0 AND list_has_any(a.accounts, b.accounts)))
    SELECT before, file, min(row) AS row, arg_min(tx, row) AS tx, min(day)::VARCHAR AS first, max(day)::VARCHAR AS last,
      count(*) AS found, bool_and(is_same) AS are_same, bool_or(is_same OR is_alike) AS are_alike
    FROM pair GROUP BY before, file ORDER BY before, file`)
  return rows.map(({ before, file, row, tx, first, last, found, are_same, are_alike }) => {
    const many = found !== '1'
    const place = files[before] === files[file] ? 'another sheet of the file' : files[before]
    const severe = are_alike ? error : warning
    return severe(
      'transaction-in-two-files',
      `${found} transaction${many ? 's' : ''} of ${first === last ? first : `${first} to ${last}`}, ${ofLedger(tx)} first, stand${many ? '' : 's'} with ${are_same ? 'the same' : 'other'} lines in ${place}: ${are_alike ? `${many ? 'they' : 'it'} would count twice` : 'where these correct those, both count'}`,
      {
        file: files[file] ?? null,
        row: Number(row),
        column: 'transaction_id',
        text: tx,
        remedy:
          'keep the newer one of the two exports, or export periods that do not overlap; where they are other entries, give each file ids of its own',
      },
    )
  })
}

/**
 * Finds numbered entries that stand in their file again, further down, with the same lines: by the rule of their format a number belongs to one
 * entry. `settleEntries` has left those whose lines do not stand together in `scattered`. Lines may be in another order, as by account, so that
 * those that stand together need not be all of an entry: only stretches that balance are compared.
 */
export async function numberedTwice(db: Database, inputs: readonly LedgerInput[]): Promise<Finding[]> {
  if ((await tablesOf(db, ['scattered'])).length === 0) return []
  const rows = await db.rows<{ file: number; tx: string; row: string; found: string }>(`
    WITH numbered AS (
      SELECT basis, tx, file, row, account, memo, amount, credited, row - row_number() OVER (PARTITION BY basis, tx, file ORDER BY row) AS stretch
      FROM line JOIN scattered USING (basis, tx)),
    stretch AS (
      SELECT basis, tx, file, min(row) AS row, sum(hash(account, memo, amount, credited)) AS content FROM numbered
      GROUP BY basis, tx, file, stretch HAVING sum(amount) = 0),
    again AS (
      SELECT basis, tx, file, row, row_number() OVER (PARTITION BY basis, tx, file, content ORDER BY row) AS nth FROM stretch)
    SELECT file, arg_min(tx, row) AS tx, min(row) AS row, count(*) AS found FROM again WHERE nth > 1 GROUP BY file ORDER BY file`)
  await db.run('DROP TABLE scattered')
  return rows.map(({ file, tx, row, found }) =>
    error(
      'entry-repeated',
      `${found === '1' ? `entry ${ofLedger(tx)} stands` : `${found} entries, ${ofLedger(tx)} first, stand`} in the file twice, with the same number, date and lines, and would count twice`,
      {
        file: inputAt(inputs, file).file,
        row: Number(row),
        column: entryColumnOf(inputAt(inputs, file)),
        text: tx,
        remedy: 'export it once more into a new file: was it appended to itself?',
      },
    ),
  )
}

/** So many entries alike in a row are not chance. */
const RUN = 3

/**
 * Finds entries that stand again among the files of a format that counts them: an error of those whose number stands above already. Two
 * entries without a number may well be alike; only several in a row, or all of a file, give a warning.
 */
export async function countedTwice(db: Database, inputs: readonly LedgerInput[]): Promise<Finding[]> {
  const wholes = inputs.map((input) => (input.kind === 'csv' ? input.whole : undefined))
  const counted = wholes.flatMap((whole, file) => (whole?.numbers === 'counted' ? [file] : []))
  if (counted.length === 0) return []
  await db.run('CREATE TEMP TABLE renumbered (file INTEGER, tx VARCHAR)')
  await db.append(
    'renumbered',
    wholes.flatMap((whole, file) => [...(whole?.renumbered ?? [])].map((id) => [file, id])),
  )
  const rows = await db.rows<{
    file: number
    row: string
    before: number
    before_row: string
    found: string
    numbered: boolean
  }>(`
    WITH entry AS (
      SELECT file, tx, min(row) AS row, sum(hash(entered, account, class, department, amount, memo, reference)) AS content
      FROM line WHERE file IN (${counted.join(', ')}) AND tx IS NOT NULL GROUP BY file, tx),
    placed AS (SELECT *, row_number() OVER (ORDER BY file, row) AS place, count(*) OVER (PARTITION BY file) AS entries FROM entry),
    again AS (
      SELECT one.*, first.place AS first, first.file AS before, first.row AS before_row, count(*) OVER (PARTITION BY one.file) AS repeated,
        before = one.file AND (one.file, one.tx) IN (FROM renumbered) AS numbered
      FROM placed one JOIN (SELECT content, min(place) AS place, arg_min(file, place) AS file, arg_min(row, place) AS row FROM placed
        GROUP BY content HAVING count(*) > 1) first ON one.content = first.content AND one.place > first.place),
    run AS (
      SELECT file, place - row_number() OVER (PARTITION BY file, place - first ORDER BY place) AS run, * EXCLUDE (file) FROM again),
    told AS (
      SELECT file, min(row) AS row, arg_min(before, row) AS before, arg_min(before_row, row) AS before_row, count(*) AS found, true AS numbered
      FROM again WHERE numbered GROUP BY file
      UNION ALL
      SELECT file, min(row), arg_min(before, row), arg_min(before_row, row), count(*) AS found, false
      FROM run GROUP BY file, place - first, run
      HAVING count(*) >= ${RUN} OR any_value(repeated) * 2 = any_value(entries) OR any_value(repeated) = any_value(entries))
    FROM told QUALIFY row_number() OVER (PARTITION BY file ORDER BY numbered DESC, found DESC, row) = 1 ORDER BY file`)
  await db.run('DROP TABLE renumbered')
  return rows.map(({ file, row, before, before_row, found, numbered }) => {
    const at = before === file ? `row ${before_row}` : `${inputAt(inputs, before).file}, row ${before_row}`
    const what =
      found === '1' ? 'a transaction stands' : `${found} transactions${numbered ? '' : ' in a row'} stand`
    const place = { file: inputAt(inputs, file).file, row: Number(row) }
    return numbered
      ? error(
          'entry-repeated',
          `${what} twice in this file, with the same number, date and lines: in ${at}, and again in row ${row}`,
          {
            ...place,
            remedy: 'export the journal once more into a new file: as it stands, it would count twice',
          },
        )
      : warning(
          'entry-repeated',
          `${what} here as in ${at}, with the same dates, texts and lines. Is the export, or a part of it, there twice?`,
          {
            ...place,
            remedy:
              'if so, take the repetition out: as it stands, it counts twice; if they are different transactions that look alike, nothing need be done',
          },
        )
  })
}

/**
 * Warns of entries that occur twice in one file, with the same number and lines: the file was pasted into itself, or
 * overlapping exports were joined. It is only a warning, because an entry may have equal lines for good reason. Files with an error
 * about repeated entries in `reported` are left out.
 */
export async function doubledFindings(
  db: Database,
  files: readonly string[],
  { haveDoubles, spanFiles }: Entries,
  reported: readonly Finding[],
): Promise<Finding[]> {
  if (!haveDoubles && !spanFiles) return []
  const rows = await db.rows<{
    file: number
    tx: string
    row: string
    again: string
    found: string
    all: string
  }>(`
    WITH entry AS (SELECT basis, tx, file, count(*) AS lines, ${ODD_LINES} AS odd FROM line GROUP BY basis, tx, file),
    doubled AS (SELECT basis, tx, file, lines FROM entry WHERE lines >= 4 AND odd IS NULL),
    place AS (
      SELECT file, tx, list_sort(list(row)) AS place, any_value(lines) AS lines FROM line JOIN doubled USING (basis, tx, file)
      GROUP BY basis, tx, file)
    SELECT file, arg_min(tx, place[1]) AS tx, min(place[1]) AS row, arg_min(place[lines // 2 + 1], place[1]) AS again,
      count(*) AS found, (SELECT count(*) FROM entry WHERE entry.file = place.file) AS all
    FROM place GROUP BY file ORDER BY file`)
  const known = new Set(reported.filter(({ code }) => code === 'entry-repeated').map(({ file }) => file))
  return rows
    .filter(({ file }) => !known.has(files[file] ?? null))
    .map(({ file, tx, row, again, found, all }) =>
      warning(
        'entry-repeated',
        `${found === '1' ? `the lines of entry ${ofLedger(tx)} stand` : `the lines of ${found === all ? `all ${found}` : found} entries, ${ofLedger(tx)} first, stand`} twice in this file: in row ${row}, and again in row ${again}. Is the file, or a part of it, in it twice?`,
        {
          file: files[file] ?? null,
          row: Number(again),
          column: 'transaction_id',
          text: tx,
          remedy: `if so, take the repetition out: as it stands, ${found === '1' ? 'it counts' : 'they count'} twice; if these are other lines that happen to be alike, nothing need be done`,
        },
      ),
    )
}
