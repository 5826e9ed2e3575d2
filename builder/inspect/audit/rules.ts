/**
 * The tests of journal entries as data (AS 2401.58 to .62; ISA 240 in the edition of 2009, paragraph 32 (a)): what each looks for,
 * with its parameters and the query that finds it. A new test is a new row.
 */
import type { Classification } from '../../contract/vocabulary.ts'
import { quoted } from '../../database/database.ts'

/** What the text of a parameter must be. An amount is in the currency of the books; lists are divided by commas. */
export type ParameterKind = 'count' | 'amount' | 'percent' | 'texts' | 'weekdays' | 'days'

export interface Parameter {
  readonly kind: ParameterKind
  /** Empty where only the auditor can say it: the rule is left out until then. */
  readonly default: string
}

export interface JournalRule {
  readonly id: string
  /** What a hit is, in a few words. */
  readonly title: string
  readonly parameters: Readonly<Record<string, Parameter>>
  /** What the lines must have, as an SQL condition that one of them meets, with the words for exports that lack it. */
  readonly needs?: { readonly condition: string; readonly missing: string }
  /** A query for the hits: `seq` of the line, and `why` in a few words. `of` gives the SQL of a parameter, `money` that of an amount's text. */
  hits(of: (parameter: string) => string, money: (minor: string) => string): string
}

const count = (of: number): Parameter => ({ kind: 'count', default: String(of) })
const texts = (...of: string[]): Parameter => ({ kind: 'texts', default: of.join(', ') })
const toldByAuditor = (kind: ParameterKind): Parameter => ({ kind, default: '' })

const INCOME = ['Income', 'OtherIncome'] as const satisfies readonly Classification[]
const among = (column: string, values: readonly string[]): string =>
  `${column} IN (${values.map(quoted).join(', ')})`

/** SQL: one row for an entry, with its account on each side where it has one alone there. */
const SIDES = `SELECT entry, min(account) FILTER (amount > 0) AS debited, min(account) FILTER (amount < 0) AS credited
  FROM line GROUP BY entry HAVING count(DISTINCT account) FILTER (amount > 0) = 1 AND count(DISTINCT account) FILTER (amount < 0) = 1`

const NO_DAY = 'no line states the day on which it was entered'
const NO_USER = 'no line states who entered it'

