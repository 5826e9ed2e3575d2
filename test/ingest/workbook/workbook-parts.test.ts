/** Workbooks that are read in parts, by others or by threads, give what reading them as a whole gives: rows, findings, order. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { globSync } from 'tinyglobby'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { ReaderThreads } from '../../../builder/ingest/workbook/part-readers.ts'
import type { PartOrder, PartReading } from '../../../builder/ingest/workbook/parts.ts'
import { parseXlsx } from '../../../builder/ingest/workbook/xlsx.ts'
import { share, Threads } from '../../../builder/workspace/threads.ts'
import { packed, parsers, seedOf } from '../fuzz/corpus.ts'
import { poolOf, readBoth } from './parsed.ts'
import { bookOf, cell, merged, rowsOf } from './parts.ts'

const test = suite('workbooks in parts')

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A row of a ledger, with a text of its own and one that repeats. */
const row = (i: number, more = ''): string =>
  `<row r="${i}"${more}>${cell(`A${i}`, `Käufer ${i} & Söhne`)}${cell(`B${i}`, i / 4)}${cell(`D${i}`, 'Bank')}</row>`
const rows = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, i) => row(from + i)).join('')
const sheet = (xml: string | Buffer): Buffer =>
  bookOf([{ name: 'One', rows: '' }], { parts: { 'xl/worksheets/sheet1.xml': xml as string } })
const data = (list: string, after = ''): Buffer =>
  sheet(`<worksheet><sheetData>${list}</sheetData>${after}</worksheet>`)
const rowsRead = async (bytes: Buffer) => {
  const { book, by } = await readBoth(bytes)
  return { rows: book.sheets[0]?.rows.map((each) => each.row), by, book }
}

/** It was read in parts, each of them at the first attempt. */
async function isCut(bytes: Buffer) {
  const reading = await rowsRead(bytes)
  assert.ok(reading.by.read > 10, 'parts were read')
  assert.is(reading.by.refused, 0, 'every part was read')
  assert.equal(reading.book.findings, [])
  return reading
}

/** Some part could not be read alone, and the whole was. */
async function isRefused(bytes: Buffer) {
  const reading = await rowsRead(bytes)
  assert.ok(reading.by.refused > 0, 'a part was refused')
  return reading
}

/** No part was given to others. */
async function isWhole(bytes: Buffer) {
  const reading = await rowsRead(bytes)
  assert.is(reading.by.read + reading.by.refused, 0)
  return reading
}

test('the workbooks of the samples and of the corpus', async () => {
  const samples = globSync('datasets/**/*.xlsx', { cwd: root }).map((path) => readFileSync(`${root}/${path}`))
  const seeds = parsers().flatMap((parser) =>
    Object.entries(packed(seedOf(parser))).flatMap(([path, bytes]) =>
      path.endsWith('.xlsx') ? [bytes] : [],
    ),
  )
  assert.ok(samples.length > 3 && seeds.length > 3)
  let parts = 0
  for (const bytes of [...samples, ...seeds]) parts += (await readBoth(bytes)).by.read
  assert.ok(parts > 100)
})

test('texts inline, numbers, and texts that sheets share, which are read in parts too', async () => {
  const texts = Array.from({ length: 40 }, (_, i) => `<si><t>text ${i}, ü</t></si>`).join('')
  const shared = Array.from(
    { length: 80 },
    (_, i) =>
      `<row r="${i + 1}"><c r="A${i + 1}" t="s"><v>${i % 41}</v></c><c r="B${i + 1}"><v>${i}.5</v></c></row>`,
  ).join('')
  // The last is blank: no cell.
  const { book } = await isCut(
    bookOf(
      [
        { name: 'One', rows: shared },
        { name: 'Two', rows: rows(1, 40) },
      ],
      { texts: `${texts}<si/>` },
    ),
  )
  assert.equal(book.sheets[0]?.rows[39]?.cells, ['text 39, ü', '39.5'])
  assert.equal(book.sheets[0]?.rows[40]?.cells, ['', '40.5'])
  await isRefused(bookOf([{ name: 'One', rows: `${shared}<row><c t="s"><v>1.0</v></c></row>` }], { texts }))
})

