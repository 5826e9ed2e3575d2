/** SIE files that are read in parts, by others or by threads, give what reading them as one gives: lines, findings, rows, order. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { FormatContent } from '../../../builder/ingest/format/content.ts'
import { WORK } from '../../../builder/ingest/formats/sie/parts.ts'
import { readSieFiles } from '../../../builder/ingest/formats/sie/read.ts'
import { companyOf, type Files, InParts } from '../../support/in-parts.ts'

const test = suite('SIE in parts')

const YAML = (more = '', ledger = '') =>
  `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\nledger: [{ files: "*.se"${ledger} }]\n${more}\n`
const SWEDEN = companyOf(YAML())

const inParts = new InParts(readSieFiles, WORK, SWEDEN)
type Done = readonly (keyof typeof WORK)[]

const same = (
  files: Files | string | Buffer,
  company = SWEDEN,
  sizes: readonly number[] = [1, 70, 300, 1500],
): Promise<Done> => {
  const all = typeof files === 'string' || Buffer.isBuffer(files) ? { 'books.se': files } : files
  return inParts.of(company).same(all, sizes)
}

/** Vouchers were read in several parts, each once. */
const isDivided = (done: Done): void => {
  assert.ok(done.filter((each) => each === 'readPart').length > 8, 'parts were read')
}

const HEAD = [
  '#FLAGGA 0',
  '#FORMAT PC8',
  '#SIETYP 4',
  '#FNAMN "Acme"',
  '#ORGNR 556000-0001',
  '#RAR 0 20240101 20241231',
  '#RAR -1 20230101 20231231',
  '#KONTO 1510 Kundfordringar',
  '#KONTO 1930 Bank',
  '#KONTO 3010 Försäljning',
  '#DIM 1 Kostnadsställe',
  '#DIM 6 Projekt',
  '#UNDERDIM 21 Butik 1',
  '#OBJEKT 1 N Nord',
  '#IB 0 1930 1000.00',
  '#IB 0 2081 -1000.00',
  '#PSALDO 0 202401 3010 {1 N} -100.00',
]
const day = (n: number): string =>
  `2024${String((n % 12) + 1).padStart(2, '0')}${String((n % 28) + 1).padStart(2, '0')}`
const voucher = (n: number, head = `A ${n}`, lines: readonly string[] = linesOf(n)): string[] => [
  `#VER ${head} ${day(n)} "Faktura ${n}"`,
  '{',
  ...lines,
  '}',
]
const linesOf = (n: number): string[] => [
  `#TRANS 1510 {${['', '1 N', '6 P1', '1 S 21 B1', '7 x'][n % 5]}} ${n}.00`,
  `#TRANS 30${10 + n} {1 K${n}} -${n}.00 "" "Rad, ""${n}"`.replace('""', '\\"'),
]
const numbers = (count: number, from = 1): number[] => Array.from({ length: count }, (_, i) => from + i)
const VOUCHERS = numbers(24).map((n) => voucher(n))
const textOf = (
  vouchers: readonly (readonly string[])[],
  head: readonly string[] = HEAD,
  end = '\n',
): string => [...head, ...vouchers.flat(), ''].join(end)
const TEXT = textOf(VOUCHERS)
/** The text with lines in front of a voucher, which may be a part's first. */
const inserted = (n: number, ...lines: string[]): string =>
  textOf(VOUCHERS.map((own, i) => (i === n - 1 ? [...lines, ...own] : own)))
/** The text with another voucher in the place of one. */
const changed = (n: number, ...lines: string[]): string =>
  textOf(VOUCHERS.map((own, i) => (i === n - 1 ? lines : own)))

test('the rows, findings and figures are those of the whole file', async () => {
  isDivided(await same(TEXT))
  for (const name of ['seed/books.se', 'found/account-constructor/books.se']) {
    const corpus = new URL('../corpus/sie/', import.meta.url)
    const settings = companyOf(readFileSync(new URL('seed/company.yaml', corpus), 'utf8'))
    await same(readFileSync(new URL(name, corpus)), settings)
  }
  const golden = new URL('../../golden/sie-repeated-opening/input/', import.meta.url)
  const years = ['2023.se', '2024.se'].map((name) => [name, readFileSync(new URL(name, golden))] as const)
  await same(Object.fromEntries(years))
})

