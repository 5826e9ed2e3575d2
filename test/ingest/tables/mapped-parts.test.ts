/** A ledger that a column map reads in parts, by others or by threads, gives what reading it as a whole gives: lines, findings, rows. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { NO_CONTENT } from '../../../builder/ingest/format/content.ts'
import type { ReadFiles } from '../../../builder/ingest/format/part-hands.ts'
import { WORK } from '../../../builder/ingest/tables/mapped/parts.ts'
import { readMappedFiles } from '../../../builder/ingest/tables/mapped/read.ts'
import { claimUnread } from '../../../builder/ingest/tables/unread/unread.ts'
import { companyOf, type Files, InParts } from '../../support/in-parts.ts'
import { workbook } from '../folder.ts'

const test = suite('column maps in parts')

const COLUMNS = 'transaction_id: Type + No, date: Day, account: Account, memo: Text'
const companyWith = (entry: string) =>
  companyOf(
    `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nledger: [{ files: "gl/*", ${entry} }]\n`,
  )
const SIDED = companyWith(
  `dateFormat: DD.MM.YYYY, columns: { ${COLUMNS}, amount: Amount, direction: Side }, skip: { State: [draft, Opening balance, void] }`,
)
const REVERSED = companyWith(`columns: { ${COLUMNS}, amount: "-Amount" }`)
const LATIN = companyWith(`encoding: iso-8859-1, columns: { ${COLUMNS}, amount: "-Amount" }`)

const read: ReadFiles<typeof WORK> = async (sources, setting, _company, scratch, hands) => {
  const readings = await readMappedFiles(sources, setting, 'ledger.0', scratch, hands, 'USD')
  return {
    ...NO_CONTENT,
    ledger: readings.flatMap(({ inputs }) => inputs).filter((input) => input.kind === 'csv'),
    sources: readings.flatMap((reading) => reading.sources),
    findings: readings.flatMap(({ findings, unread }) => [
      ...findings,
      ...claimUnread(unread, 'ledger.0', setting, { currency: 'USD' }, []),
    ]),
  }
}
const inParts = new InParts(read, WORK, SIDED)
const FILE = 'gl/a.csv'

/** How many parts were read, all sizes together; after each gave the same as the whole. */
const same = async (
  files: Files | string | Buffer,
  company = SIDED,
  sizes = [150, 1000, 4000],
): Promise<number> => {
  const all = typeof files === 'string' || Buffer.isBuffer(files) ? { [FILE]: files } : files
  return (await inParts.of(company).same(all, sizes)).length
}
const isDivided = (parts: number): void => assert.ok(parts > 10, `${parts} parts`)
const found = async (
  text: string,
): Promise<readonly { code: string; row: number | null; message: string }[]> =>
  ((await inParts.reading({ [FILE]: text }, null)) as Awaited<ReturnType<typeof read>>).findings

interface Line {
  readonly text: string
  readonly account: string
  readonly amount: string
  readonly side: string
  readonly state: string
}

const HEADER = ['Type', 'No', 'Day', 'Account', 'Amount', 'Side', 'Text', 'State', 'Other']
const rows = (count: number, change: (i: number) => Partial<Line> = () => ({})): string[][] =>
  Array.from({ length: count }, (_, i) => {
    const line = {
      ...{ text: `Sale ${i}`, account: String(1000 + (i % 9)), amount: `${i}.50` },
      ...{ side: i % 2 === 0 ? 'S' : 'Haben', state: i % 3 === 0 ? 'Draft' : 'posted' },
      ...change(i),
    }
    const day = `${String(1 + (i % 28)).padStart(2, '0')}.01.2025`
    return [
      ...['R', String(Math.floor(i / 2)), day, line.account, line.amount, line.side, line.text, line.state],
      'x',
    ]
  })
