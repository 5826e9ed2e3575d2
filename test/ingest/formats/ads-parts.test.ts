/** A GL_Detail that is read in parts, by others or by threads, gives what reading it as a whole gives: lines, findings, rows, order. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WORK } from '../../../builder/ingest/formats/ads/parts.ts'
import { readAdsFiles } from '../../../builder/ingest/formats/ads/read.ts'
import { companyOf, type Files, InParts } from '../../support/in-parts.ts'
import { workbook } from '../folder.ts'

const test = suite('Audit Data Standard in parts')

const yaml = (more = '') =>
  `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: USD\nledger: [{ files: "ads/*", format: ads }]\n${more}\n`
const ACME = companyOf(yaml())
const SEGMENTS = companyOf(yaml('dimensions: { Business_Unit_Code: department, Segment01: class }'))

const inParts = new InParts(readAdsFiles, WORK, ACME)
const FILE = 'ads/detail.txt'

/** How many parts were read, all sizes together; after each gave the same as the whole. */
const same = async (files: Files | string, company = ACME, sizes = [150, 1000, 4000]): Promise<number> =>
  (await inParts.of(company).same(typeof files === 'string' ? { [FILE]: files } : files, sizes)).length
const isDivided = (parts: number): void => assert.ok(parts > 10, `${parts} parts`)

interface Line {
  readonly entry: number
  readonly date: string
  readonly period: string
  readonly text: string
  readonly account: string
  readonly amount: string
  readonly side: string
  readonly currency: string
  readonly unit: string
  readonly segment: string
}

const HEADER =
  'Journal_ID|Journal_ID_Line_Number|JE_Header_Description|Effective_Date|Fiscal_Year|Period|GL_Account_Number|Amount|Amount_Credit_Debit_Indicator|Amount_Currency|Business_Unit_Code|Segment01'

/** Entries of two lines. */
const lines = (
  count: number,
  change: (i: number) => Partial<Line> = () => ({}),
  from = 0,
): readonly (readonly string[])[] =>
  Array.from({ length: 2 * count }, (_, n) => {
    const i = 2 * from + n
    const entry = Math.floor(i / 2)
    const month = String((entry % 12) + 1).padStart(2, '0')
    const line = {
      ...{ entry, date: `2025-${month}-15`, period: month, text: `Sale ${entry}`, currency: 'USD' },
      ...{ account: String(1000 + 1000 * (i % 2) + (entry % 7)), side: i % 2 === 0 ? 'D' : 'C' },
      ...{ amount: `${entry}.50`, unit: `U${entry % 3}`, segment: entry % 5 === 0 ? '' : `S${entry % 5}` },
      ...change(i),
    }
    return [
      ...[`J${line.entry}`, String(1 + (i % 2)), line.text, line.date, '2025', line.period, line.account],
      ...[line.amount, line.side, line.currency, line.unit, line.segment],
    ]
  })

const written = (rows: readonly (readonly string[])[], end = '\n', delimiter = '|'): string => {
  const cell = (text: string) => (/["\n|,]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)
  return [HEADER.replaceAll('|', delimiter), ...rows.map((row) => row.map(cell).join(delimiter)), ''].join(
    end,
  )
}

test('lines, accounts, members and findings are those of the whole table', async () => {
  for (const end of ['\n', '\r\n'])
    for (const company of [ACME, SEGMENTS]) isDivided(await same(written(lines(90), end), company))
  isDivided(await same(written(lines(90), '\n', ',')))
  isDivided(await same(written(lines(90)).trimEnd()))
})

test('a chart and balances beside it, and several tables of which some are small', async () => {
  const chart =
    'GL_Account_Number|GL_Account_Name|Account_Type|Account_Subtype\n1000|Bank|Assets|Cash\n2000|Sales|Revenue|\n'
  const balances =
    'GL_Account_Number|Balance_As_Of_Date|Fiscal_Year|Period|Amount_Beginning|Amount_Ending|Amount_Currency\n1000|2025-12-31|2025|12|5.00|9.00|USD\n'
  const files = {
    'ads/a.txt': written(lines(60)),
    'ads/b.txt': chart,
    'ads/c.txt': written(
      lines(60, () => ({ unit: 'U9' }), 60),
      '\r\n',
    ),
    'ads/d.txt': balances,
    'ads/e.txt': written(lines(2, undefined, 200)),
  }
  isDivided(await same(files))
})

test('amounts: signed ones, other currencies in one part alone, sides that say nothing', async () => {
  const signed = (i: number) => (i % 2 === 0 ? {} : { amount: `-${i}.50` })
  isDivided(await same(written(lines(90, signed))))
  isDivided(await same(written(lines(90, (i) => (i === 151 ? { amount: '-3.00' } : signed(i))))))
  isDivided(await same(written(lines(90, (i) => (i === 150 ? { currency: 'sek' } : {})))))
  isDivided(await same(written(lines(90, (i) => (i % 40 === 39 ? { side: '?' } : {})))))
  isDivided(await same(written(lines(250, () => ({ side: '' })))))
})

test('periods that differ, those behind the twelfth, dates and members of other forms', async () => {
  isDivided(await same(written(lines(90, (i) => (i > 170 ? { period: '3' } : {})))))
  isDivided(await same(written(lines(90, (i) => (i > 170 ? { period: 'M13' } : {})))))
  isDivided(await same(written(lines(90, (i) => ({ date: i % 9 === 0 ? '31.1.2025' : '20250115' })))))
  isDivided(await same(written(lines(90, (i) => (i > 150 ? { unit: 'all' } : {})))))
})

test('rows that are torn or blank keep their numbers', async () => {
  const whole = written(lines(90)).split('\n')
  const torn = whole.map((line, i) => (i === 60 || i === 120 ? line.slice(0, 30) : line))
  isDivided(await same(torn.join('\n')))
  isDivided(await same(whole.map((line, i) => (i % 25 === 24 ? `\n${line}` : line)).join('\n')))
})

test('a cell that looks like lines is not cut, and quotes that do not close are reported where they open', async () => {
  const like = lines(3)
    .map((row) => row.join('|'))
    .join('\n')
  const hidden = written(lines(90, (i) => (i === 80 ? { text: `a\n${like}\n${like}\nb` } : {})))
  isDivided(await same(hidden))
  for (const fault of ['"Sale 40', '"Sale" 40'])
    isDivided(await same(written(lines(90)).replace('Sale 40', fault)))
})

test('what cannot be cut is read as a whole: CR alone, UTF-16, a sheet, a file of another kind', async () => {
  assert.is(await same(written(lines(90), '\r'), ACME, [150]), 0)
  const wide = Buffer.from(`\ufeff${written(lines(90))}`, 'utf16le')
  assert.is((await inParts.same({ [FILE]: wide }, [150])).length, 0)
  const sheet = await workbook({ Detail: [HEADER.split('|'), ...lines(20).map((row) => [...row])] })
  await same({ 'ads/a.xlsx': sheet, 'ads/b.txt': written(lines(90)), 'ads/c.txt': 'a,b\n1,2\n' })
})

test('by threads, with the loader of this process', () =>
  inParts.sameByThreads(
    new URL('../../../builder/ingest/formats/ads/part-thread.ts', import.meta.url),
    [
      { [FILE]: written(lines(90)) },
      { 'ads/a.txt': written(lines(90)), 'ads/b.txt': written(lines(90)).slice(0, -30) },
    ],
    700,
  ))

test('where one of those who read fails, the reading ends with its reason', () =>
  inParts.endsWithReason({ [FILE]: written(lines(90)) }, ['readPart'], 700))

test.run()
