/** SAF-T files that are read in parts, by others or by threads, give what reading them as a whole gives: lines, findings, rows, order. */
import { readFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { WORK } from '../../../builder/ingest/formats/saft/parts.ts'
import { readSaftFiles } from '../../../builder/ingest/formats/saft/read.ts'
import { companyOf, type Files, InParts } from '../../support/in-parts.ts'
import { type SaftFile, saftFile } from '../../support/saft.ts'

const test = suite('SAF-T in parts')

const YAML = (currency: string, more = '') =>
  `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: ${currency}\nledger: [{ files: "*.xml" }]\n${more}\n`
const NORWAY = companyOf(YAML('NOK'))
const PORTUGAL = companyOf(YAML('EUR'))

const inParts = new InParts(readSaftFiles, WORK, NORWAY)
type Done = readonly (keyof typeof WORK)[]

const same = (
  files: Files | string | Buffer,
  company = NORWAY,
  sizes: readonly number[] = [100, 700, 3000],
): Promise<Done> => {
  const all = typeof files === 'string' || Buffer.isBuffer(files) ? { 'saft.xml': files } : files
  return inParts.of(company).same(all, sizes)
}

const isDivided = (done: Done): void => {
  assert.ok(done.filter((each) => each === 'surveyPart').length > 3, 'parts were surveyed')
  assert.ok(done.filter((each) => each === 'writePart').length > 3, 'parts were written')
}
/** Parts were looked at, and did not give the whole file. */
const isWhole = (done: Done): void => assert.not.ok(done.includes('writePart'))

const LINES = Array.from({ length: 24 }, (_, i) => {
  const month = String((i % 12) + 1).padStart(2, '0')
  return [
    `${i} 2025-${month}-05 1500 120.00 A:${i % 3} A:9=20.00`,
    `${i} 2025-${month}-05 30${i % 20} -100.00 P:${i % 5}`,
    `${i} 2025-${month}-05 2700 -20.00 X:1`,
  ].join('\n')
}).join('\n')
const FILE: SaftFile = {
  accounts:
    '1920 Bank 1000.00 1000.00\n1500 Kunder 0.00 2880.00\n2000 Kapital -1000.00 -1000.00\n2700 Mva 0.00 -480.00',
  analyses: 'A Avdeling 0 Oslo\nA Avdeling 1 Bergen',
  lines: LINES,
}
const TEXT = saftFile(FILE)
const changed = (...replace: (readonly [RegExp | string, string])[]): string => saftFile({ ...FILE, replace })

/** In front of the transaction with this number. */
const before = (number: number): RegExp =>
  new RegExp(`<Transaction>\\s*<TransactionID>${number}</TransactionID>`)
const inserted = (number: number, text: string): string =>
  TEXT.replace(before(number), (found) => text + found)

test('the rows, findings and lines are those of the whole file', async () => {
  isDivided(await same(TEXT))
  for (const [name, company] of [
    ['saft/seed/2025.xml', 'saft/seed/company.yaml'],
    ['saft-pt/seed/saft.xml', 'saft-pt/seed/company.yaml'],
  ] as const) {
    const corpus = new URL('../corpus/', import.meta.url)
    const settings = companyOf(readFileSync(new URL(company, corpus), 'utf8'))
    isDivided(await same(readFileSync(new URL(name, corpus)), settings, [100, 1000]))
  }
})

test('however the text is written: on one line, a transaction a line, CR LF, prefixes, encodings, customers', async () => {
  const party =
    '<Customers><Customer><CustomerID>7</CustomerID><Name>Ærlig, "Ole"</Name></Customer></Customers></MasterFiles>'
  const written = TEXT.replace('</MasterFiles>', party).replaceAll(
    '</TransactionDate>',
    '</TransactionDate><CustomerID>7</CustomerID>',
  )
  const [start, ...rest] = written.split('<Transaction>')
  const oneEach = [start, ...rest.map((each) => each.replaceAll('\n', ''))].join('<Transaction>')
  for (const text of [
    written,
    written.replaceAll('\n', ''),
    oneEach,
    oneEach.replaceAll('</Transaction><Transaction>', '</Transaction>\n<Transaction>'),
    written.replaceAll('\n', '\r\n'),
    written.replaceAll('\n', '\r'),
    `\ufeff${written.replaceAll(/<(\/?)(?=[A-Z])/g, '<$1n1:').replace('xmlns=', 'xmlns:n1=')}`,
    Buffer.from(written.replace('UTF-8', 'ISO-8859-1'), 'latin1'),
    written
      .replace('<?xml', '<!-- <AuditFile> --><?xml')
      .replace(/^<!--.*?-->(<\?xml.*?\?>)/, '$1<!-- exported -->'),
  ])
    isDivided(await same(text))
  isWhole(await same(Buffer.from(`\ufeff${written}`, 'utf16le')))
})

test('journals: several, without number, numbered behind their transactions, one for each transaction', async () => {
  const next = (head: string) => `</Journal>\n<Journal>${head}`
  isDivided(await same(inserted(5, next('<JournalID>B&amp;1</JournalID>\n<Type>B</Type>\n'))))
  isDivided(await same(inserted(5, next('<Description>none</Description>'))))
  isDivided(
    await same(
      TEXT.replaceAll(
        '</Transaction>\n<Transaction>',
        `</Transaction>${next('<JournalID>C</JournalID>')}<Transaction>`,
      ),
    ),
  )
  isWhole(await same(inserted(12, '<JournalID>late</JournalID>'), NORWAY, [700]))
  isDivided(
    await same(inserted(5, next('<JournalID>empty</JournalID></Journal><Journal><JournalID>D</JournalID>'))),
  )
})

test('what hides tags from a search of bytes', async () => {
  const inside = '</Transaction>\n<Transaction><TransactionID>900</TransactionID>'
  isWhole(await same(inserted(7, `<!-- ${inside.repeat(20)} -->`), NORWAY, [100, 300]))
  isWhole(await same(inserted(7, `<?note ${inside.repeat(20)}?>`), NORWAY, [100, 300]))
  isWhole(await same(TEXT.replace('Entry 7', `<![CDATA[${inside.repeat(20)}]]>`), NORWAY, [100, 300]))
  isDivided(
    await same(TEXT.replace('Entry 7', '<![CDATA[a <b> & c]]>').replace('Entry 9', '&lt;Transaction&gt;')),
  )
  isDivided(await same(inserted(7, '<!-- a comment --><?a note?>')))
  isWhole(await same(TEXT.replaceAll('<Transaction>', '<Transaction >')))
  isWhole(await same(TEXT.replaceAll('<Journal>', '<Journal id="1">')))
  isDivided(await same(TEXT.replace('<AuditFile ', '<AuditFile note="a &gt; b" ')))
  isWhole(await same(TEXT.replace('<AuditFile ', '<AuditFile note="a > b" ')))
})

test('files that end early or are not XML, wherever that is', async () => {
  for (let end = TEXT.length - 3; end > 0; end -= 397) isWhole(await same(TEXT.slice(0, end), NORWAY, [700]))
  for (const number of [0, 1, 11, 22, 23])
    for (const text of ['<Line>', '</Line>', '</Journal>', '&', '&none;', '<', '</AuditFile>', ']]>'])
      isWhole(await same(inserted(number, text), NORWAY, [400, 3000]))
  isWhole(await same(`${TEXT}<AuditFile/>`))
  isWhole(await same(TEXT.replace('<AuditFile', '<!DOCTYPE AuditFile><AuditFile')))
})

test('what stands in an unusual order', async () => {
  const [, master] = /(<MasterFiles>[\s\S]*<\/MasterFiles>)/.exec(TEXT)!
  const without = TEXT.replace(master!, '')
  isWhole(await same(without.replace('</AuditFile>', `${master}</AuditFile>`)))
  const [totals] = /<NumberOfEntries>[\s\S]*?<\/TotalCredit>\n/.exec(TEXT)!
  const late = TEXT.replace(totals, '')
  isDivided(await same(late.replace('</GeneralLedgerEntries>', `${totals}</GeneralLedgerEntries>`)))
  isWhole(
    await same(
      late.replace(before(12), (found) => `</Journal>${totals}<Journal><JournalID>GL</JournalID>${found}`),
      NORWAY,
      [700],
    ),
  )
  await same(TEXT.replace(/<Header>[\s\S]*?<\/Header>/, ''))
  await same(TEXT.replace(/<GeneralLedgerEntries>[\s\S]*<\/GeneralLedgerEntries>/, ''))
  await same(TEXT.replaceAll(/<Transaction>[\s\S]*?<\/Transaction>/g, ''))
})

test('amounts that cannot be read, are too large, or do not add up; more than are listed', async () => {
  isDivided(await same(changed([/<TotalDebit>.*?</, '<TotalDebit>1.00<'])))
  isDivided(await same(changed([/<NumberOfEntries>.*?</, '<NumberOfEntries>7<'])))
  isDivided(await same(changed([/100\.00/g, '100.001'])))
  isDivided(await same(changed([/>20\.00/, '>twenty'])))
  await same(changed([/100\.00/g, '12345678901234567890.00']))
  const many = saftFile({
    ...FILE,
    lines: Array.from(
      { length: 260 },
      (_, i) => `${i} 2025-01-05 1500 120.00 A:0=130.00 Z${i}:1\n${i} 2025-01-05 1920 -120.00 A:0 A:1`,
    ).join('\n'),
  })
  isDivided(await same(many, NORWAY, [5000]))
  await same(many.replaceAll('120.00', '12345678901234567890.00'), NORWAY, [5000])
  await same(many.replaceAll('120.00', 'x'), NORWAY, [5000])
})

test('Portugal: closing entries, cost accounting, headers of the chart', async () => {
  const file: SaftFile = {
    country: 'PT',
    accounts:
      '11 Caixa 0.00 90.00 GM\n71 Vendas 0.00 0.00 GM\n818 Resultado 0.00 -90.00 GM\n91 Custos 0.00 0.00 AM\n7 Vendas 0.00 0.00 GR',
    lines: [
      ...Array.from(
        { length: 9 },
        (_, i) =>
          `${i} 2025-0${i + 1}-03 11 10.00\n${i} 2025-0${i + 1}-03 71 -10.00\n${i} 2025-0${i + 1}-03 91 5.00`,
      ),
      '20 2025-12-31 71 90.00 t:A\n20 2025-12-31 818 -90.00 t:A',
      '21 2025-12-31 71 1.00 t:A p:13/2025\n21 2025-12-31 11 -1.00 t:A',
      '22 2025-12-31 7 1.00',
    ].join('\n'),
  }
  await same(saftFile(file), PORTUGAL)
  isDivided(
    await same(saftFile({ ...file, lines: file.lines.replace('\n22 2025-12-31 7 1.00', '') }), PORTUGAL),
  )
})

test('several files: small ones whole, large ones in parts, in the order of what they cover', async () => {
  const half = (selection: string, from: number): SaftFile => ({
    ...FILE,
    selection,
    lines: LINES.split('\n')
      .filter((line) => {
        const month = Number(line.split('-')[1])
        return month >= from && month < from + 6
      })
      .join('\n'),
  })
  const files = {
    'b.xml': saftFile(half('2025-07-01 2025-12-31', 7)),
    'a.xml': saftFile(half('2025-01-01 2025-06-30', 1)),
    'c.xml': saftFile({
      ...FILE,
      selection: '2026-01-01 2026-01-31',
      lines: '1 2026-01-05 1500 1.00\n1 2026-01-05 1920 -1.00',
    }),
  }
  const done = await same(files, NORWAY, [700, 3000, 100_000])
  isDivided(done)
  assert.ok(done.includes('surveyFile'))
  await same({ ...files, 'd.xml': files['a.xml'].slice(0, -200) }, NORWAY, [700, 3000])
})

test('by threads, with the loader of this process', () =>
  inParts.sameByThreads(
    new URL('../../../builder/ingest/formats/saft/part-thread.ts', import.meta.url),
    [{ 'saft.xml': TEXT }, { 'saft.xml': TEXT.slice(0, -300) }],
    700,
  ))

test('where one of those who read fails, the reading ends with its reason', () =>
  inParts.endsWithReason({ 'saft.xml': TEXT }, ['surveyPart', 'writePart'], 700))

test.run()
