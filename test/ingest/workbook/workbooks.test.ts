/** Workbooks as people make them, and as every program writes them: from the cell to the figure, or to the finding. */

import * as assert from 'uvu/assert'
import { suite } from '../../suite.ts'
import { fields } from '../../support/fields.ts'
import { codes, figures, ingestBudget, ingestWith, only } from '../folder.ts'
import { parsed } from './parsed.ts'
import { bookOf, cell, merged, rowsOf, type SheetParts } from './parts.ts'

const books = suite('workbooks')

/** Each row of a sheet as its number and its cells. */
async function read(bytes: Buffer, sheet = 0) {
  const { sheets, findings } = await parsed(bytes)
  assert.equal(findings, [])
  return sheets[sheet]!.rows.map(({ row, cells }) => [row, ...cells])
}
const one = (rows: string, more: Partial<SheetParts> = {}) => [{ name: 'One', rows, ...more }]

books('texts: shared, in runs, with readings, inline, escaped, with blanks kept', async () => {
  const texts =
    '<si><t>plain</t></si><si><r><rPr><b/></rPr><t>Sa</t></r><r><t xml:space="preserve">les </t></r></si>' +
    '<si><t>課</t><rPh sb="0" eb="1"><t>カ</t></rPh></si><si><t>a_x000D_b_x005F_c</t></si><si/>'
  const shared = (at: string, i: number) => `<c r="${at}" t="s"><v>${i}</v></c>`
  const row = `<row r="1">${['A', 'B', 'C', 'D', 'E'].map((column, i) => shared(`${column}1`, i)).join('')}</row>`
  const inline =
    '<row r="2"><c r="A2" t="inlineStr"><is><r><t>in</t></r><r><t>line</t></r></is></c><c r="B2" t="str"><f>A1</f><v> x </v></c><c r="C2" t="b"><v>1</v></c></row>'
  assert.equal(await read(bookOf(one(row + inline), { texts })), [
    [1, 'plain', 'Sales', '課', 'a\rb_c'],
    [2, 'inline', 'x', 'true'],
  ])
})

books('programs choose prefixes, leave addresses away, and name parts as they like', async () => {
  const sheet =
    '<x:worksheet xmlns:x="u"><x:sheetData><x:row><x:c t="inlineStr"><x:is><x:t>a</x:t></x:is></x:c><x:c><x:v>2</x:v></x:c></x:row><x:row r="5"><x:c r="C5"><x:v>3</x:v></x:c><x:c><x:v>4</x:v></x:c></x:row></x:sheetData></x:worksheet>'
  const parts = { 'xl/worksheets/sheet1.xml': sheet }
  assert.equal(await read(bookOf(one(''), { parts })), [
    [1, 'a', '2'],
    [5, '', '', '3', '4'],
  ])
  const elsewhere = bookOf(one(''), {
    parts: {
      'xl/_rels/workbook.xml.rels':
        '<Relationships><Relationship Id="s0" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/worksheet" Target="/XL/Worksheets/Data.XML"/></Relationships>',
      'xl\\worksheets\\data.xml': sheet,
    },
  })
  assert.is((await read(elsewhere)).length, 2)
})

books(
  'a formula that nothing calculated is the number that it is, or its text; brackets are no sign',
  async () => {
    const formulas = ['(5.00)', '-(5.00)', '(-5.00)', '-5', '+5.00', '5*3', '"5.00"', 'SUM(B2)', '(5.00']
    const cells = formulas.map((formula, i) => `<c r="${'ABCDEFGHI'[i]}1"><f>${formula}</f></c>`)
    const calculated =
      '<c r="A2" t="e"><f>1/0</f><v>#DIV/0!</v></c><c r="B2"><f>SUM(C1:C2)</f><v>3</v></c><c r="C2" t="str"><f>""</f><v></v></c>'
    const others = '<c r="D2"><f>A1&lt;2</f></c><c r="E2"><f>A9</f><v></v></c>'
    const rows = `<row r="1">${cells.join('')}</row><row r="2">${calculated}${others}</row>`
    assert.equal(await read(bookOf(one(rows))), [
      [1, '5', '-5', '-5', '-5', '5', '=5*3', '="5.00"', '=SUM(B2)', '=(5.00'],
      [2, '#DIV/0!', '3', '', '=A1<2', '=A9'],
    ])
  },
)

