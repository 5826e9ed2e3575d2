/**
 * Looks at the columns of a file that nobody reads, with their values; `claim-texts.ts` does so with titles, notes and names of sheets.
 * What can change the meaning of rows becomes a question, which company.yaml answers; the rest is harmless. First file of the room that
 * owns these words and questions, for every format. Must not read files, nor know a format.
 */
import { error, type Finding } from '../../workspace/findings/finding.ts'
import { scaleIn } from '../text/scale.ts'
import {
  ABOUT_OTHERS,
  ACTUAL,
  AMOUNT,
  BASE,
  COUNTS,
  CUMULATIVE,
  DOUBTS,
  FOREIGN,
  HEADERS,
  MAY_NOT_COUNT,
  MEANINGS,
  MEASURES,
  type Meaning,
  NEVER_COUNTS,
  NO,
  NO_POSTING_TYPES,
  PLANNED,
  plainWords,
  YES,
} from './vocabulary.ts'

/** What company.yaml says of the rows of a table; headers and values in any capitals. */
export interface Answers {
  /** Header → values of rows that are left out. */
  readonly skip?: { readonly [header: string]: string | readonly string[] } | undefined
  /** Header → values of rows that count. A value that neither names is asked. */
  readonly count?: { readonly [header: string]: string | readonly string[] } | undefined
  /** Columns, titles and sheets that say nothing about the figures. */
  readonly ignore?: string | readonly string[] | undefined
}

/** A column that nobody reads, or whose meaning was answered; or one that is read, and may say which rows count. */
export interface UnreadColumn {
  readonly file: string
  readonly headerRow: number | null
  readonly header: string
  /** How many rows hold each value, as {@link countValue} counts them; blank cells are ''. Null where rows are not looked at. */
  readonly values: ReadonlyMap<string, number> | null
  /** It holds amounts, and the values are {@link SAME} and {@link OTHER}, compared with this column that is read. */
  readonly against?: string
  /** The amounts that are read are in the currency of the company as far as headers tell: foreign ones stand beside them. */
  readonly isExplained?: boolean
  /** It is read too, so that it is only asked about. */
  readonly isRead?: boolean
}

export const SAME = 'same'
export const OTHER = 'other'

/** A column with more values than this holds texts or numbers: only blank cells and values that are no rows of the books are told apart. */
export const MOST_VALUES = 50
/** All other values of such a column together. */
const OTHERS = 'other values'
const NEVER: ReadonlySet<string> = new Set([...NEVER_COUNTS.status, ...NEVER_COUNTS.scenario])
const isTold = (text: string): boolean =>
  text === '' || text === OTHERS || (text.length < 32 && NEVER.has(text.toLowerCase()))

/** Counts a value of a column. */
export function countValue(values: Map<string, number>, cell: string, times = 1): void {
  const text = cell.trim()
  const name = values.has(OTHERS) && !isTold(text) ? OTHERS : text
  values.set(name, (values.get(name) ?? 0) + times)
  if (values.size <= MOST_VALUES || values.has(OTHERS)) return
  const all = [...values]
  values.clear()
  for (const [each, count] of all) {
    const kept = isTold(each) ? each : OTHERS
    values.set(kept, (values.get(kept) ?? 0) + count)
  }
}

const bareFigure = (text: string): string =>
  text.replace(/[^\d.,]|[.,](?=\d{3}(?!\d))|[.,]0*$/g, '').replace(/(?<!0)0+$(?<=[.,]\d*)/, '')

/** Whether a cell holds one of the figures of its row, whatever their signs and the zeros behind the point; a blank one says nothing. */
export function compared(cell: string, cells: readonly string[], against: readonly number[]): string {
  const figure = bareFigure(cell)
  return figure === '' || against.some((at) => bareFigure(cells[at] ?? '') === figure) ? SAME : OTHER
}

/** The values of a column in one file and in the next. */
function moreValues(
  values: ReadonlyMap<string, number>,
  more: ReadonlyMap<string, number>,
): ReadonlyMap<string, number> {
  const all = new Map(values)
  for (const [text, count] of more) countValue(all, text, count)
  return all
}

/** What is known of the table around a column. */
export interface ClaimFacts {
  /** What is read; entries of a ledger where it is not said. */
  readonly of?: 'budget' | 'metrics'
  /** The currency of the company; null where amounts are not money. */
  readonly currency: string | null
  /** False where records cannot be left out: the file states sums of all of them. */
  readonly canSkip?: boolean
  /** company.yaml says that figures are stated since the beginning of the year. */
  readonly isCumulative?: boolean
}

