/** FEC that are read in parts, by others or by threads, give what reading them as a whole gives: lines, findings, rows, order. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FormatContent } from '../../../builder/ingest/format/content.ts'
import type { LedgerPlan } from '../../../builder/ingest/format/intake.ts'
import { WORK } from '../../../builder/ingest/formats/fec/parts.ts'
import { readFecFiles } from '../../../builder/ingest/formats/fec/read.ts'
import type { Finding } from '../../../builder/workspace/finding.ts'
import { fecOf, type Line, lines } from '../../support/fec.ts'
import { companyOf, type Files, InParts } from '../../support/in-parts.ts'

const test = suite('FEC in parts')

const companyWith = (more = '') =>
  companyOf(
    `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: EUR\nledger: [{ files: "*.txt" }]\n${more}\n`,
  )
const COMPANY = companyWith()
const inParts = new InParts(readFecFiles, WORK, COMPANY)
type Done = readonly (keyof typeof WORK)[]

const NAME = '123456789FEC20231231.txt'
const SIZES = [150, 700, 3000]
const filesOf = (fec: Files | string | Buffer): Files =>
  typeof fec === 'string' || Buffer.isBuffer(fec) ? { [NAME]: fec } : fec

const same = (
  fec: Files | string | Buffer,
  company = COMPANY,
  sizes: readonly number[] = SIZES,
): Promise<Done> => inParts.of(company).same(filesOf(fec), sizes)

const count = (done: Done, call: keyof typeof WORK): number => done.filter((each) => each === call).length
const isDivided = (done: Done): void => {
  assert.ok(count(done, 'surveyPart') > 10, 'parts were surveyed')
  assert.ok(count(done, 'writePart') > 10, 'parts were written')
}
/** Parts were surveyed, and since the file is refused none were written. */
const isRefused = (done: Done): void => {
  assert.ok(count(done, 'surveyPart') > 10, 'parts were surveyed')
  assert.is(count(done, 'writePart'), 0)
}
const isWhole = (done: Done): void => assert.equal(done, [])

/** What is read of the whole, after it was found to be the same in parts. */
async function content(fec: string, company = COMPANY): Promise<FormatContent> {
  await same(fec, company)
  return (await inParts.of(company).reading(filesOf(fec), null)) as FormatContent
}
const found = ({ findings }: FormatContent, code: string): Finding[] =>
  findings.filter((finding) => finding.code === code)
/** The first cell of each row below the header. */
const entriesIn = ({ ledger: [plan] }: FormatContent): string[] =>
  (plan as LedgerPlan).path
    .trim()
    .split('\n')
    .slice(1)
    .map((row) => row.split(',')[0]!)

const OPENING = lines(`
  AN 1 20230101 512000 1000,00
  AN 1 20230101 101000 -1000,00`)
const day = (i: number): string =>
  `2023${String((i % 12) + 1).padStart(2, '0')}${String((i % 28) + 1).padStart(2, '0')}`
const sale = (i: number, number: string | number = i + 1, date = day(i)): Line[] =>
  lines(`
    VE ${number} ${date} 411000 1${i},00 F${i} Vente ${i}
    VE ${number} ${date} 707000 -1${i},00 F${i} Vente ${i}`)
const SALES = Array.from({ length: 24 }, (_, i) => sale(i))
const YEAR: readonly Line[] = [...OPENING, ...SALES.flat()]
const TEXT = fecOf(YEAR)

const change = (rows: readonly Line[], at: number, changed: Line): Line[] =>
  rows.map((row, i) => (i === at ? { ...row, ...changed } : row))

test('the rows, findings and lines are those of the whole file', async () => {
  isDivided(await same(TEXT))
  const seed = new URL('../corpus/fec/seed/', import.meta.url)
  const settings = companyOf(readFileSync(new URL('company.yaml', seed), 'utf8'))
  isDivided(await same(readFileSync(new URL('111111111FEC20231231.txt', seed)), settings, [50, 100]))
})

test('however lines end, with blank lines between them, without a last line end', async () => {
  for (const end of ['\n', '\r\n', '\r\r\n', '\n\n', '\r\n\r\n\r\n', '\r\n \t \r\n'])
    isDivided(await same(fecOf(YEAR, { end })))
  isDivided(await same(`\ufeff${TEXT}\r\n\r\n\u001a`))
  isDivided(await same(TEXT.trimEnd()))
  isDivided(await same(fecOf(YEAR, { delimiter: '|', end: '|\n' })))
  isDivided(await same(TEXT.replace(/[^\t\r\n]+/g, '"$&"')))
  await same(`\r\n\r\n${TEXT}`)
})