const SAMPLES = resolve(import.meta.dirname, '../../../../shared/samples/sie')
if (existsSync(SAMPLES))
  test('files of real programs', async () => {
    const company = companyOf(YAML('', ', priorYear: psaldo'))
    for (const name of readdirSync(SAMPLES).filter((file) => /\.s[ei]$/i.test(file))) {
      const bytes = readFileSync(resolve(SAMPLES, name))
      await same(bytes, SWEDEN, [200, 5000])
      await same(bytes, company, [5000])
    }
  })

test('however lines end, and letters are written', async () => {
  for (const text of [
    textOf(VOUCHERS, HEAD, '\r\n'),
    textOf(VOUCHERS, HEAD, '\r'),
    textOf(VOUCHERS, HEAD, '\n\n'),
    TEXT.trimEnd(),
    `${TEXT}\u001a`,
    `\ufeff${TEXT}`,
    Buffer.from(TEXT, 'latin1'),
    Buffer.from(TEXT.replaceAll('ö', '\x94').replaceAll('ä', '\x84'), 'latin1'),
    Buffer.from(TEXT.replace('Faktura 20', 'Kr\x80ner'), 'latin1'),
    // DOS letters above, Latin ones in one part below: all of them count.
    Buffer.from(TEXT.replaceAll(/[öä]/g, '\x94').replace('Faktura 20', '\xe5\xe4\xf6 \xa4'), 'latin1'),
    Buffer.from(TEXT.replaceAll(/[öä]/g, 'o').replace('Faktura 20', '\xe5\xe4\xf6 \xa4'), 'latin1'),
    TEXT.replaceAll(/[öä]/g, 'o'),
  ])
    isDivided(await same(text))
  await same(Buffer.from(`\ufeff${TEXT}`, 'utf16le'))
  for (const text of [TEXT.replaceAll('#VER', ' #VER'), TEXT.replaceAll('#VER', '#ver')]) await same(text)
})

test('bytes that are not text in the stated encoding', async () => {
  const company = companyOf(YAML('', ', encoding: utf-8'))
  for (const letter of ['Kund', 'Faktura 9', 'Faktura 24']) {
    await same(Buffer.from(TEXT.replace(letter, '\xe5'), 'latin1'), company)
    await same(Buffer.from(textOf(VOUCHERS, HEAD, '\r').replace(letter, '\xe5'), 'latin1'), company)
  }
  await same(TEXT.replace('Faktura 9', '\ufffd'), company)
  await same(Buffer.concat([Buffer.from(TEXT.replace('Faktura 9', '\ufffd')), Buffer.from([0xe5])]), company)
})

test('labels between vouchers and behind them, which say something of all of them', async () => {
  for (const line of [
    '#KONTO 1510 "Annat namn"',
    '#KONTO 9100 Obs',
    '#KTYP 9100 I',
    '#RES 0 3010 -300',
    '#PSALDO 0 202402 3010 {1 N} -7',
    '#PBUDGET 0 202402 3010 {} -7',
    '#IB 0 1930 7',
    '#OBJEKT 1 S Syd',
    '#DIM 7 Sjuan',
    '#UNDERDIM 7 Sjuan 6',
    '#UNDERDIM 21 Butik 6',
    '#RAR 0 20240101 20240630',
    '#RAR 0 20230701 20240630',
    '#RAR 0 x y',
    '#OMFATTN 20240630',
    '#OMFATTN',
    '#SIETYP 3',
    '#SIETYP',
    '#FNAMN',
    '#VALUTA EUR',
    '#KSUMMA',
    '#PROSA "open',
    '#IB "open',
    '#TRANS 1930 {} 5',
    '',
  ])
    for (const n of [1, 12, 24]) await same(inserted(n, line), SWEDEN, [1, 300])
  await same(inserted(12, '#KSUMMA', '#KSUMMA'))
  await same(inserted(1, '#KSUMMA').replace(/$/, '#KSUMMA 1234\n'))
  await same(`${TEXT}#KSUMMA 1234\n`)
  // Where the type and the year stand behind the vouchers, nothing above says how to read them.
  for (const late of ['#SIETYP 4', '#RAR 0 20240101 20241231', '#DIM 6 Projekt', '#UNDERDIM 21 Butik 1'])
    await same(`${TEXT.replace(`${late}\n`, '')}${late}\n`)
  await same(textOf(VOUCHERS, []))
  await same(textOf([]))
  await same('')
})

