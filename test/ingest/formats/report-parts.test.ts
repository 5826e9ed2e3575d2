/** Reports that are read in parts, by others or by threads, give what reading them as a whole gives: rows, findings, controls, order. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WORK } from '../../../builder/ingest/formats/reports/parts.ts'
import { familyCalled } from '../../../builder/ingest/formats/reports/programs/families.ts'
import { readFilesOf } from '../../../builder/ingest/formats/reports/read.ts'
import { decodeText } from '../../../builder/ingest/text/decode.ts'
import { recordsIn } from '../../../builder/ingest/text/delimited.ts'
import type { LedgerFormat } from '../../../builder/workspace/company.ts'
import { companyOf, type Files, InParts } from '../../support/in-parts.ts'
import { mutationsOf, sampled, shownMutation } from '../../support/mutations.ts'
import { workbookOf } from '../../support/report-files.ts'
import { seedOf } from '../fuzz/corpus.ts'
import { REPORTS } from '../fuzz/mutation-rules.ts'

const test = suite('reports in parts')

/** The corpus of a program, and the program. */
const CORPORA: Readonly<Record<string, LedgerFormat>> = {
  'business-central': 'business-central',
  erpnext: 'erpnext',
  gnucash: 'gnucash',
  netsuite: 'netsuite',
  odoo: 'odoo',
  quickbooks: 'quickbooks',
  'quickbooks-desktop': 'quickbooks',
  'quickbooks-journal': 'quickbooks',
  sage50: 'sage50',
  xero: 'xero',
  'xero-2': 'xero',
}

function seed(corpus: string): { readonly inParts: InParts<typeof WORK>; readonly files: Files } {
  const { 'company.yaml': yaml, ...files } = seedOf(corpus)
  const company = companyOf(yaml!.toString('utf8'))
  const family = familyCalled(CORPORA[corpus]!)
  return { inParts: new InParts(readFilesOf(family), WORK, company), files }
}

const SIZES = [1, 300, 600, 1000, 2000]
const THREAD = new URL('../../../builder/ingest/formats/reports/part-thread.ts', import.meta.url)

/** The same files as sheets of workbooks. */
const asWorkbooks = (files: Files): Files =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => {
      const rows = recordsIn(decodeText(text as Buffer).text, ',', () => {}).map(({ cells }) => cells)
      return [path.replace('.csv', '.xlsx'), workbookOf({ Report: rows })]
    }),
  )

/** The line behind a byte order mark; with all of its cells in quotes where `isQuoted`, if it has none yet. */
const marked = (line: string, isQuoted: boolean): string =>
  `\ufeff${isQuoted && !line.includes('"') ? line.replaceAll(/[^,\r]+/g, '"$&"') : line}`

for (const corpus of Object.keys(CORPORA)) {
  test(`${corpus}: rows, findings and controls are those of the whole report`, async () => {
    const { inParts, files } = seed(corpus)
    const done = await inParts.same(files, SIZES)
    const count = (of: string) => done.filter((name) => name === of).length
    assert.ok(count('measurePart') > 3, `${count('measurePart')} parts were measured`)
    assert.ok(count('writePart') > count('measurePart'), 'the parts were not found to be sound')
  })

  test(`${corpus}: so they are of a workbook`, async () => {
    const { inParts, files } = seed(corpus)
    const done = await inParts.same(asWorkbooks(files), SIZES)
    assert.ok(done.includes('writePart'), 'the parts were not found to be sound')
  })

  test(`${corpus}: so they are where a byte order mark stands in front of a line`, async () => {
    const { inParts, files } = seed(corpus)
    for (const path of Object.keys(REPORTS[corpus]!)) {
      const lines = decodeText(files[path] as Buffer).text.split('\n')
      for (const i of lines.keys())
        await inParts.same(
          { ...files, [path]: lines.with(i, marked(lines[i]!, i % 4 === 0)).join('\n') },
          [1],
        )
    }
  })

  test(`${corpus}: so they are where something was changed in the report`, async () => {
    const { inParts, files } = seed(corpus)
    for (const [path, rule] of Object.entries(REPORTS[corpus]!))
      for (const mutation of sampled(mutationsOf(files[path] as Buffer, rule), 40))
        try {
          await inParts.same({ ...files, [path]: mutation.bytes() }, [1, 600])
        } catch (problem) {
          throw new Error(`${path}: ${shownMutation(mutation)}: ${(problem as Error).message}`, {
            cause: problem,
          })
        }
  })
}