/** Words of figures that are others than those that are read. */
export const OTHER_FIGURES = {
  ledger: NEVER_COUNTS.scenario,
  metrics: new Set([...NEVER_COUNTS.scenario, ...PLANNED]),
  budget: new Set([...ACTUAL, ...MEASURES]),
} as const
const isOther = (value: string, { of }: Pick<ClaimFacts, 'of'>): boolean =>
  OTHER_FIGURES[of ?? 'ledger'].has(value) || (of === undefined && value === 'b')

const sameText = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase()
const listed = (value: string | readonly string[] | undefined): readonly string[] =>
  value === undefined ? [] : [value].flat()
const answered = (map: Answers['skip'], header: string): readonly string[] | null => {
  const key = Object.keys(map ?? {}).find((name) => sameText(name, header))
  return key === undefined ? null : listed(map?.[key])
}

/** Whether company.yaml says that it changes nothing. */
export const isIgnored = ({ ignore }: Answers, name: string): boolean =>
  listed(ignore).some((each) => sameText(each, name))

/** Whether company.yaml leaves out rows with this value in the column. */
export const isSkipped = ({ skip }: Answers, header: string, value: string): boolean =>
  answered(skip, header)?.some((each) => sameText(each, value)) ?? false

/** What a column is about by its header. */
export function meaningOfHeader(header: string): Meaning | null {
  const plain = plainWords(header)
  const has = (list: string) => list.split('|').some((word) => ` ${plain} `.includes(` ${word} `))
  const isWhole = (list: string) => list.split('|').includes(plain)
  const whole = MEANINGS.find((meaning) => isWhole(HEADERS[meaning][1]) || isWhole(HEADERS[meaning][0]))
  if (whole !== undefined || ABOUT_OTHERS.test(plain)) return whole ?? null
  return MEANINGS.find((meaning) => has(HEADERS[meaning][0])) ?? null
}

/** Headers of columns that say what document or journal a row is of. */
const TYPE = /\b(type|typ|tipo|art|journal|document|dokument|record|class of document)\b/

const isDoubtful = (value: string): boolean =>
  NEVER.has(value) ||
  MAY_NOT_COUNT.has(value) ||
  [...NEVER_COUNTS.status].some((word) => value.startsWith(`${word} `))
const counts = (value: string): boolean => COUNTS.has(value) || YES.has(value)
const isUnit = (text: string): boolean =>
  text.length <= 14 &&
  (scaleIn(text) !== null ||
    /^(k|m|t|mn|mio|tsd|tusen|miles|mil|milliers|duizend|thousands?|millions?)$/i.test(text.trim()))

/** Whether values of a column with this meaning may change what its rows say; blank cells are ''. */
const ASKS: { readonly [meaning in Meaning]: (values: readonly string[], facts: ClaimFacts) => boolean } = {
  // Beside a blank, as beside another value, one that no word tells may be that of rows which do not count.
  status: (values) =>
    values.some(isDoubtful) || (values.length > 1 && values.some((each) => each !== '' && !counts(each))),
  // A blank beside Yes, or beside a date, says No.
  posted: (values) =>
    values.some((each) => isDoubtful(each) || NO.has(each) || each === 'unposted') ||
    (values.length > 1 && values.some((each) => each === '' || !counts(each))),
  mark: (values) => values.some((each) => each !== '' && !NO.has(each) && !COUNTS.has(each)),
  scenario: (values, facts) =>
    values.some((each) => isOther(each, facts) || (isDoubtful(each) && facts.of !== 'budget')) ||
    (values.length > 1 && (facts.of === 'budget' || values.some((each) => !counts(each)))),
  company: (values) => values.length > 1,
  unit: (values) => values.some((each) => isUnit(each)),
  period: (values, { isCumulative = false }) =>
    values.some((each) => CUMULATIVE.has(each)) &&
    !(isCumulative && values.every((each) => CUMULATIVE.has(each))),
  currency: (values, { currency }) =>
    currency !== null && values.some((each) => /^[a-z]{3}$/.test(each) && each !== currency.toLowerCase()),
  rate: (values) => values.some((each) => /\d/.test(each) && !/^[01]([., ]0*)?$/.test(each)),
}