const written = (lines: readonly string[][], end = '\n', top: readonly string[] = []): string => {
  const cell = (text: string) => (/["\n,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return [...top, ...[HEADER, ...lines].map((line) => line.map(cell).join(',')), ''].join(end)
}

test('lines, what is left out, and titles above the header', async () => {
  for (const end of ['\n', '\r\n'])
    for (const company of [SIDED, REVERSED]) isDivided(await same(written(rows(90), end), company))
  isDivided(await same(written(rows(90), '\n', ['Ledger of Acme', '', '"printed', 'by me"'])))
  isDivided(await same(written(rows(90)).trimEnd()))
  isDivided(await same(Buffer.from(`\ufeff${written(rows(90))}`)))
  isDivided(await same(Buffer.from(written(rows(90, () => ({ text: 'Löhne' }))), 'latin1'), LATIN))
})

test('several files, of which some are small, lack a column, or are empty', async () => {
  const files = {
    'gl/a.csv': written(rows(90)),
    'gl/b.csv': written(rows(3)),
    'gl/c.csv': written(rows(90)).replace('Side', 'Sides'),
    'gl/d.csv': '\n',
    'gl/e.csv': written(rows(90), '\r\n').replaceAll(',', ';'),
  }
  isDivided(await same(files))
})

test('a side that says nothing is reported by its first row, whichever part has it', async () => {
  const text = written(rows(90, (i) => (i === 61 || i === 77 ? { side: '?' } : {})))
  isDivided(await same(text))
  const [finding] = await found(text)
  assert.is(finding?.row, 63)
  assert.match(finding?.message ?? '', 'on 2 rows')
})

test('openings that are left out, and values that leave nothing out', async () => {
  const text = written(rows(90, (i) => (i > 70 && i % 4 === 0 ? { state: 'opening balance' } : {})))
  isDivided(await same(text))
  assert.equal(
    (await found(text)).map(({ code, row }) => [code, row]),
    [
      ['openings-skipped', 74],
      ['mark-without-match', null],
      ['columns-not-read', 1],
    ],
  )
})

test('rows that are torn or blank keep their numbers', async () => {
  const whole = written(rows(90)).split('\n')
  isDivided(await same(whole.map((line, i) => (i === 40 || i === 80 ? line.slice(0, 20) : line)).join('\n')))
  isDivided(await same(whole.map((line, i) => (i % 25 === 24 ? `\n${line}` : line)).join('\n')))
})

test('a cell that looks like lines is not cut, and quotes that do not close are reported where they open', async () => {
  const like = rows(3)
    .map((row) => row.join(','))
    .join('\n')
  isDivided(await same(written(rows(90, (i) => (i === 60 ? { text: `a\n${like}\n${like}\nb` } : {})))))
  for (const fault of ['"Sale 40', '"Sale" 40'])
    isDivided(await same(written(rows(90)).replace('Sale 40', fault)))
})

test('what cannot be cut is read as a whole: CR alone, UTF-16, sheets', async () => {
  assert.is(await same(written(rows(90), '\r'), SIDED, [150]), 0)
  assert.is(await same(Buffer.from(`\ufeff${written(rows(90))}`, 'utf16le'), SIDED, [150]), 0)
  const sheet = await workbook({ One: [HEADER, ...rows(20)], Two: [['Title'], [], HEADER, ...rows(9)] })
  await same({ 'gl/a.xlsx': sheet, 'gl/b.csv': written(rows(90)) })
})

test('by threads, with the loader of this process', () =>
  inParts.sameByThreads(
    new URL('../../../builder/ingest/tables/mapped/part-thread.ts', import.meta.url),
    [
      { [FILE]: written(rows(90)) },
      { 'gl/a.csv': written(rows(90)), 'gl/b.csv': written(rows(90)).slice(0, -30) },
    ],
    700,
  ))

test('where one of those who read fails, the reading ends with its reason', () =>
  inParts.endsWithReason({ [FILE]: written(rows(90)) }, ['readPart'], 700))

test.run()