test('vouchers that do not end, blocks that are skipped, braces that are not balanced', async () => {
  const [head, open, ...rest] = VOUCHERS[11]!
  for (const lines of [
    [head!, open!, ...rest.slice(0, -1)],
    [head!, ...rest],
    [head!],
    [head!, open!],
    [head!, open!, open!, ...rest],
    [head!, open!, ...rest, '}', '}'],
    [head!, '}', ...rest],
    [head!, open!, '#KONTO 1 inside', ...rest],
    ['#VER A "12 20240101', open!, ...rest],
    [`${head!}"`, open!, ...rest],
    ['{', '#VER A 99 20240101', ...rest],
    ['#NYTT 1', '{', '#TRANS 1930 {} 5'],
    ['#NYTT 1', '{', '#TRANS 1930 {} 5', '}', head!, open!, ...rest],
    ['#VERSION 3', head!, open!, ...rest],
    ['#VER A 12', open!, ...rest],
    ['#VER A 12 20249999 x', open!, ...rest],
    [head!, open!, '#TRANS 1930 {} x', ...rest],
    [head!, open!, '#TRANS 1930 {} 5', '#TRANS 1930 {', ...rest],
    [head!, open!, '#RTRANS 1930 {} 5 "" x', '}'],
    [
      head!,
      open!,
      '#BTRANS 1930 {} 5',
      '#RTRANS 1930 {} 5',
      '#TRANS 1930 {} 5',
      '#RTRANS 1930 {} 7',
      ...rest,
    ],
    [head!, open!, '#TRANS 1510 {1 N 1 S} 5', '#TRANS 1510 {1 S 21 B2} -5', '}'],
  ]) {
    await same(changed(12, ...lines), SWEDEN, [1, 300])
    await same(changed(24, ...lines), SWEDEN, [1, 300])
  }
  for (let end = TEXT.length - 1; end > 0; end -= 173) await same(TEXT.slice(0, end), SWEDEN, [1, 300])
})

test('numbers that repeat, are missing or are not plain, in one file and in several', async () => {
  for (const names of [
    (n: number) => `A ${n % 7}`,
    (n: number) => `A ${25 - n}`,
    (n: number) => `A ${n === 20 ? 3 : n}`,
    (n: number) => `A ${n * n}`,
    (n: number) => `A ${String(n % 9).padStart(3, '0')}`,
    (n: number) => (n % 2 === 0 ? `A ${n}` : `A ${String(n + 1).padStart(3, '0')}`),
    (n: number) => `A N${n % 5}`,
    () => '"" ""',
    () => '# ""',
    (n: number) => `${n % 2 === 0 ? 'A' : 'B'} ${n}`,
    (n: number) => (n % 2 === 0 ? `"" "A ${n + 1}"` : `A ${n}`),
    (n: number) => (n % 2 === 0 ? `"A ${n + 1}" ""` : `A ${n}`),
    (n: number) => (n % 2 === 0 ? `"" ${n + 1}` : `${n} ""`),
    (n: number) =>
      n < 3 ? 'A 7' : n === 9 ? '"" "A 7 2024-02-02"' : n === 11 ? 'A "7 2024-03-03 (2)"' : `A ${n}`,
    (n: number) => `A ${n}000000000`,
  ])
    isDivided(await same(textOf(numbers(24).map((n) => voucher(n, names(n))))))
  const half = (from: string, to: string, first: number): string =>
    textOf(
      numbers(12, first).map((n) => voucher(n, `A ${n % 8}`)),
      HEAD.map((line) => (line.startsWith('#RAR 0') ? `#RAR 0 ${from} ${to}` : line)),
    )
  await same({ 'a.se': half('20240101', '20240630', 1), 'b.se': half('20240701', '20241231', 7) })
  await same({ 'b.se': half('20250101', '20251231', 1), 'a.se': half('20240101', '20241231', 7) })
  await same({ 'b.se': half('20240101', '20241231', 1), 'a.se': half('20240101', '20241231', 7) })
})