books('numbers by what their format says: dates, percentages, plain', async () => {
  const formats = [
    0,
    14,
    'dd\\.mm\\.yyyy',
    '[$-409]mmm\\-yy;@',
    10,
    '0.0" %"',
    '#,##0.00 "days"',
    'h:mm',
    '[h]:mm',
    '[Red]0.00',
    22,
  ]
  const cells = [
    [1234.5, 0],
    [45672, 1],
    [45672.75, 2],
    [45658, 3],
    [0.125, 4],
    [3, 5],
    [7.5, 6],
    [0.25, 7],
    [45672.5, 8],
    [-2, 9],
    [45671.99999999999, 10],
  ] as const
  const row = cells.map(([value, style], i) => cell(`${String.fromCharCode(65 + i)}1`, value, style)).join('')
  assert.equal(await read(bookOf(one(`<row r="1">${row}</row>`), { formats })), [
    [
      1,
      '1234.5',
      '2025-01-15',
      '2025-01-15',
      '2025-01-01',
      '12.5%',
      '3',
      '7.5',
      '6:00',
      '45672.5',
      '-2',
      '2025-01-15',
    ],
  ])
})

books('a time is hours and minutes, and a unit that a format shows stays behind its number', async () => {
  const formats = ['[h]:mm', 46, 21, '#,##0"k"', '#,##0,"k"', '0.0\\M', '#,##0" tkr";(#,##0)', '0" pcs"']
  const numbers = [0.0625, 1.5, 0.50075, 100, 100000, 2.5, 7, 4]
  const row = numbers.map((value, i) => cell(`${'ABCDEFGH'[i]}1`, value, i)).join('')
  assert.equal(await read(bookOf(one(`<row r="1">${row}</row>`), { formats })), [
    [1, '1:30', '36:00', '12:01:05', '100k', '100000', '2.5M', '7tkr', '4'],
  ])
})

books('percentages of every size, exactly', async () => {
  const row = [3, 0.0005, -1.5, 0.1, 0, 12.345678]
    .map((value, i) => cell(`${'ABCDEF'[i]}1`, value, 0))
    .join('')
  const found = await read(bookOf(one(`<row r="1">${row}</row>`), { formats: [9] }))
  assert.equal(found, [[1, '300%', '0.05%', '-150%', '10%', '0%', '1234.5678%']])
})

books('days before 29 February 1900, which was none, and days counted from 1904', async () => {
  const row = `<row r="1">${[1, 59, 60, 61, 0].map((value, i) => cell(`${'ABCDE'[i]}1`, value, 0)).join('')}<c r="F1" s="0" t="d"><v>2025-01-15T10:00:00</v></c></row>`
  assert.equal(await read(bookOf(one(row), { formats: [14] })), [
    [1, '1900-01-01', '1900-02-28', '60', '1900-03-01', '0', '2025-01-15'],
  ])
  const since1904 = bookOf(one(`<row r="1">${cell('A1', 44210, 0)}${cell('B1', 0, 0)}</row>`), {
    formats: [14],
    is1904: true,
  })
  assert.equal(await read(since1904), [[1, '2025-01-15', '1904-01-01']])
})

books('a year merged over its months, and an account over its rows', async () => {
  const rows = rowsOf([
    ['Plan of Acme'],
    [null, null, '2024', null, 'Budget 2025', null],
    ['Account', 'Class', 'Nov', 'Dec', 'Jan', '02'],
    ['4000', 'a', 1, 2, 3, 4],
    [null, 'b', 5, 6, 7, 8],
    ['6000', null, 9, null, null, 1],
  ])
  const bytes = bookOf(one(rows, { after: merged('A1:F1', 'C2:D2', 'E2:F2', 'A4:A5') }))
  const classes = 'id,name\na,A\nb,B\n'
  const intake = await ingestWith(
    { classes: 'classes.csv', budgets: [{ id: 'b', name: 'B', files: 'b.xlsx' }] },
    { 'b.xlsx': bytes, 'classes.csv': classes },
  )
  assert.equal(codes(intake.findings), [])
  assert.equal(
    [...intake.budgets[0]!.rows].map(({ row, account, class: of, month, amount }) => [
      row,
      account,
      of,
      month,
      amount,
    ]),
    [
      [4, 'i1', 'a', '2024-11', '1.00'],
      [4, 'i1', 'a', '2024-12', '2.00'],
      [4, 'i1', 'a', '2025-01', '3.00'],
      [4, 'i1', 'a', '2025-02', '4.00'],
      [5, 'i1', 'b', '2024-11', '5.00'],
      [5, 'i1', 'b', '2024-12', '6.00'],
      [5, 'i1', 'b', '2025-01', '7.00'],
      [5, 'i1', 'b', '2025-02', '8.00'],
      [6, 'e1', null, '2024-11', '9.00'],
      [6, 'e1', null, '2025-02', '1.00'],
    ],
  )
})