test('without the total of an account, the next ones stand inside it: their closing balances are compared with its own in each part', async () => {
  const { inParts, files } = seed('xero')
  const text = decodeText(files['gl.csv'] as Buffer).text
  const without = text.replace(/^Total Bank,[^\n]*\n/m, '')
  assert.is.not(without, text)
  await inParts.same({ ...files, 'gl.csv': without }, SIZES)
})

/** A general ledger of QuickBooks Online: accounts with sub-accounts, so many lines in each. */
function nestedLedger(lines: number, { isTravelWrong = false, date = '' } = {}): string {
  const rows = [
    'Acme',
    'General Ledger',
    'January 2025',
    '',
    ',Date,Transaction Type,Num,Name,Memo/Description,Split,Amount,Balance',
  ]
  const money = (minor: number) => `"${(minor / 100).toLocaleString('en-US', { minimumFractionDigits: 2 })}"`
  const account = (name: string, sign: 1 | -1, opening: number | null = null) => {
    let balance = opening ?? 0
    rows.push(name)
    if (opening !== null) rows.push(`,Beginning Balance,,,,,,,${money(opening)}`)
    for (let i = 0; i < lines; i++) {
      balance += sign * 1050
      const day = date !== '' && i === 3 ? date : `01/${String((i % 28) + 1).padStart(2, '0')}/2025`
      rows.push(
        `,${day},Invoice,${i},Peña & Søn,"Goods, ""best""\n of all",-Split-,${money(sign * 1050)},${money(balance)}`,
      )
    }
    rows.push(`Total for ${name},,,,,,,${money(balance - (opening ?? 0))},`)
    return balance - (opening ?? 0)
  }
  account('1000 Bank', 1, 500_000)
  account('4000 Sales', 1)
  const travel0 = account('Travel', 1)
  const inside = [account('Flights', 1), account('Hotels', 1)]
  rows.push(
    `Total for Travel with sub-accounts,,,,,,,${money(travel0 + inside[0]! + inside[1]! + (isTravelWrong ? 1 : 0))},`,
  )
  account('6000 Other', -1)
  return `${rows.join('\n')}\n\nAccrual Basis Monday, February 3, 2025 09:00 AM GMT\n`
}

const ONLINE = companyOf(
  `id: acme
name: Acme
fiscalMonthEnd: 12
currency: USD
accounts: { "1000": { classification: Asset, type: Bank }, "4000": { classification: Income, type: Sales }, "6000": { classification: Expense, type: Expense }, Travel: { classification: Expense, type: Expense }, "Travel:Flights": { classification: Expense, type: Expense }, "Travel:Hotels": { classification: Expense, type: Expense } }
ledger: [{ files: "*.csv", dateFormat: MM/DD/YYYY }]
`,
)
const online = new InParts(readFilesOf(familyCalled('quickbooks')), WORK, ONLINE)

test('the total of an account that was closed already includes the sub-accounts below it: nothing is divided there', async () => {
  const done = await online.same({ 'gl.csv': nestedLedger(40) }, [1, 4000, 20_000])
  assert.ok(done.includes('writePart'))
  const wrong = nestedLedger(40, { isTravelWrong: true })
  await online.same({ 'gl.csv': wrong }, [1, 4000, 20_000])
})

