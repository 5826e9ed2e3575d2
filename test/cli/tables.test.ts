import * as assert from 'uvu/assert'
import { csvText } from '../../cli/terminal/csv.ts'
import { money, visible } from '../../cli/terminal/money.ts'
import { amountsText, type LineColumn, lineTable } from '../../cli/terminal/narrow.ts'
import { paintOf } from '../../cli/terminal/terminal.ts'
import { suite } from '../suite.ts'

const tables = suite('tables that fit')

interface Posting {
  readonly date: string
  readonly memo: string
  readonly department: string
  readonly amount: string
}
const POSTINGS: Posting[] = [
  {
    date: '2025-03-01',
    memo: 'A memo that goes on and on and on and on',
    department: 'purchasing',
    amount: '1234567.50',
  },
  { date: '2025-03-02', memo: 'short\u001b[31m', department: '', amount: '-0.05' },
]
const COLUMNS: LineColumn<Posting>[] = [
  { title: 'Date', of: ({ date }) => date },
  { title: 'Memo', of: ({ memo }) => memo, dispensable: 1, flexible: 12 },
  { title: 'Department', of: ({ department }) => department, dispensable: 2 },
  { title: 'Nothing', of: () => '' },
  { title: 'Amount', of: ({ amount }) => money(amount), right: true },
]
const paint = paintOf(false)

for (const [width, omitted] of [
  [120, []],
  [80, []],
  [60, []],
  [45, ['department']],
  [30, ['department', 'memo']],
] as const)
  tables(`${width} columns`, () => {
    const table = lineTable(POSTINGS, COLUMNS, { paint, width })
    const lines = table.text.split('\n')
    assert.equal(table.omitted, omitted)
    assert.is(lines.length, 3)
    for (const line of lines) assert.ok(line.length <= width, line)
    // Amounts end in one column.
    assert.is(new Set(lines.map((line) => line.length)).size, 1)
    assert.not.match(table.text, /Nothing|\u001b/)
  })

tables('money, labels and CSV', () => {
  assert.equal(['0.00', '-1234567.5000', '1000', '999.99', null].map(money), [
    '0.00',
    '-1,234,567.5000',
    '1,000',
    '999.99',
    '–',
  ])
  assert.is(visible('a\tb\u0007'), 'a\\tb\\u0007')
  assert.is(
    amountsText(
      [
        ['All', '1000.00', 'USD'],
        ['Published', '-5.00', 'USD'],
      ],
      80,
    ),
    'All        1,000.00  USD\nPublished     -5.00  USD',
  )
  assert.is(
    csvText(
      ['a', 'b'],
      [
        ['x,"y"', null],
        ['line\nend', 7],
      ],
    ),
    'a,b\n"x,""y""",\n"line\nend",7',
  )
})
