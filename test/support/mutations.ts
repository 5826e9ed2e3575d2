/**
 * What an export says about itself, put to the test: a file is changed in every simple way, one at a time, and read again.
 * What moves a figure must be told of. Which changes nothing in the file contradicts is a rule that each format's test states.
 */

import { makeBooks } from '../../builder/books/books.ts'
import type { Intake } from '../../builder/ingest/format/intake.ts'
import { ingest } from '../../builder/ingest/ingest.ts'
import type { Finding } from '../../builder/workspace/findings/finding.ts'
import { datasetFolder, readCompany, type Workspace } from '../../builder/workspace/workspace.ts'
import { statedIn, withTexts } from './readings.ts'
import { COMPANY, type Files, findingsText, inWorkspace, writeFiles } from './workspace.ts'

export type MutationKind = 'deleted' | 'doubled' | 'changed' | 'cut' | 'encoding'

export interface Mutation {
  readonly kind: MutationKind
  /** First line that was deleted, doubled or changed, or the last one that a cut left, from 1; 0 for an encoding. */
  readonly row: number
  /** That line as it was. */
  readonly line: string
  /** The amount that was changed, or the encoding. */
  readonly what: string
  /** The file so changed; made when it is asked for, since there are many of a large file. */
  readonly bytes: () => Buffer
}

/** How the mutations of one file are made. */
export interface MutationOptions {
  /** Of the text as Latin-1, so that every byte is one character. Each match in a line is changed on its own. */
  readonly amount?: RegExp
  /** How the file is encoded: the others are tried too. Null where none is. */
  readonly encoding?: 'utf8' | 'latin1' | null
  /** What lines of one entry share: lines below one another that answer the same are deleted, and doubled, together. */
  readonly entryOf?: (line: string) => string | null
  /** Where one line ends and the next begins. */
  readonly between?: RegExp
}

/** With two decimals, grouped or not. */
const AMOUNT = /(?<![\d.,])\d{1,3}(?:[,. ]?\d{3})*[.,]\d\d(?![\d.,])/g

/** Another last digit: every sum that holds it differs. More in every second line, less in the others. */
const changed = (amount: string, row: number): string =>
  amount.replace(/\d(?=\D*$)/, (digit) => String((Number(digit) + (row % 2 === 0 ? 1 : 9)) % 10))

/** Every line deleted, every line doubled, every amount changed, the file cut after every line, other encodings. */
export function mutationsOf(bytes: Buffer, options: MutationOptions = {}): Mutation[] {
  const lines = bytes.toString('latin1').split(options.between ?? /(?<=\n)/)
  if (lines.at(-1) === '') lines.pop()
  const made = (kind: MutationKind, i: number, what: string, all: () => readonly string[]): Mutation => ({
    kind,
    row: i + 1,
    line: lines[i]!.trimEnd(),
    what,
    bytes: () => Buffer.from(all().join(''), 'latin1'),
  })
  return [
    ...lines.flatMap((line, i) => [
      made('deleted', i, '', () => lines.toSpliced(i, 1)),
      made('doubled', i, '', () => lines.toSpliced(i, 0, line)),
      ...(i < lines.length - 1 ? [made('cut', i, '', () => lines.slice(0, i + 1))] : []),
      ...[...line.matchAll(options.amount ?? AMOUNT)].map(({ 0: amount, index }) =>
        made('changed', i, amount, () =>
          lines.with(i, line.slice(0, index) + changed(amount, i) + line.slice(index + amount.length)),
        ),
      ),
    ]),
    ...entriesOf(lines, options.entryOf ?? (() => null)).flatMap(({ from, to, name }) => [
      made('deleted', from, `entry ${name}`, () => lines.toSpliced(from, to - from)),
      made('doubled', from, `entry ${name}`, () => lines.toSpliced(to, 0, ...lines.slice(from, to))),
    ]),
    ...(options.encoding === null ? [] : encodings(bytes, options.encoding ?? 'utf8')),
  ]
}

function entriesOf(lines: readonly string[], entryOf: (line: string) => string | null) {
  const entries: { from: number; to: number; name: string }[] = []
  for (const [i, line] of lines.entries()) {
    const name = entryOf(line)
    const last = entries.at(-1)
    if (name !== null && last?.to === i && last.name === name) last.to++
    else if (name !== null) entries.push({ from: i, to: i + 1, name })
  }
  return entries
}

function encodings(bytes: Buffer, encoding: 'utf8' | 'latin1'): Mutation[] {
  const text = bytes.toString(encoding)
  const made = (what: string, changedBytes: Buffer): Mutation => ({
    kind: 'encoding',
    row: 0,
    line: '',
    what,
    bytes: () => changedBytes,
  })
  return [
    made('UTF-8', Buffer.from(text, 'utf8')),
    made('UTF-8 with its mark', Buffer.from(`\ufeff${text}`, 'utf8')),
    made('UTF-16', Buffer.from(`\ufeff${text}`, 'utf16le')),
    made('Windows-1252', Buffer.from(text, 'latin1')),
    made('line ends of Windows', Buffer.from(text.replace(/\r?\n/g, '\r\n'), encoding)),
    made('line ends of Unix', Buffer.from(text.replace(/\r\n/g, '\n'), encoding)),
  ].filter((mutation) => !mutation.bytes().equals(bytes))
}

