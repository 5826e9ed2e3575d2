/** Two years of SIE: the new year's opening holds last year's result, which the old file's closing balances do not yet. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { build } from '../../builder/build/build.ts'
import { suite } from '../suite.ts'
import {
  buildIn,
  buildWith,
  COMPANY,
  checkWith,
  type Files,
  findingsText,
  inWorkspace,
  writeFiles,
} from '../support/workspace.ts'

const test = suite('two years of SIE')
const ACCOUNTS = '#KONTO 1930 "Bank"\n#KONTO 2081 "Kapital"\n#KONTO 2099 "Resultat"\n#KONTO 3010 "Sales"\n'
const file = (year: number, balances: string, amount: number): string =>
  `#FLAGGA 0\n#FORMAT PC8\n#SIETYP 4\n#FNAMN "Two years"\n#RAR 0 ${year}0101 ${year}1231\n${ACCOUNTS}${balances}` +
  `#VER A 1 ${year}0301 "sale"\n{\n#TRANS 1930 {} ${amount}.00\n#TRANS 3010 {} -${amount}.00\n}\n`
const FIRST = file(
  2024,
  '#IB 0 1930 100.00\n#IB 0 2081 -100.00\n#UB 0 1930 150.00\n#UB 0 2081 -100.00\n#UB 0 2099 0.00\n#RES 0 3010 -50.00\n',
  50,
)
const SECOND = file(
  2025,
  '#IB 0 1930 150.00\n#IB 0 2081 -100.00\n#IB 0 2099 -50.00\n#UB 0 1930 157.00\n#UB 0 2081 -100.00\n#UB 0 2099 -50.00\n#RES 0 3010 -7.00\n',
  7,
)
const company = 'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\nledger: [{ files: "*.se" }]\n'

test('every figure that both files state about themselves agrees', () =>
  buildWith({ 'company.yaml': company, 'a.se': FIRST, 'b.se': SECOND }, ({ result, statement }) => {
    assert.equal(
      result.findings.filter((found) => found.severity === 'error'),
      [],
    )
    assert.is(result.controlsAgreed, 8)
    const sheet = statement('BalanceSheet')
    assert.is(sheet.rows['2099']!.at(-1), '50.00')
    assert.is(sheet.rows['current-year-earnings']!.at(-1), '7.00')
  }))

test('a closing balance that does not agree is still found', () =>
  checkWith(
    { 'company.yaml': company, 'a.se': FIRST.replace('#UB 0 2099 0.00', '#UB 0 2099 1.00'), 'b.se': SECOND },
    ({ result }) =>
      assert.equal(
        result.findings.filter((found) => found.severity === 'error').map((found) => found.code),
        ['control-differs'],
      ),
  ))

/** The first year is published and closed; then come the files of the second. */
const followed = (first: Files, second: Files) =>
  inWorkspace(first, async (workspace) => {
    const published = await build(workspace, COMPANY, { publish: true })
    assert.is(published.outcome, 'published', findingsText(published.findings))
    writeFiles(join(workspace.datasets, COMPANY), second)
    return build(workspace, COMPANY, { publish: true })
  })

const CLOSED = `${company}lockDate: 2024-12-31\n`

test('a new year that holds the result of the old one in equity leaves the closed year as it was published', async () => {
  const result = await followed({ 'company.yaml': CLOSED, 'a.se': FIRST }, { 'b.se': SECOND })
  assert.is(result.outcome, 'published', findingsText(result.findings))
  assert.is(result.restatement, null)
})

test('no figure of the closed year moves, on any statement, when the new year comes', () =>
  inWorkspace({ 'company.yaml': CLOSED, 'a.se': FIRST }, async (workspace) => {
    const figures = async () => {
      const { result, statement } = await buildIn(workspace, COMPANY)
      assert.is(result.outcome, 'published', findingsText(result.findings))
      return (['BalanceSheet', 'ProfitAndLoss', 'CashFlow'] as const).map((name) => {
        const { months, rows, totals } = statement(name)
        const closed = months.filter((month) => month <= '2024-12').length
        const lines = Object.entries({ ...rows, ...totals }).map(([id, cells]) => [
          id,
          cells.slice(0, closed),
        ])
        // Accounts that only the new year moves have nothing in the closed one.
        return lines.filter(([, cells]) =>
          (cells as string[]).some((cell) => cell !== null && cell !== '0.00'),
        )
      })
    }
    const before = await figures()
    assert.is(before[0]!.find(([id]) => id === 'current-year-earnings')?.[1]?.at(-1), '50.00')
    writeFiles(join(workspace.datasets, COMPANY), { 'b.se': SECOND })
    assert.equal(await figures(), before)
  }))

test('a change inside the closed year is still refused beside a new one', async () => {
  const changed = FIRST.replaceAll('50.00', '60.00')
  const second = SECOND.replaceAll('150.00', '160.00')
    .replaceAll('157.00', '167.00')
    .replaceAll('-50.00', '-60.00')
  const result = await followed(
    { 'company.yaml': CLOSED, 'a.se': FIRST },
    { 'a.se': changed, 'b.se': second },
  )
  assert.is(result.outcome, 'refused', findingsText(result.findings))
  assert.equal(result.restatement?.Months, [
    '2024-03',
    '2024-04',
    '2024-05',
    '2024-06',
    '2024-07',
    '2024-08',
    '2024-09',
    '2024-10',
    '2024-11',
    '2024-12',
  ])
})