export const JOURNAL_RULES: readonly JournalRule[] = [
  {
    id: 'dated-back',
    title: 'Entered long after the day that counts',
    parameters: { days: count(30) },
    needs: { condition: 'entered_on IS NOT NULL', missing: NO_DAY },
    hits: (of) =>
      `SELECT seq, 'entered on ' || entered_on AS why FROM line WHERE entered_on - date > ${of('days')}`,
  },
  {
    id: 'seldom-user',
    title: 'Made by somebody who makes few entries',
    parameters: { entries: count(5) },
    needs: { condition: 'entered_by IS NOT NULL', missing: NO_USER },
    hits: (of) =>
      `SELECT seq, 'by ' || entered_by AS why FROM line
       WHERE entered_by IN (SELECT entered_by FROM line GROUP BY ALL HAVING count(DISTINCT entry) <= ${of('entries')})`,
  },
  {
    id: 'weekday',
    title: 'On a day of the week without work',
    parameters: { on: { kind: 'weekdays', default: 'Saturday, Sunday' } },
    hits: (of) =>
      `SELECT seq, dayname(date) AS why FROM line WHERE list_contains(${of('on')}, lower(dayname(date)))`,
  },
  {
    id: 'holiday',
    title: 'On a holiday',
    parameters: { days: { kind: 'days', default: '01-01, 12-25, 12-26' } },
    hits: (of) =>
      `SELECT seq, strftime(date, '%-d %B') AS why FROM line
       WHERE list_contains(${of('days')}, strftime(date, '%m-%d')) OR list_contains(${of('days')}, strftime(date, '%Y-%m-%d'))`,
  },
  {
    id: 'round-amount',
    title: 'A round amount',
    parameters: { of: { kind: 'amount', default: '1000' } },
    hits: (of, money) =>
      `SELECT seq, 'divisible by ' || ${money(of('of'))} AS why FROM line WHERE amount <> 0 AND amount % ${of('of')} = 0`,
  },
  {
    id: 'below-limit',
    title: 'Just below a limit of approval',
    parameters: { limit: toldByAuditor('amount'), percent: { kind: 'percent', default: '5' } },
    hits: (of, money) =>
      `SELECT seq, 'an entry of ' || ${money('debits')} AS why FROM line JOIN
       (SELECT entry, sum(amount) FILTER (amount > 0) AS debits FROM line GROUP BY entry) USING (entry)
       WHERE amount > 0 AND debits < ${of('limit')} AND debits::HUGEINT * 10000 >= ${of('limit')}::HUGEINT * (10000 - ${of('percent')})`,
  },
  {
    id: 'seldom-pair',
    title: 'Two accounts that hardly ever meet',
    parameters: { entries: count(1) },
    hits: (of) =>
      `WITH side AS (${SIDES}), pair AS (SELECT debited, credited, count(*) AS entries FROM side GROUP BY ALL)
       SELECT seq, debited || ' to ' || credited || ', ' || entries || CASE WHEN entries = 1 THEN ' entry' ELSE ' entries' END AS why
       FROM line JOIN side USING (entry) JOIN pair USING (debited, credited) WHERE entries <= ${of('entries')}`,
  },
  {
    id: 'income-against',
    title: 'Income against an account that income seldom has',
    parameters: {
      usual: texts('AccountsReceivable', 'Bank', 'CashEquivalent', 'CreditCard', 'OtherCurrentLiability'),
    },
    // Closing entries credit contra accounts, and have no other side to look at.
    hits: (of) =>
      `SELECT seq, 'no usual account in the entry' AS why FROM line JOIN account ON account.id = line.account
       WHERE amount < 0 AND NOT starts_with(kind, 'closing') AND ${among('classification', INCOME)} AND entry NOT IN (
         SELECT entry FROM line JOIN account ON account.id = line.account
         WHERE amount > 0 AND list_contains(${of('usual')}, lower(account.type)))`,
  },
  {
    id: 'manual-entry',
    title: 'By hand on an account that is filled from elsewhere',
    parameters: {
      journals: texts('general', 'manual', 'memorial', 'journal entry', 'memo', 'misc', 'divers'),
      types: texts('AccountsReceivable', 'AccountsPayable', 'Inventory'),
    },
    needs: {
      condition: 'journal IS NOT NULL OR line.type IS NOT NULL',
      missing: 'the export has neither journals nor types of entries',
    },
    hits: (of) =>
      `SELECT seq, coalesce(journal, line.type) AS why FROM line JOIN account ON account.id = line.account
       WHERE list_contains(${of('types')}, lower(account.type)) AND len(list_filter(${of('journals')},
         word -> contains(lower(concat_ws(' ', journal, line.type)), word))) > 0`,
  },
  {
    id: 'without-words',
    title: 'An entry without any words',
    parameters: {},
    needs: {
      condition: 'memo IS NOT NULL OR reference IS NOT NULL',
      missing: 'the export has neither memos nor references',
    },
    hits: () =>
      `SELECT seq, 'neither memo nor reference' AS why FROM line WHERE entry NOT IN
       (SELECT entry FROM line WHERE coalesce(trim(memo), '') <> '' OR coalesce(trim(reference), '') <> '')`,
  },
  {
    id: 'key-word',
    title: 'Words that call for a look',
    parameters: {
      words: texts(
        ...['adjust', 'correct', 'reclass', 'suspense', 'plug', 'override', 'write-off', 'written off'],
        ...['reversal', 'storno', 'umbuchung', 'korrektur', 'rättelse', 'justering', 'régularisation'],
      ),
    },
    needs: {
      condition: 'memo IS NOT NULL OR reference IS NOT NULL',
      missing: 'the export has neither memos nor references',
    },
    hits: (of) =>
      `SELECT seq, array_to_string(found, ', ') AS why FROM (
         SELECT seq, list_filter(${of('words')}, word -> contains(lower(concat_ws(' ', memo, reference)), word)) AS found FROM line)
       WHERE len(found) > 0`,
  },
  {
    id: 'reversed',
    title: 'Reversed right after the month',
    parameters: { days: count(5) },
    // Hashes find the few entries that may take back others: their lists take ten times as long to make and to compare.
    hits: (of) =>
      `WITH near AS (SELECT DISTINCT entry FROM line WHERE last_day(date) - date < ${of('days')} OR day(date) <= ${of('days')}),
       moved AS MATERIALIZED (SELECT entry, min(date) AS day, max(date) AS last, account, sum(amount) AS amount FROM line SEMI JOIN near USING (entry)
         GROUP BY entry, account HAVING sum(amount) <> 0),
       hashed AS (SELECT entry, min(day) AS day, bit_xor(hash(account, amount)) AS moves, bit_xor(hash(account, -amount)) AS opposite
         FROM moved GROUP BY entry HAVING min(day) = max(last)),
       pair AS MATERIALIZED (SELECT here.entry, back.entry AS other, back.day FROM hashed AS here JOIN hashed AS back ON here.moves = back.opposite
         AND date_trunc('month', back.day) = date_trunc('month', here.day) + INTERVAL 1 MONTH
         AND last_day(here.day) - here.day < ${of('days')} AND day(back.day) <= ${of('days')}),
       whole AS (SELECT entry, list((account, amount) ORDER BY account) AS moves, list((account, -amount) ORDER BY account) AS opposite
         FROM moved WHERE entry IN (SELECT entry FROM pair UNION ALL SELECT other FROM pair) GROUP BY entry)
       SELECT line.seq, 'reversed by ' || other || ' on ' || pair.day AS why
       FROM pair JOIN whole USING (entry) JOIN whole AS back ON back.entry = other AND whole.moves = back.opposite
       JOIN line ON line.entry = pair.entry`,
  },
  {
    id: 'duplicate',
    title: 'Same day, account, amount and party (without one: words) as another entry',
    parameters: {},
    hits: () =>
      `SELECT seq, others + 1 || ' entries' AS why FROM (
         SELECT seq, count(DISTINCT entry) OVER (PARTITION BY date, account, amount,
           coalesce(party_id, party), CASE WHEN party IS NULL AND party_id IS NULL THEN coalesce(memo, '') END) - 1 AS others FROM line WHERE amount <> 0)
       WHERE others > 0`,
  },
  {
    id: 'number-gap',
    title: 'Numbers missing before it',
    parameters: {},
    hits: () =>
      `WITH numbered AS (SELECT entry, journal, min(seq) AS seq, regexp_extract(entry, '^(.*?)(\\d{1,15})$', ['before', 'number']) AS part
         FROM line GROUP BY entry, journal),
       counted AS (SELECT seq, journal, part.before AS before, part.number::BIGINT AS number FROM numbered WHERE part.number <> ''),
       dense AS (SELECT journal, before FROM counted GROUP BY ALL HAVING count(DISTINCT number) * 2 > max(number) - min(number)),
       stepped AS (SELECT seq, number, lag(number) OVER (PARTITION BY journal, before ORDER BY number, seq) AS previous
         FROM counted SEMI JOIN dense ON counted.before = dense.before AND counted.journal IS NOT DISTINCT FROM dense.journal)
       SELECT seq, CASE WHEN number - previous = 2 THEN (previous + 1) || ' is missing' ELSE (previous + 1) || ' to ' || (number - 1) || ' are missing' END AS why
       FROM stepped WHERE number - previous > 1`,
  },
]
