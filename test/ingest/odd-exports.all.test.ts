/** Exports as people really have them, from the file to the finding or the snapshot: nothing is wrong in silence. */

import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import type { SheetData } from 'write-excel-file/node'
import { suite } from '../suite.ts'
import { cases } from '../support/case-file.ts'
import { fields } from '../support/fields.ts'
import {
  buildIn,
  buildWith,
  CHART,
  COMPANY,
  checkWith,
  codes,
  companyYaml,
  findingsOf,
  inWorkspace,
  only,
} from '../support/workspace.ts'
import { day, workbook } from './folder.ts'
import { bookOf, cell } from './workbook/parts.ts'

const odd = suite('odd exports')

const HEADER = 'transaction_id,date,account,debit,credit'
const rows = (date: string) => `1,${date},bank,100.00,\n1,${date},sales,,100.00\n`
const LEDGER = `${HEADER}\n${rows('2025-01-15')}`
const JOURNAL: SheetData = [
  ['transaction_id', 'date', 'account', 'amount'],
  ['1', day('2025-01-15'), 'bank', 12.5],
  ['1', day('2025-01-15'), 'sales', -12.5],
]
const xlsx = companyYaml('ledger: [{ files: l.xlsx }]')

odd('a title above the header of a workbook is passed over; rows keep their numbers', async () => {
  const title: SheetData = [['Acme Ltd'], ['Period', '2025-01'], [null]]
  const good = await workbook({ Journal: [...title, ...JOURNAL] })
  await checkWith({ 'company.yaml': xlsx, 'l.xlsx': good }, ({ result }) =>
    assert.equal(codes(result.findings), []),
  )
  const bad = await workbook({ Journal: [...title, ...JOURNAL, ['2', 'soon', null, 0]] })
  assert.equal(fields(await findingsOf({ 'company.yaml': xlsx, 'l.xlsx': bad }), 'code', 'row'), [
    ['unreadable-date', 7],
    ['missing-account', 7],
  ])
})

odd('a sheet of notes beside the entries is one finding, and its mend works', async () => {
  const bytes = await workbook({ Journal: JOURNAL, Notes: [['printed by Eva'], ['x', 'y']] })
  const found = only(await findingsOf({ 'company.yaml': xlsx, 'l.xlsx': bytes }), 'not-a-table')
  assert.equal([found.file, found.row, found.text], ['l.xlsx#Notes', 1, 'printed by Eva'])
  assert.match(found.remedy!, 'sheet: "Journal"')
  const mended = companyYaml('ledger: [{ files: l.xlsx, sheet: "Journal" }]')
  await checkWith({ 'company.yaml': mended, 'l.xlsx': bytes }, ({ result }) =>
    assert.equal(codes(result.findings), []),
  )
})

odd('where the header is another, the columns are named once, and no row is', async () => {
  const text = 'Journal No,Day,Konto,Debit Amount\n1,2025-01-15,bank,1.00\n1,2025-01-15,sales,-1.00\n'
  const rowsOf = text
    .trim()
    .split('\n')
    .map((line) => line.split(','))
  for (const [name, content] of [
    ['ledger.csv', text],
    ['l.xlsx', await workbook({ A: rowsOf })],
  ] as const) {
    const settings = companyYaml(`ledger: [{ files: ${name} }]`)
    const findings = await findingsOf({ 'company.yaml': settings, [name]: content })
    assert.equal(codes(findings).sort(), ['columns-not-read', ...Array<string>(4).fill('missing-column')])
  }
})

odd('a pattern never leaves out in silence what cannot be read', () =>
  inWorkspace(
    {
      'company.yaml': companyYaml('ledger: [{ files: "l/*.csv" }]'),
      'chart.csv': CHART,
      'l/a.csv': LEDGER,
      'l/x.csv/deep.csv': '',
    },
    async (workspace) => {
      symlinkSync('nowhere.csv', join(workspace.datasets, COMPANY, 'l/link.csv'))
      symlinkSync('a.csv', join(workspace.datasets, COMPANY, 'l/fine.txt'))
      const { result } = await buildIn(workspace, COMPANY)
      assert.is(result.outcome, 'refused')
      assert.equal(fields(result.findings, 'code', 'file'), [
        ['unreadable-file', 'l/link.csv'],
        ['unreadable-file', 'l/x.csv'],
      ])
    },
  ),
)

const formula = (at: string, text: string, value = '') => `<c r="${at}"><f>${text}</f><v>${value}</v></c>`
const sheetRow = (row: number, cells: readonly string[]) => `<row r="${row}">${cells.join('')}</row>`
const sheetOf = (header: string, ...rows: readonly string[]) =>
  sheetRow(
    1,
    header.split(',').map((text, i) => cell(`${'ABCDE'[i]}1`, text)),
  ) + rows.map((cells, i) => sheetRow(i + 2, [cells])).join('')