/** What a column may say about its rows, by header and values; null where it is harmless. */
export function meaningOf(
  { header, values, against, isExplained = false }: UnreadColumn,
  facts: ClaimFacts,
): Meaning | null {
  if (against !== undefined) return (values?.get(OTHER) ?? 0) > 0 ? 'rate' : null
  const meaning = meaningOfHeader(header)
  const plain = [...(values?.keys() ?? [])].map((text) =>
    meaning === 'rate' || meaning === 'unit' ? text : plainWords(text),
  )
  const filled = plain.filter((text) => text !== '')
  if (meaning !== null) {
    const isKept = (meaning === 'posted' || meaning === 'status') && filled.length > 0
    const own = [...new Set(isKept ? plain : filled)]
    const isMoney = meaning === 'currency' || meaning === 'rate'
    if (isMoney && isExplained) return null
    if (values === null || ASKS[meaning](own, facts)) return meaning
  }
  if (filled.length > MOST_VALUES / 2 || values?.has(OTHERS)) return null
  if (filled.some((text) => NEVER_COUNTS.status.has(text))) return 'status'
  if (filled.some((text) => OTHER_FIGURES[facts.of ?? 'ledger'].has(text))) return 'scenario'
  if (meaning !== 'period' && ASKS.period(filled, facts)) return 'period'
  if (TYPE.test(plainWords(header)) && filled.some((text) => NO_POSTING_TYPES.has(text))) return 'posted'
  return meaning === null &&
    [...(values?.keys() ?? [])].some((text) => scaleIn(text) !== null && isUnit(text))
    ? 'unit'
    : null
}

/** A text as a key or a value of company.yaml. */
export const yamlText = (text: string): string =>
  /^[\p{L}_][\p{L}\p{N} _()/.-]*$/u.test(text) && !/^(yes|no|on|off|true|false|null|y|n)$/i.test(text)
    ? text
    : JSON.stringify(text)
export const yamlList = (values: readonly string[]): string => `[${values.map(yamlText).join(', ')}]`

/** `Posted (412), Draft (3)`. */
export function countedValues(values: ReadonlyMap<string, number>): string {
  const shown = [...values].slice(0, 8).map(([text, count]) => `${text === '' ? 'blank' : text} (${count})`)
  return [...shown, ...(values.size > 8 ? [`and ${values.size - 8} other values`] : [])].join(', ')
}

/** How the words themselves tell apart which values count and which are left out. */
export function proposedAnswers(
  { values }: UnreadColumn,
  meaning: Meaning,
  facts: Pick<ClaimFacts, 'of'> = {},
): { readonly count: readonly string[]; readonly skip: readonly string[] } {
  const texts = [...(values?.keys() ?? [])]
  const skip = texts.filter((text) => {
    const plain = plainWords(text)
    if (meaning === 'scenario' && facts.of !== undefined) return isOther(plain, facts)
    if (meaning === 'mark') return counts(plain) || isDoubtful(plain)
    return isDoubtful(plain) || NO.has(plain) || (meaning === 'posted' && NO_POSTING_TYPES.has(plain))
  })
  // What no word tells is left to be asked.
  const isTold = (text: string) => meaning !== 'status' || counts(plainWords(text))
  return { count: texts.filter((text) => !skip.includes(text) && isTold(text)), skip }
}

export const doubtOf = (meaning: Meaning, { of }: Pick<ClaimFacts, 'of'>): string =>
  meaning === 'scenario' && of === 'budget' ? 'do all of these rows hold budgeted figures?' : DOUBTS[meaning]

/** How company.yaml says it. */
export const CUMULATED = '"figures: cumulative", which takes from each figure that of the month before'

function question(column: UnreadColumn, meaning: Meaning, key: string, facts: ClaimFacts): Finding {
  const { file, headerRow, header, values, against } = column
  if (against !== undefined) return amountQuestion(column, against, key)
  const holds = values === null ? 'is not read' : `holds ${countedValues(values)}`
  const isOfAmounts = meaning === 'currency' || meaning === 'rate'
  const proposed =
    facts.canSkip === false ? { count: [...(values?.keys() ?? [])] } : proposedAnswers(column, meaning, facts)
  const lines = Object.entries(proposed).flatMap(([name, those]) =>
    those.length === 0 ? [] : [`"${name}: { ${yamlText(header)}: ${yamlList(those)} }"`],
  )
  const ofUnit =
    facts.of === undefined
      ? 'state all amounts in full in the file'
      : '"scale: 1000" (or 1000000) multiplies all figures; state them in one unit where units differ'
  const choice = isOfAmounts
    ? '"columns" names the columns of amounts in the currency of the company'
    : meaning === 'unit'
      ? ofUnit
      : meaning === 'period' && facts.of !== undefined && values?.size === 1
        ? CUMULATED
        : values === null || facts.canSkip === false
          ? [...lines, 'leave out of the file what does not count'].join(' where all of them count; else ')
          : `${lines.join(' and ')}, as it is: "count" names the values whose rows count, "skip" those that are left out`
  return error('meaning-of-column', `"${header}" ${holds}: ${doubtOf(meaning, facts)}`, {
    file,
    row: headerRow,
    column: header,
    remedy: `say it in ${key} of company.yaml: ${choice}; "ignore: ${yamlList([header])}" if it changes nothing`,
  })
}

