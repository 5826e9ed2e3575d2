/** Tests the journal entries of a published snapshot: `tieout journal-tests`. The same snapshot and parameters give the same result. */
import { isAny, quoted } from '../../database/database.ts'
import { sha256 } from '../../system/hash.ts'
import { failed, oneOf, type Resolved, unknown } from '../inspect.ts'
import { type Benford, benfordByAccount } from './benford.ts'
import { type AuditedLines, type LinesRequest, moneySql, openLines, type Population } from './lines.ts'
import { type AskedParameters, parameterFindings, sqlOf, textsOf } from './parameters.ts'
import { JOURNAL_RULES, type JournalRule } from './rules.ts'

export interface JournalTestsRequest extends LinesRequest {
  /** Ids of rules; all where it is empty. */
  readonly rules: readonly string[]
  readonly parameters: AskedParameters
  /** How many hits of each rule are listed; the others are only counted. */
  readonly list: number
}

/** A line that a rule found. Amounts are decimal text. */
export interface Hit extends Record<string, unknown> {
  readonly why: string
  readonly entry: string
  readonly date: string
  readonly account: string
  readonly name: string
  readonly debit: string | null
  readonly credit: string | null
  readonly memo: string | null
  /** The name of the party, else its id. */
  readonly party: string | null
  readonly file: string
  readonly row: number
}

export interface RuleResult {
  readonly id: string
  readonly title: string
  readonly parameters: Readonly<Record<string, string>>
  /** Why the rule was not applied; null where it was. */
  readonly leftOut: string | null
  /** Numbers of lines and entries that it found. */
  readonly hits: number
  readonly entries: number
  readonly listed: readonly Hit[]
}

export interface JournalTests {
  readonly company: string
  readonly snapshotId: string
  readonly manifestSha256: string
  readonly currency: string
  readonly basis: string
  readonly startDate: string
  readonly endDate: string
  readonly population: Population
  readonly rules: readonly RuleResult[]
  readonly benford: readonly Benford[]
  /** Of all hits, with their rules and parameters: equal where the same was found by the same rules. */
  readonly sha256: string
}

/** Throws SnapshotDamagedError. Unknown names, months, rules and parameters are findings. */
export async function journalTests(
  root: string,
  request: JournalTestsRequest,
  /** Writes all hits elsewhere while the lines are open. */
  keep: (lines: AuditedLines, tests: JournalTests) => Promise<void> = async () => {},
): Promise<Resolved<JournalTests>> {
  const ids = JOURNAL_RULES.map(({ id }) => id)
  const strange = request.rules.filter((id) => !ids.includes(id))
  if (strange.length > 0)
    return failed(
      ...strange.map((id) => unknown('unknown-rule', `there is no journal test "${id}"`, id, oneOf(id, ids))),
    )
  const opened = await openLines(root, request)
  if (opened.findings) return opened
  const lines = opened.value
  try {
    const findings = parameterFindings(JOURNAL_RULES, request.parameters, lines.frame)
    if (findings.length > 0) return failed(...findings)
    const tests = await run(lines, request)
    await keep(lines, tests)
    return { value: tests }
  } finally {
    lines.close()
  }
}

async function run(lines: AuditedLines, request: JournalTestsRequest): Promise<JournalTests> {
  const { snapshot, frame, basis, startDate, endDate, population, db } = lines
  await db.run('CREATE TABLE hit (rule VARCHAR, seq INTEGER, why VARCHAR)')
  const rules: RuleResult[] = []
  for (const rule of JOURNAL_RULES)
    if (request.rules.length === 0 || request.rules.includes(rule.id))
      rules.push(await applied(lines, rule, request))
  const benford = request.rules.length === 0 ? await benfordByAccount(lines) : []
  const marks = await db.rows<{ rule: string; mark: string }>(
    `SELECT rule, sha256(string_agg(seq || ' ' || why, chr(10) ORDER BY seq, why)) AS mark FROM hit GROUP BY rule ORDER BY rule`,
  )
  const parameters = rules.map(({ id, leftOut, ...rest }) => [id, rest.parameters, leftOut])
  return {
    ...{ company: snapshot.company, snapshotId: snapshot.id, manifestSha256: snapshot.manifestHash },
    ...{
      currency: frame.currency,
      basis: basis.toLowerCase(),
      startDate,
      endDate,
      population,
      rules,
      benford,
    },
    sha256: sha256(
      JSON.stringify([snapshot.manifestHash, basis, startDate, endDate, parameters, marks, benford]),
    ),
  }
}

async function applied(
  { db, frame }: AuditedLines,
  rule: JournalRule,
  { parameters: asked, list }: JournalTestsRequest,
): Promise<RuleResult> {
  const parameters = textsOf(rule, asked)
  const about = { id: rule.id, title: rule.title, parameters }
  const untold = Object.entries(parameters).find(([, text]) => text === '')?.[0]
  const leftOut =
    untold !== undefined
      ? `say ${untold}: --set ${rule.id}.${untold}=…`
      : rule.needs && !(await isMet(db, rule.needs.condition))
        ? rule.needs.missing
        : null
  if (leftOut !== null) return { ...about, leftOut, hits: 0, entries: 0, listed: [] }
  const id = quoted(rule.id)
  await db.run(
    `INSERT INTO hit SELECT ${id}, seq, why FROM (${rule.hits(sqlOf(rule, asked, frame), (minor) => moneySql(frame, minor))})`,
  )
  const found = await db.row<{ hits: string; entries: string }>(
    `SELECT count(DISTINCT seq)::VARCHAR AS hits, count(DISTINCT entry)::VARCHAR AS entries FROM hit JOIN line USING (seq) WHERE rule = ${id}`,
  )
  const listed = await db.rows<Hit & { row: string }>(
    `SELECT * EXCLUDE (rule) FROM (${hitsSql(frame)}) WHERE rule = ${id} LIMIT ${list}`,
  )
  return {
    ...about,
    leftOut,
    hits: Number(found.hits),
    entries: Number(found.entries),
    listed: listed.map((hit) => ({ ...hit, row: Number(hit.row) })),
  }
}

const isMet = (db: AuditedLines['db'], condition: string): Promise<boolean> =>
  isAny(db, `(SELECT 1 FROM line WHERE ${condition} LIMIT 1)`)

/** A query for all hits, rule by rule in the order of the books. */
export const hitsSql = (frame: AuditedLines['frame']): string =>
  `SELECT rule, why, entry, date::VARCHAR AS date, coalesce(account.number, line.account) AS account, coalesce(account.name, '') AS name,
     CASE WHEN amount >= 0 THEN ${moneySql(frame, 'amount')} END AS debit, CASE WHEN amount < 0 THEN ${moneySql(frame, '-amount')} END AS credit,
     memo, coalesce(party, party_id) AS party, file, row
   FROM hit JOIN line USING (seq) LEFT JOIN account ON account.id = line.account
   ORDER BY list_position([${JOURNAL_RULES.map(({ id }) => quoted(id)).join(', ')}], rule), seq, why`