for (const [what, value, isToBeCalculated] of [
  ['without results', '', false],
  ['with zeros until they are calculated', '0', true],
  ['with a zero in place of the total', '0', false],
] as const)
  odd(`totals that were never calculated, ${what}, are left out with a word`, async () => {
    const l = bookOf(
      [
        {
          name: 'Journal',
          rows: sheetOf(
            'transaction_id,date,account,debit,credit',
            `${cell('A2', '1')}${cell('B2', '2025-01-15')}${cell('C2', 'bank')}${cell('D2', 70)}`,
            `${cell('A3', '1')}${cell('B3', '2025-01-15')}${cell('C3', 'sales')}${cell('E3', 70)}`,
            `${cell('A4', 'Total')}${formula('D4', 'SUM(D2:D3)', value)}${formula('E4', 'SUM(E2:E3)', value)}`,
          ),
        },
      ],
      { isToBeCalculated },
    )
    const b = bookOf(
      [
        {
          name: 'Budget',
          rows: sheetOf(
            'account,2025-01,2025-02',
            `${cell('A2', 'sales')}${cell('B2', 10)}${cell('C2', 20)}`,
            `${cell('A3', 'rent')}${cell('B3', 1)}${cell('C3', 2)}`,
            `${cell('A4', 'Net income')}${formula('B4', 'B2-B3', value)}${formula('C4', 'C2-C3', value)}`,
          ),
        },
      ],
      { isToBeCalculated },
    )
    const settings = 'ledger: [{ files: l.xlsx }]\nbudgets: [{ id: b, name: B, files: b.xlsx }]'
    await buildWith(
      { 'company.yaml': companyYaml(settings), 'l.xlsx': l, 'b.xlsx': b },
      ({ result, statement }) => {
        assert.equal(
          result.findings.map(({ code, severity, row, message }) => [
            code,
            severity,
            row,
            /never calculated/.test(message),
          ]),
          [
            ['total-left-out', 'note', 4, true],
            ['total-left-out', 'note', 4, true],
          ],
        )
        assert.equal(statement('ProfitAndLoss').rows.sales, ['70.00'])
        assert.equal(statement('ProfitAndLoss', { budgetId: 'b' }).totals.NetIncome, ['9.00', '18.00'])
      },
    )
  })

odd('a figure that is zero until its formula is calculated is refused, a zero is read', async () => {
  const b = (isToBeCalculated: boolean) =>
    bookOf(
      [
        {
          name: 'Budget',
          rows: sheetOf(
            'account,2025-01,2025-02',
            `${cell('A2', 'sales')}${cell('B2', 10)}${formula('C2', 'B2*2', '0')}`,
          ),
        },
      ],
      { isToBeCalculated },
    )
  const files = {
    'company.yaml': companyYaml('budgets: [{ id: b, name: B, files: b.xlsx }]'),
    'ledger.csv': LEDGER,
  }
  const found = only(await findingsOf({ ...files, 'b.xlsx': b(true) }), 'unreadable-amount')
  assert.equal([found.row, found.text], [2, '=B2*2'])
  await buildWith({ ...files, 'b.xlsx': b(false) }, ({ statement }) =>
    assert.equal(statement('ProfitAndLoss', { budgetId: 'b' }).rows.sales, ['10.00', '0.00']),
  )
})

const UNREADABLE = [
  ['1E+05', 'shortened'],
  ['12.5 %', 'percentage'],
  ['1,234.50 CR', 'credit'],
  ['1.234,50', 'decimal: ","'],
  ['€ 5', 'is not a sign of USD'],
  ['#REF!', 'formula'],
  ['=SUM(A1)', 'calculated'],
  ['five', 'digits'],
] as const
odd('what is no amount in a ledger is refused with what mends it, in CSV and XLSX', async () => {
  const lines = [
    HEADER.split(','),
    ...UNREADABLE.flatMap(([amount], i) => [
      [`${i}`, '2025-01-15', 'bank', amount, ''],
      [`${i}`, '2025-01-15', 'sales', '', '5'],
    ]),
  ]
  const csv = await findingsOf({
    'ledger.csv': lines.map((cells) => cells.map((c) => `"${c}"`).join(',')).join('\n'),
  })
  const bytes = await workbook({ One: lines as SheetData })
  const xlsx = await findingsOf({
    'company.yaml': companyYaml('ledger: [{ files: l.xlsx }]'),
    'l.xlsx': bytes,
  })
  for (const findings of [csv, xlsx]) {
    const found = findings.filter(({ code }) => code === 'unreadable-amount')
    assert.equal(
      fields(found, 'row', 'text'),
      UNREADABLE.map(([amount], i) => [2 * i + 2, amount]),
    )
    for (const [i, [, remedy]] of UNREADABLE.entries()) assert.match(found[i]!.remedy!, remedy)
  }
})

odd('what people write around amounts is read alike in CSV and XLSX', async () => {
  const lines = [
    HEADER.split(','),
    ['1', '2025-01-15 00:00:00', 'bank', '$1,234.50', '-'],
    ['1', '2025-01-15T13:30', 'sales', '($1,234.50)', ''],
  ]
  const yaml = (file: string) => companyYaml(`ledger: [{ files: ${file}, thousands: "," }]`)
  const bytes = await workbook({ One: lines as SheetData })
  const files = [
    {
      'company.yaml': yaml('l.csv'),
      'l.csv': lines.map((cells) => cells.map((c) => `"${c}"`).join(',')).join('\n'),
    },
    { 'company.yaml': yaml('l.xlsx'), 'l.xlsx': bytes },
  ]
  for (const each of files)
    await buildWith(each, ({ result, statement }) => {
      assert.equal(codes(result.findings), [])
      assert.is(statement('BalanceSheet').rows.bank?.[0], '1234.50')
    })
})

cases(odd, new URL('cases/odd-exports.yaml', import.meta.url))