test('in any encoding; what shows no line ends to a search of bytes is read as a whole', async () => {
  const accented = fecOf(YEAR.map((row) => ({ ...row, EcritureLib: 'Réglé à l’été' })))
  isDivided(await same(accented))
  isDivided(await same(Buffer.from(fecOf(YEAR.map((row) => ({ ...row, EcritureLib: 'Réglé' }))), 'latin1')))
  for (const text of [fecOf(YEAR, { end: '\r' }), Buffer.from(`\ufeff${accented}`, 'utf16le')])
    isWhole(await same(text, COMPANY, [150, 700]))
})

test('the separator in labels', async () => {
  const piped = (label: string) =>
    fecOf(
      YEAR.map((row, i) => (i > 20 && i % 3 === 0 ? { ...row, EcritureLib: label } : row)),
      { delimiter: '|' },
    )
  const read = await content(piped('Vente | acompte|solde'))
  assert.equal(
    found(read, 'separator-in-label').map(({ row, message }) => [row, message.split(' ')[0]]),
    [[23, '10']],
  )
  isRefused(await same(piped('a|1|2').replaceAll('|1|2', '|1|2|3|4|5').replace('707000', '70|70')))
})

test('entries whose lines stand in several parts', async () => {
  const long = lines(
    Array.from(
      { length: 60 },
      (_, i) => `OD 25 20231201 ${i % 2 ? 607000 : 512000} ${i % 2 ? '-' : ''}3,00`,
    ).join('\n'),
  )
  isDivided(await same(fecOf([...YEAR, ...long])))
  isDivided(await same(fecOf([...YEAR].sort((a, b) => a.CompteNum!.localeCompare(b.CompteNum!)))))
  isDivided(await same(fecOf([...YEAR].reverse())))
  const open = await content(fecOf(change([...YEAR, ...long], 30, { Debit: '9999,00', Credit: '' })))
  assert.equal(
    found(open, 'unbalanced-transaction').map(({ row, text }) => [row, text]),
    [[32, 'VE 15']],
  )
})

test('numbers that begin anew, are 0, or are the same on every line', async () => {
  const daily = await content(fecOf([...OPENING, ...SALES.flatMap((_, i) => sale(i, (i % 3) + 1))]))
  assert.ok(entriesIn(daily).includes('2023 VE 1 2023-04-04'))
  const none = await content(fecOf([...OPENING, ...SALES.flatMap((_, i) => sale(i, 0))]))
  assert.ok(entriesIn(none).includes('2023 VE 2023-04-04 F3'))
  // Lines of a document that balance with those of another one, of the same day or month.
  const moved = SALES.flatMap((_, i) => {
    const [debit, credit] = sale(i, 0)
    return [
      debit!,
      {
        ...credit!,
        PieceRef: `G${i}`,
        EcritureDate: i % 2 ? credit!.EcritureDate! : `${credit!.EcritureDate!.slice(0, 6)}28`,
      },
    ]
  })
  const monthly = await content(fecOf([...OPENING, ...moved]))
  assert.ok(entriesIn(monthly).includes('2023 VE 2023-03'))
  assert.ok(entriesIn(monthly).includes('2023 VE 2023-04-04'))
  isDivided(await same(fecOf(YEAR.map((row) => ({ ...row, EcritureNum: 'X' })))))
  isDivided(await same(fecOf(YEAR.map((row, i) => ({ ...row, EcritureNum: String(i + 1) })))))
})

test('journals of openings, wherever a line shows that they are', async () => {
  const late = [...SALES.flat(), ...OPENING]
  assert.equal((await content(fecOf(late))).openingJournals, ['AN'])
  const named = await content(
    fecOf(
      [...OPENING, ...SALES.flat(), ...lines('AN 2 20230101 512000 5,00\nAN 2 20230101 101000 -5,00')].map(
        (row, i) =>
          row.JournalCode === 'AN'
            ? { ...row, JournalCode: '90', JournalLib: i > 20 && i % 2 === 0 ? 'A NOUVEAUX' : '' }
            : row,
      ),
    ),
  )
  assert.equal(named.openingJournals, ['90'])
  assert.equal(found(named, 'opening-inside-year'), [])
  for (const rows of [
    change(late, late.length - 1, { EcritureDate: '20230601' }),
    change(late, late.length - 1, { CompteNum: '707000' }),
    change(late, late.length - 1, { Credit: '1,00' }),
    [...lines('AN 0 20211130 411000 100,00 F-9\nAN 0 20221215 411000 -100,00 F-90'), ...YEAR],
  ]) {
    await same(fecOf(rows))
    for (const more of [
      'opening: { journals: [VE] }',
      'opening: { journals: [] }',
      'opening: { journals: [ZZ, AN] }',
    ])
      await same(fecOf(rows), companyWith(more))
  }
  await same(
    TEXT,
    companyWith(
      'fiscalYears: [{ start: 2023-01-01, end: 2023-06-30 }, { start: 2023-07-01, end: 2023-12-31 }]',
    ),
  )
})