function amountQuestion(
  { file, headerRow, header, values }: UnreadColumn,
  read: string,
  key: string,
): Finding {
  const differ = values?.get(OTHER) ?? 0
  const message = `"${header}" differs from "${read}", which is read, on ${differ} of ${differ + (values?.get(SAME) ?? 0)} rows: which of them is in the currency of the company?`
  return error('meaning-of-column', message, {
    file,
    row: headerRow,
    column: header,
    remedy: `say it in ${key} of company.yaml: "columns" names the columns of amounts in the currency of the company; "ignore: ${yamlList([header])}" if that is "${read}"`,
  })
}

/** Which unread columns are amounts in the company's currency by their header, and whether foreign amounts explain a rate or a currency. */
export function amountClaims(
  unread: readonly string[],
  read: readonly string[],
  currency: string | null,
): { readonly compared: readonly string[]; readonly isExplained: boolean } {
  const kind = (header: string): 'base' | 'foreign' | null => {
    const plain = plainWords(header)
    if (!AMOUNT.test(plain) || ABOUT_OTHERS.test(plain)) return null
    const code = currency?.toLowerCase() ?? ''
    if (BASE.test(plain) || (code !== '' && ` ${plain} `.includes(` ${code} `))) return 'base'
    return FOREIGN.test(plain) ? 'foreign' : null
  }
  const isBase = read.some((header) => kind(header) === 'base')
  const compared = isBase ? [] : unread.filter((header) => kind(header) === 'base')
  const isForeign = unread.some((header) => kind(header) === 'foreign')
  return { compared, isExplained: isBase || isForeign || compared.length > 0 }
}

/** Whether the headers of amounts say that they are in the currency of the company. */
export const areBase = (read: readonly string[]): boolean => amountClaims([], read, null).isExplained

/** Questions about columns of the files of one entry (`key`), and the columns that are harmless. */
export function claimColumns(
  columns: readonly UnreadColumn[],
  key: string,
  answers: Answers,
  facts: ClaimFacts,
): {
  readonly questions: readonly Finding[]
  readonly asked: readonly (readonly [UnreadColumn, Meaning])[]
  readonly harmless: readonly UnreadColumn[]
} {
  const asked: (readonly [UnreadColumn, Meaning])[] = []
  const harmless: UnreadColumn[] = []
  for (const column of joined(columns)) {
    const { header, values } = column
    if (isIgnored(answers, header)) continue
    const counted = answered(answers.count, header)
    const skipped = facts.canSkip === false ? null : answered(answers.skip, header)
    if (counted === null && skipped === null) {
      const meaning = meaningOf(column, facts)
      if (meaning !== null) asked.push([column, meaning])
      else if (column.isRead !== true) harmless.push(column)
      continue
    }
    const named = [...(counted ?? []), ...(skipped ?? [])]
    const open = [...(values ?? [])].filter(
      ([text]) =>
        text !== '' &&
        !named.some((each) => sameText(each, text)) &&
        // Where only values that are left out are named, all usual ones count.
        (counted !== null || isDoubtful(plainWords(text)) || isOther(plainWords(text), facts)),
    )
    if (open.length > 0)
      asked.push([{ ...column, values: new Map(open) }, meaningOfHeader(header) ?? 'status'])
  }
  return {
    questions: asked.map(([column, meaning]) => question(column, meaning, key, facts)),
    asked,
    harmless,
  }
}

/** The same column of several files is one, with the place of the first. */
function joined(columns: readonly UnreadColumn[]): UnreadColumn[] {
  const all = new Map<string, UnreadColumn>()
  for (const column of columns) {
    const name = column.header.trim().toLowerCase()
    const known = all.get(name)
    if (known === undefined) all.set(name, column)
    else if (known.values !== null && column.values !== null)
      all.set(name, { ...known, values: moreValues(known.values, column.values) })
  }
  return [...all.values()]
}