test('rows and cells without addresses count on from those above them', async () => {
  const bare = '<row><c t="inlineStr"><is><t>a</t></is></c><c><v>2</v></c></row><row/>'
  const { rows: found } = await isCut(data(`${bare.repeat(20)}${row(100)}${bare.repeat(10)}`))
  assert.equal(found?.slice(18, 24), [37, 39, 100, 101, 103, 105])
  const { book } = await rowsRead(data(`${row(1_048_570)}${'<row><c><v>1</v></c></row>'.repeat(9)}`))
  assert.match(book.findings[0]?.message ?? '', 'no row "1048577"')
})

test('hidden rows and columns, merged cells, and what stands above and below the rows', async () => {
  const hidden = Array.from({ length: 30 }, (_, i) => row(i + 1, i % 3 === 0 ? ' hidden="1"' : '')).join('')
  const before = '<cols><col min="2" max="3" hidden="1"/></cols>'
  const { book } = await isCut(bookOf([{ name: 'One', rows: hidden, before, after: merged('A2:A29') }]))
  const [one] = book.sheets
  assert.is(one?.hiddenRows.length, 10)
  assert.equal(one?.hiddenColumns, ['B', 'C'])
  assert.equal(one?.rows[20]?.merged?.get(0)?.name, 'A2:A29')
  const links = `<hyperlinks>${'<hyperlink ref="A1"/>'.repeat(500)}</hyperlinks>`
  await isCut(bookOf([{ name: 'One', rows: rows(1, 40), after: links }]))
})

test('prefixes, blanks and comments as programs like them', async () => {
  const list = rows(1, 30).replaceAll(/<(\/?)(\w)/g, '<$1x:$2')
  await isCut(sheet(`<x:worksheet xmlns:x="u"><x:sheetData>${list}</x:sheetData></x:worksheet>`))
  await isCut(data(rows(1, 30).replaceAll('<row', '\r\n\t<!-- a row --><row').replaceAll('><v', ' >\n<v')))
  await isCut(
    sheet(`\ufeff<?xml version="1.0"?><worksheet><sheetData>${rows(1, 30)}</sheetData></worksheet>`),
  )
  await isCut(data(rows(1, 30).replaceAll('<row ', '<row\n')))
})

test('what looks like a row inside of a comment, of CDATA or of another element is none', async () => {
  const first = rows(1, 20)
  const last = rows(40, 60)
  for (const odd of [
    `<!-- ${rows(21, 25)} -->`,
    `<!-- ${rows(21, 39)} </sheetData> -->`,
    `<row r="30"><c r="A30" t="inlineStr"><is><t><![CDATA[${rows(31, 34)}]]></t></is></c></row>`,
    `<?old ${rows(21, 25)}?>`,
    `<row r="30">${cell('A30', 'x')}<sheetData/></row>`,
    `<row r="30">${cell('A30', 'x')}</row>${cell('B30', 'beside')}`,
    `<mergeCells><mergeCell ref="A1:B2"/></mergeCells>${row(30)}`,
  ]) {
    const { rows: found = [] } = await isRefused(data(first + odd + last))
    assert.is(found[19], 20, odd)
  }
  const { book } = await isRefused(data(`${first}<row r="30">${rows(31, 34)}</row>${last}`))
  assert.match(book.findings[0]?.message ?? '', 'row 34 stands at a wrong place')
  // The parts themselves are sound, and yet in a comment.
  for (const end of ['', '</sheetData>'])
    assert.equal((await rowsRead(data(`<!-- ${rows(1, 20)} ${end} -->${row(30)}`))).rows, [30])
  const outside = `<worksheet><old>${rows(1, 20)}</old><sheetData>${rows(1, 20)}</sheetData></worksheet>`
  assert.is((await rowsRead(sheet(outside))).rows?.length, 20)
  const twice = `<worksheet><sheetData>${rows(1, 20)}</sheetData><sheetData>${rows(21, 40)}</sheetData></worksheet>`
  assert.is((await rowsRead(sheet(twice))).rows?.length, 40)
})