test('entries that stand there twice, in the same part or in others', async () => {
  const again = async (...rows: readonly (readonly Line[])[]) =>
    found(await content(fecOf(rows.flat())), 'entry-repeated').map(
      ({ row, message }) => `${row} ${message.split(' in the file')[0]}`,
    )
  assert.equal(await again(YEAR, YEAR), ['52 25 entries, AN 1 2023-01-01 first, stand'])
  assert.equal(await again(YEAR, SALES[3]!), ['52 entry VE 4 2023-04-04 stands'])
  assert.equal(await again(YEAR, [...SALES[3]!].reverse()), ['52 entry VE 4 2023-04-04 stands'])
  assert.equal(await again(YEAR, SALES[3]!.slice(1)), [])
  assert.equal(await again(YEAR, SALES[22]!, SALES[3]!, SALES[22]!), [
    '52 3 entries, VE 23 2023-11-23 first, stand',
  ])
  const long = lines(
    Array.from(
      { length: 40 },
      (_, i) => `OD 25 20231201 ${i % 2 ? 607000 : 512000} ${i % 2 ? '-' : ''}${i >> 1},00`,
    ).join('\n'),
  )
  assert.equal(await again(YEAR, long, SALES[0]!, long), ['92 2 entries, VE 1 2023-01-01 first, stand'])
  // Lines without number stand between those of one entry.
  await same(fecOf([...YEAR, ...long.flatMap((line) => [line, ...sale(1, 0)]), ...long]))
  // Another number of that name is on another day.
  assert.equal(await again(YEAR, sale(3, 4, '20231224'), SALES[3]!), [])
  assert.equal(
    await again(
      YEAR.map((row) => ({ ...row, EcritureNum: '0' })),
      SALES[3]!,
      SALES[5]!,
      SALES[3]!,
    ),
    ['56 entry VE 4 2023-04-04 stands'],
  )
})

test('gaps in the numbers', async () => {
  const numbered = (numbers: readonly (string | number)[], journals = ['VE']) =>
    fecOf(
      numbers.flatMap((number, i) =>
        sale(i, number).map((row) => ({ ...row, JournalCode: journals[i % journals.length]! })),
      ),
    )
  const numbers = Array.from({ length: 60 }, (_, i) => i + 1)
  const gap = async (...given: Parameters<typeof numbered>) => {
    const [gaps] = found(await content(numbered(...given)), 'voucher-gap')
    return gaps && `${gaps.row} ${gaps.message.split(': ')[1]}`
  }
  assert.is(await gap(numbers), undefined)
  assert.is(await gap([...numbers].reverse()), undefined)
  assert.is(await gap(numbers.filter((n) => n % 20 !== 7)), '14 7, 27, 47')
  assert.is(
    await gap(
      numbers.filter((n) => n % 20 !== 7),
      ['VE', 'BQ', 'OD'],
    ),
    '14 7, 27, 47',
  )
  const mixed = numbers.map((n) => (n * 37) % 61).filter((n) => n < 20 || n > 25)
  assert.is(await gap(mixed), `${2 * mixed.indexOf(26) + 2} 20 to 25`)
  assert.is(await gap([...mixed, 26, 27, 28]), `${2 * mixed.indexOf(26) + 2} 20 to 25`)
  await gap(
    numbers.map((n) => `${n % 3}-${n}`),
    ['VE', 'BQ'],
  )
  await gap(numbers.map((n) => (n % 7) * 1000 + (n >> 2)))
})