test('vouchers that do not balance, lines outside of the year and behind what the file covers', async () => {
  const off = numbers(24).map((n) =>
    voucher(n, n % 3 === 0 ? '"" ""' : `A ${n}`, [
      `#TRANS 1510 {} ${n}.00 ${n % 2 === 0 ? '20231215' : day(n)}`,
      `#TRANS 3010 {} -${n % 4 === 0 ? n : 7}.00 ${n % 5 === 0 ? '20250105' : ''}`,
    ]),
  )
  isDivided(await same(textOf(off)))
  isDivided(await same(textOf(off, [...HEAD, '#OMFATTN 20240630'])))
  const many = numbers(300).map((n) =>
    voucher(n, `A ${n}`, [`#TRANS 1510 {${n % 2} N 1 S} ${n}.001`, '#TRANS 1 {} 1']),
  )
  isDivided(await same(textOf(many), SWEDEN, [2000]))
})

test('the months of the year before as postings, above the vouchers or alone', async () => {
  const months = companyOf(YAML('', ', priorYear: psaldo'))
  const before = [
    ...HEAD,
    '#IB -1 1930 900',
    '#IB -1 2081 -900',
    '#UB -1 1930 1000',
    '#RES -1 3010 -100',
    '#PSALDO -1 202305 1930 {} 100',
    '#PSALDO -1 202305 3010 {1 N} -100',
    '#UB -1 2081 -900',
  ]
  isDivided(await same(textOf(VOUCHERS, before), months))
  isDivided(await same(textOf(VOUCHERS), months))
  await same(
    textOf(
      numbers(24).map((n) => voucher(n, 'A 1')),
      before,
    ),
    months,
  )
})

test('other dimensions of the company, and of another file', async () => {
  const company = companyOf(YAML('dimensions: { "7": class, "6": none }'))
  isDivided(await same(TEXT, company))
  const later = textOf(
    numbers(9).map((n) => voucher(n)),
    [
      ...HEAD.map((line) => (line.startsWith('#RAR 0') ? '#RAR 0 20250101 20251231' : line)),
      '#UNDERDIM 7 Sjuan 1',
    ],
  )
  isDivided(await same({ 'z.se': TEXT, 'later.se': later }))
  isDivided(
    await same({
      'z.se': TEXT,
      'later.se': `${later.replace('#UNDERDIM 7 Sjuan 1\n', '')}#UNDERDIM 7 Sjuan 1\n`,
    }),
  )
  isDivided(await same({ 'z.se': TEXT, 'typ3.se': later.replace('#SIETYP 4', '#SIETYP 3') }))
})

test('each part is read once, where nothing below the first voucher says otherwise', async () => {
  const done = await same(TEXT, SWEDEN, [300])
  const of = (name: keyof typeof WORK): number => done.filter((each) => each === name).length
  assert.ok(of('readPart') > 5)
  assert.is(of('readPart'), of('countPart'))
})

test('a file that cannot be divided is read up to 80 MB', async () => {
  const text = Buffer.from(`\ufeff${TEXT}`, 'utf16le')
  const large = Buffer.concat([text, Buffer.alloc(80 * 1024 ** 2 - text.length + 2, ' \0')])
  const { findings } = (await inParts.reading({ 'a.se': large }, null)) as FormatContent
  assert.equal(
    findings.map(({ code, file }) => [code, file]),
    [['file-too-large', 'a.se']],
  )
  assert.match(findings[0]!.message, /has 81 MB and cannot be read in parts/)
})

test('by threads, with the loader of this process', () =>
  inParts.sameByThreads(
    new URL('../../../builder/ingest/formats/sie/part-thread.ts', import.meta.url),
    [
      { 'books.se': TEXT },
      { 'books.se': TEXT.slice(0, -300) },
      { 'books.se': inserted(20, '#OMFATTN 20240101') },
    ],
    300,
  ))

test('where one of those who read fails, the reading ends with its reason', () =>
  inParts.endsWithReason({ 'books.se': TEXT }, ['countPart', 'readPart'], 300))

test.run()