test('a text outside of the items of shared texts belongs to none of them', async () => {
  const texts = Array.from({ length: 20 }, (_, i) => `<si><t>text ${i}</t></si><t>stray</t>`).join('')
  const refer = Array.from({ length: 20 }, (_, i) => `<row><c t="s"><v>${i}</v></c></row>`).join('')
  const { book } = await isCut(bookOf([{ name: 'One', rows: refer }], { texts: `<t>stray</t>${texts}` }))
  assert.equal(
    book.sheets[0]?.rows.map(({ cells }) => cells[0]),
    Array.from({ length: 20 }, (_, i) => `text ${i}`),
  )
})

test('UTF-16, XML 1.1, and rows that are longer than parts may be are read whole', async () => {
  const xml = `<worksheet><sheetData>${rows(1, 30)}</sheetData></worksheet>`
  const wide = await isWhole(sheet(Buffer.from(`\ufeff${xml}`, 'utf16le')))
  assert.is(wide.rows?.length, 30)
  const newer = await isWhole(sheet(`<?xml version="1.1"?>${xml.replaceAll('Bank', 'a\u0085b')}`))
  assert.is(newer.book.sheets[0]?.rows[3]?.cells[3], 'a\nb')
  const long = Array.from({ length: 3000 }, (_, i) => `<c><v>${i}</v></c>`).join('')
  const { rows: found } = await rowsRead(data(`${rows(1, 9)}<row r="10">${long}</row>${rows(11, 30)}`))
  assert.is(found?.length, 30)
})

test('what is wrong is said in the same words', async () => {
  for (const [bytes, why] of [
    [data(rows(1, 20) + row(5) + rows(30, 40)), 'row 5 stands at a wrong place'],
    [data(`${rows(1, 20)}<row r="0"/>${rows(30, 40)}`), 'no row "0"'],
    [data(`${rows(1, 20)}<row r="25"><c r="XFE25"><v>1</v></c></row>${rows(30, 40)}`), 'XFE25'],
    [data(`${rows(1, 20)}<row r="25"><c t="s"><v>7</v></c></row>${rows(30, 40)}`), 'text 7'],
    [data(`${rows(1, 20)}<row r="25">&nothing;</row>${rows(30, 40)}`), 'sheet1.xml'],
    [sheet(`<worksheet><sheetData>${rows(1, 40)}`), 'sheet1.xml'],
    [sheet(`<worksheet><sheetData>${rows(1, 40)}</sheetData></worksheet><more/>`), 'sheet1.xml'],
    [sheet(Buffer.from(`<worksheet><sheetData>${rows(1, 40)}</sheetData></worksheet>`, 'latin1')), 'sheet1'],
    [sheet(`<!DOCTYPE a><worksheet><sheetData>${rows(1, 40)}</sheetData></worksheet>`), 'DOCTYPE'],
    [data(rows(1, 40), merged('B2:A1')), 'range'],
  ] as const) {
    const { book } = await readBoth(bytes)
    assert.equal(book.sheets, [])
    assert.match(book.findings[0]?.message ?? '', why)
  }
})

test('a sheet of which a digit was changed on its way is damaged, which shows at its end alone', async () => {
  const bytes = data(rows(1, 40))
  const at = bytes.indexOf('<v>5</v>')
  bytes.write('6', at + 3)
  const { book } = await readBoth(bytes)
  assert.match(book.findings[0]?.message ?? '', 'damaged')
})

const numbers = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1103515245) + 12345) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** Pieces of a sheet, sound ones more often than others. */
const PIECES: readonly ((i: number) => string)[] = [
  ...Array.from({ length: 12 }, () => row),
  (i) => row(i, ' hidden="true" x:d="1"'),
  () => '<row><c><v>1</v></c></row>',
  (i) => `<row r="${i}"><c t="s"><v>${i % 4}</v></c><c/><c t="e"><v>#N/A</v></c></row>`,
  (i) => `<row r="${i}"><c r="B${i}"><f>1+<![CDATA[2]]></f></c><c><f>x</f><v/></c></row>`,
  (i) => `\n  <row r="${i}" />`,
  (i) => `<!-- <row r="${i}"> -->`,
  (i) => `<row r="${i}"><ext><row r="${i}"/></ext></row>`,
  (i) => `<![CDATA[<row ${i}]]>`,
  () => '</sheetData><sheetData>',
  () => '<mergeCell ref="A1:A3"/>',
  () => '<c><v>9</v></c>',
  () => '&#x20AC;',
  () => '<row r="3">',
  () => '</row>',
]