books('a header whose cells are merged over two rows', async () => {
  const rows = rowsOf([
    ['Account', '2025', null],
    [null, 'Q1', 'Q2'],
    ['4000', 3, 6],
  ])
  const intake = await ingestBudget(bookOf(one(rows, { after: merged('A1:A2', 'B1:C1') })))
  assert.equal(codes(intake.findings), [])
  assert.equal(figures(intake).slice(2, 4), ['i1 2025-03 1.00', 'i1 2025-04 2.00'])
})

books('what is not merged is not carried: neither a year, nor an account', async () => {
  const rows = rowsOf([
    [null, '2025', null],
    ['account', 'Jan', 'Feb'],
    ['4000', 1, 2],
  ])
  assert.equal(codes((await ingestBudget(bookOf(one(rows)))).findings), ['unreadable-header'])
  const below = rowsOf([
    ['account', '2025-01'],
    ['4000', 1],
    [null, 2],
  ])
  const found = only((await ingestBudget(bookOf(one(below)))).findings, 'empty-account')
  assert.equal([found.row, found.column], [3, '2025-01 (B3)'])
})

books('a figure that several cells share belongs to none of them', async () => {
  const rows = rowsOf([
    ['account', '2025-01', '2025-02'],
    ['4000', 10, null],
    ['6000', 20, 5],
    ['6000', null, 5],
  ])
  const { findings } = await ingestBudget(bookOf(one(rows, { after: merged('B2:C2', 'B3:B4') })))
  const found = findings.filter(({ code }) => code === 'merged-figure')
  assert.equal(fields(found, 'row', 'column', 'text'), [
    [2, '2025-01 (B2)', '10'],
    [3, '2025-01 (B3)', '20'],
  ])
  const ledger = rowsOf([
    ['transaction_id', 'date', 'account', 'debit', 'credit'],
    ['1', '2025-01-15', '1000', 10, null],
    ['1', '2025-01-15', '4000', null, 10],
  ])
  const intake = await ingestWith(
    { ledger: [{ files: 'l.xlsx' }] },
    { 'l.xlsx': bookOf(one(ledger, { after: merged('D2:E2') })) },
  )
  assert.is(only(intake.findings, 'merged-figure').column, 'debit (D2)')
})

books('hidden sheets wait until they are named; hidden rows and columns count, and are told of', async () => {
  const rows = rowsOf([
    ['account', '2025-01', '2025-02'],
    ['4000', 1, 2],
  ])
  const filtered = `${rows}<row r="3" hidden="1">${cell('A3', '6000')}${cell('B3', 4)}</row>`
  const sheets: SheetParts[] = [
    { name: 'Plan', rows: filtered, before: '<cols><col min="3" max="3" hidden="1"/></cols>' },
    { name: 'Old', rows, state: 'veryHidden' },
  ]
  const intake = await ingestBudget(bookOf(sheets))
  assert.equal(codes(intake.findings).sort(), ['hidden-cells', 'hidden-sheet'])
  assert.equal(figures(intake), ['i1 2025-01 1.00', 'i1 2025-02 2.00', 'e1 2025-01 4.00'])
  assert.match(only(intake.findings, 'hidden-cells').message, '1 hidden row and hidden column C')
  assert.is(only(intake.findings, 'hidden-sheet').text, 'Old')
  assert.equal(figures(await ingestBudget(bookOf(sheets), { sheet: 'Old' })), [
    'i1 2025-01 1.00',
    'i1 2025-02 2.00',
  ])
})

books('a day without a date format is told as the day that it is', async () => {
  const header = rowsOf([
    ['account', 45658],
    ['4000', 1],
  ])
  assert.match(
    only((await ingestBudget(bookOf(one(header)))).findings, 'unreadable-header').remedy!,
    '2025-01-01',
  )
})