test('lines that cannot be read, with and without journal; more findings than are listed', async () => {
  for (const at of [0, 1, 2, 24, 25, 49])
    for (const changed of [
      { EcritureDate: 'x' },
      { EcritureDate: 'x', EcritureNum: '' },
      { EcritureDate: 'x', JournalCode: '' },
      { CompteNum: '' },
      { Debit: '12,345' },
      { Debit: '1,00', Credit: '1,00' },
      { Debit: '', Credit: '' },
    ])
      await same(fecOf(change(YEAR, at, changed)), COMPANY, [700])
  for (const at of [3, 26]) {
    const torn = TEXT.split('\r\n')
    torn[at] = torn[at]!.slice(0, 40)
    await same(torn.join('\r\n'))
  }
  isDivided(await same(fecOf(YEAR.map((row, i) => (i % 5 === 0 ? { ...row, EcritureDate: '' } : row)))))
  const many = Array.from({ length: 20 }, () => YEAR).flat()
  for (const changed of [
    { EcritureDate: 'x' },
    { EcritureDate: 'x', Debit: 'y', JournalCode: '' },
    { Debit: '1,00', Credit: '', EcritureNum: '7' },
  ]) {
    const fec = fecOf(many.map((row, i) => (i % 3 === 0 ? row : { ...row, ...changed })))
    await same(fec, COMPANY, [3000, 40_000])
  }
  const each = many.map((row, i) => ({ ...row, EcritureNum: String(i), Debit: '1,00', Credit: '' }))
  const read = (await inParts.reading(filesOf(fecOf(each)), null)) as FormatContent
  assert.is(found(read, 'unbalanced-transaction').length, 201)
  await same(fecOf(each), COMPANY, [3000, 40_000])
})

test('files without lines, columns or a year; one endless line', async () => {
  await same(fecOf([]), COMPANY, [20])
  await same('', COMPANY, [20])
  await same(TEXT.replace('Debit', 'Debits'))
  await same(fecOf(YEAR.map((row) => ({ ...row, EcritureDate: '' }))))
  await same({ 'export.txt': TEXT })
  await same(`${TEXT}${'x'.repeat(5 << 20)}`, COMPANY, [3000])
  await same(`${TEXT}${'x'.repeat(5 << 20)}\r\n${TEXT}`, COMPANY, [3000])
  const cut = Buffer.from(fecOf(YEAR.map((row) => ({ ...row, EcritureLib: 'Réglé' }))))
  for (let end = 200; end < cut.length; end += 397) await same(cut.subarray(0, end), COMPANY, [150])
})

test('names of accounts that change', async () => {
  const named = YEAR.map((row, i) => ({ ...row, CompteLib: i % 3 === 0 ? '' : `${row.CompteLib} ${i >> 3}` }))
  const read = await content(fecOf(named))
  assert.is(read.accounts.find((row) => row.id === '411000')?.name, 'Clients 5')
})

test('several files: small ones whole, large ones in parts, in the order of their years', async () => {
  const year = (of: string) =>
    fecOf(YEAR.map((row) => ({ ...row, EcritureDate: row.EcritureDate!.replace('2023', of) })))
  const files = {
    '123456789FEC20241231.txt': year('2024'),
    '123456789FEC20231231.txt': year('2023'),
    '123456789FEC20251231.txt': fecOf(
      lines(
        'AN 1 20250101 512000 1000,00\nAN 1 20250101 101000 -1000,00\nVE 1 20250303 411000 1,00\nVE 1 20250303 707000 -1,00',
      ),
    ),
    '123456789FEC20261231.txt': fecOf(
      YEAR.map((row) => ({ ...row, EcritureDate: row.EcritureDate!.replace('2023', '2026') })),
      { end: '\r' },
    ),
  }
  isDivided(await same(files, COMPANY, [150, 700, 3000, 100_000]))
  isRefused(await same({ ...files, '123456789FEC20221231.txt': TEXT }))
  isRefused(await same({ ...files, '999999999FEC20271231.txt': year('2027') }))
})

test('by threads, with the loader of this process', () =>
  inParts.sameByThreads(
    new URL('../../../builder/ingest/formats/fec/part-thread.ts', import.meta.url),
    [
      { [NAME]: TEXT },
      { [NAME]: fecOf([...SALES.flatMap((_, i) => sale(i, (i % 3) + 1)), ...OPENING]) },
      { [NAME]: fecOf(change(YEAR, 30, { EcritureDate: 'x' })) },
      {
        [NAME]: TEXT,
        '123456789FEC20241231.txt': fecOf(
          [...YEAR].map((row) => ({ ...row, EcritureDate: row.EcritureDate!.replace('2023', '2024') })),
        ),
      },
    ],
    700,
  ))

test('where one of those who read fails, the reading ends with its reason', () =>
  inParts.endsWithReason({ [NAME]: TEXT }, ['surveyPart', 'writePart'], 700))

test.run()