/** Of many, so many, spread over the file: the same on every run. `MUTATIONS=300` takes that many, `MUTATIONS=all` all of them. */
export function sampled(mutations: readonly Mutation[], usual: number): readonly Mutation[] {
  const { MUTATIONS } = process.env
  const most = MUTATIONS === 'all' ? mutations.length : Number(MUTATIONS ?? usual)
  if (mutations.length <= most) return mutations
  const step = mutations.length / most
  const taken = new Set(Array.from({ length: most }, (_, i) => Math.floor(i * step)))
  return mutations.filter(({ kind }, i) => kind === 'encoding' || taken.has(i))
}

/** What the books come to: of each basis, account, class, department and month, openings apart; budgets and metrics beside. */
export type Figures = ReadonlyMap<string, number>

export interface Reading {
  /** Null where it was refused. */
  readonly figures: Figures | null
  readonly findings: readonly Finding[]
}

/**
 * The books of the company in the workspace, as a build makes them, without the statements that follow from them. They are not made where
 * `known` says of the intake what comes of it.
 */
export async function readBooksIn(
  workspace: Workspace,
  known: (intake: Intake) => Reading | null = () => null,
): Promise<Reading> {
  const company = readCompany(workspace, COMPANY)
  if (company.value === null) return { figures: null, findings: company.findings }
  const intake = await ingest(company.value, datasetFolder(workspace, COMPANY))
  try {
    const reading = known(intake)
    if (reading !== null) return reading
    const { books, findings } = await makeBooks(company.value, intake, { threads: 1 })
    if (books === null) return { figures: null, findings }
    const { db, frame, openings, budgetFigures, metricValues } = books
    try {
      const figures = new Map<string, number>()
      const add = (key: readonly unknown[], amount: number) =>
        figures.set(key.join('|'), (figures.get(key.join('|')) ?? 0) + amount)
      const nameOf = (code: number): string => {
        const account = frame.accounts[code]
        return account === undefined ? 'result' : `${account.id} ${account.classification} ${account.type}`
      }
      const members = (cell: { readonly class: number; readonly department: number }): string =>
        `${frame.classes.members[cell.class - 1]?.id} ${frame.departments.members[cell.department - 1]?.id}`
      for (const { basis, account, amount, ...cell } of openings)
        add([basis, nameOf(account), members(cell), 'opening'], amount)
      for (const { budget, account, month, amount, ...cell } of budgetFigures)
        add(['budget', budget, nameOf(account), members(cell), month], amount)
      const rows = await db.rows<{
        basis: number
        account: number
        class: number
        department: number
        month: number
        amount: string
      }>(
        `SELECT basis, account, class, department, month, sum(amount)::VARCHAR AS amount
         FROM posting GROUP BY ALL`,
      )
      for (const { basis, account, month, amount, ...cell } of rows)
        add([basis, nameOf(account), members(cell), month], Number(amount))
      for (const [key, amount] of figures) if (amount === 0) figures.delete(key)
      // A metric of 0 is a figure: none would be another one.
      for (const { metric, budget, date, wholeMonth, value, ...cell } of metricValues)
        figures.set(['metric', metric, budget, members(cell), date, wholeMonth].join('|'), Number(value))
      return { figures, findings }
    } finally {
      db.close()
    }
  } finally {
    await intake.dispose()
  }
}

export const isSame = (a: Figures, b: Figures): boolean =>
  a.size === b.size && [...a].every(([key, amount]) => b.get(key) === amount)

/** Findings of one code more than before: rows that are counted on are no news. */
const hasNews = (findings: readonly Finding[], before: readonly Finding[]): boolean => {
  const count = (all: readonly Finding[], code: string) => all.filter((found) => found.code === code).length
  return findings.some(({ code }) => count(findings, code) > count(before, code))
}

export interface Judged {
  readonly mutation: Mutation
  /** same: no figure moved. told: refused, or a finding that the sound file has not. silent: a wrong figure, without a word. */
  readonly verdict: 'same' | 'told' | 'silent'
  readonly findings: readonly Finding[]
}

export const shownMutation = ({ kind, row, what, line }: Mutation): string =>
  `${kind}${row === 0 ? '' : ` line ${row}`}${what === '' ? '' : ` (${what})`}: ${line}`

/** Reads the company with each mutation of one of its files, one after the other. Throws where a reading throws. */
export function judge(files: Files, path: string, mutations: readonly Mutation[]): Promise<Judged[]> {
  return inWorkspace(files, async (workspace) => {
    let stated = ''
    const sound = await readBooksIn(workspace, (intake) => {
      stated = statedIn(withTexts(intake))
      return null
    })
    /** Mistakes that are found where a file is read refuse it, and books of the same intake are the same. */
    const known = (intake: Intake): Reading | null => {
      const { findings } = intake
      if (findings.some(({ severity }) => severity === 'error')) return { figures: null, findings }
      return statedIn(withTexts(intake)) === stated ? sound : null
    }
    if (sound.figures === null) throw new Error(`the sound file is refused:\n${findingsText(sound.findings)}`)
    const judged: Judged[] = []
    for (const mutation of mutations) {
      writeFiles(datasetFolder(workspace, COMPANY), { [path]: mutation.bytes() })
      const { figures, findings } = await readBooksIn(workspace, known).catch((problem: unknown) => {
        throw new Error(`${path}, ${shownMutation(mutation)}`, { cause: problem })
      })
      const verdict =
        figures !== null && isSame(figures, sound.figures)
          ? 'same'
          : figures === null || hasNews(findings, sound.findings)
            ? 'told'
            : 'silent'
      judged.push({ mutation, verdict, findings })
    }
    return judged
  })
}