test('the lines of one account are read in parts too, each from the balance above it on', async () => {
  const done = await online.same({ 'gl.csv': nestedLedger(40) }, [1])
  const parts = done.filter((name) => name === 'writePart').length
  assert.ok(parts > 60, `${parts} parts of 6 accounts`)
  const wrong = nestedLedger(40).replace('"241.50"\n', '"241.51"\n')
  assert.is.not(wrong, nestedLedger(40))
  await online.same({ 'gl.csv': wrong }, [1, 1000])
})

test('letters of several bytes, a byte order mark, other encodings and line ends', async () => {
  const text = nestedLedger(20)
  for (const bytes of [
    Buffer.from(`\ufeff${text}`),
    Buffer.from(text.replaceAll('\n', '\r\n')),
    Buffer.from(text.replaceAll('ñ', 'n').replaceAll('ø', 'o'), 'latin1'),
    Buffer.from(text, 'latin1'),
  ])
    assert.ok((await online.same({ 'gl.csv': bytes }, [1, 3000])).includes('writePart'))
  const wide = await online.same({ 'gl.csv': Buffer.from(`\ufeff${text}`, 'utf16le') }, [1])
  assert.equal(wide, [], 'a text of UTF-16 is not divided')
})

test('several reports, of which one has a mistake', async () => {
  const january = nestedLedger(20)
  const february = january.replaceAll('01/', '02/').replace('January 2025', 'February 2025')
  const files = { 'a.csv': january, 'b.csv': february, 'c.csv': february.replace('"10.50"', '"10.51"') }
  const done = await online.same(files, [1, 3000])
  assert.ok(done.includes('measurePart'))
  assert.ok((await online.same({ 'a.csv': january, 'b.csv': february }, [1, 3000])).includes('writePart'))
  await online.same({ 'a.csv': nestedLedger(20, { date: 'soon' }), 'b.csv': february }, [1, 3000])
})

test('a report that is cut off, or has an unclosed quote', async () => {
  const text = nestedLedger(20)
  for (const broken of [text.slice(0, text.length / 2), text.replace('"Goods', '"Goods" x'), `${text}\n"`])
    await online.same({ 'gl.csv': broken }, [1, 3000])
})

test('a memo that looks like lines of the report is not cut', async () => {
  const like = ',01/05/2025,Invoice,1,Peña & Søn,Goods,-Split-,10.50,10.50\n'.repeat(9)
  const text = nestedLedger(20).replaceAll('of all"', `of all\n${like}"`)
  assert.ok((await online.same({ 'gl.csv': text }, [1, 3000])).includes('writePart'))
})

test('each line that names no account is told of, in whichever part it stands', async () => {
  const text = nestedLedger(20)
  const header = text.indexOf('1000 Bank')
  const [line = ''] = /^,01\/\d\d\/2025,Invoice[^\n]*\n[^\n]*\n/m.exec(text) ?? []
  const without = text.slice(0, header) + line.repeat(5) + text.slice(header)
  await online.same({ 'gl.csv': without }, [1, 200])
  const { findings } = (await online.reading({ 'gl.csv': without }, null)) as { findings: { code: string }[] }
  assert.is(findings.filter(({ code }) => code === 'missing-account').length, 5)
})

test('several threads give what one gives', async () => {
  const { files } = seed('quickbooks')
  await online.sameByThreads(
    THREAD,
    [{ 'gl.csv': nestedLedger(60) }, { 'a.csv': nestedLedger(9), ...files }],
    2000,
  )
  const { inParts, files: gnucash } = seed('gnucash')
  await inParts.sameByThreads(THREAD, [gnucash], 300)
})

test('where one of those who read fails, the reading ends with its reason', async () => {
  await online.endsWithReason(
    { 'gl.csv': nestedLedger(20) },
    ['digestPart', 'measurePart', 'writePart'],
    1000,
  )
})

test.run()