test('random sheets', async () => {
  let alone = 0
  for (let seed = 1; seed <= 80; seed++) {
    const next = numbers(seed)
    // The later ones are rare, so that many sheets are sound.
    const kinds = 12 + next(PIECES.length - 11)
    const list = Array.from({ length: 30 }, (_, i) => PIECES[next(kinds)]?.(i + 1) ?? '').join('')
    const texts = '<si><t>a</t></si><si><r><t>b</t></r></si><si/>'.repeat(next(3))
    const { by } = await readBoth(bookOf([{ name: 'One', rows: list, after: merged('A2:B5') }], { texts }))
    alone += by.read
  }
  assert.ok(alone > 500, 'parts were read')
})

const WORK = { name: 'this test', remedy: 'Try again.', errors: {} }
const THREAD = new URL('../../../builder/ingest/workbook/part-thread.ts', import.meta.url)

test('threads read what this thread reads', async () => {
  const threads = new Threads<PartOrder, PartReading>({ ...WORK, module: THREAD }, null, 1, 200 * 1024 ** 2)
  threads.atLeast(3)
  try {
    const sheets = [1, 2, 3].map((i) => ({ name: `S${i}`, rows: rows(i, 200) }))
    const formats = [14]
    for (const bytes of [
      bookOf(sheets, { formats, texts: '<si><t>x</t></si>'.repeat(50) }),
      bookOf([{ name: 'Other', rows: rowsOf([[45000, 'a']]) + rows(2, 90) }], {
        formats,
        is1904: true,
      }),
      data(`${rows(1, 20)}<!-- ${rows(21, 25)} -->${rows(30, 90)}`),
    ])
      assert.equal(
        await parseXlsx(bytes, ',', 'w.xlsx', poolOf(threads, 700)),
        await parseXlsx(bytes, ',', 'w.xlsx'),
      )
  } finally {
    await threads.close()
  }
})

test('there are threads where workbooks are large together, and for nobody who has but one', async () => {
  const MB = 1024 ** 2
  const pool = new ReaderThreads({ sharing: { workers: 3 }, purpose: WORK })
  const alone = new ReaderThreads({ sharing: { workers: 1 }, purpose: WORK })
  try {
    assert.is(pool.forBytes(20 * MB), null)
    assert.is(alone.forBytes(400 * MB), null)
    const readers = pool.forBytes(90 * MB)
    assert.ok(readers)
    assert.is(readers.atOnce, 6)
    const read = await readers.rows(
      Buffer.from(row(7)),
      share({ decimal: '.', styles: [], is1904: false, isToBeCalculated: false } as const),
    )
    assert.equal([...(read?.rows ?? [])], [7])
  } finally {
    await pool.close()
    await alone.close()
  }
  assert.is(pool.forBytes(900 * MB), null, 'none start any more')
})

test('a thread that fails is no fault of the workbook, and ends the reading with its reason', async () => {
  const reason = (pool: ReturnType<typeof poolOf>) =>
    parseXlsx(data(rows(1, 200)), '.', 'w.xlsx', pool).then(
      () => 'it was read',
      ({ message }: Error) => message,
    )
  let calls = 0
  const failing = {
    run: () => (++calls < 3 ? Promise.resolve(null) : Promise.reject(new Error('no memory'))),
    close: async () => {},
  }
  assert.is(await reason(poolOf(failing, 700)), 'it was read')
  calls = 5
  assert.is(await reason(poolOf(failing, 700)), 'no memory')
  const dying = new Threads<PartOrder, PartReading>(
    { ...WORK, module: new URL('data:text/javascript,process.exit(3)') },
    null,
    2,
    200 * 1024 ** 2,
  )
  assert.match(await reason(poolOf(dying, 700)), 'a thread of this test ended with 3. Try again.')
  await dying.close()
})

test.run()
