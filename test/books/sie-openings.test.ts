/** Openings of SIE files that do not say everything in #IB 0: what else the file states of the years before explains them. */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { type Built, buildWith, codes, only } from '../support/workspace.ts'

const test = suite('openings that a SIE file explains')
const FLOW = `#VER A 1 20250110 "s"\n{\n#TRANS 1930 {} 2000.00\n#TRANS 3001 {} -2000.00\n}
#VER A 2 20250310 "r"\n{\n#TRANS 1930 {} -800.00\n#TRANS 5010 {} 800.00\n}\n`
const built = <T>(balances: string, look: (built: Built) => T, setting = ''): Promise<T> =>
  buildWith(
    {
      'company.yaml': `id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\nledger: [{ files: "*.se"${setting} }]\n`,
      'books.se': `#FLAGGA 0\n#FORMAT PC8\n#SIETYP 4\n#FNAMN "Exempel AB"\n#RAR 0 20250101 20251231\n#RAR -1 20240101 20241231
#KONTO 1930 "Bank"\n#KONTO 2081 "Kapital"\n#KONTO 2099 "Resultat"\n#KONTO 3001 "Sales"\n#KONTO 5010 "Rent"\n${balances}\n${FLOW}`,
    },
    look,
  )
const last = ({ statement }: Built, row: string) => statement('BalanceSheet').rows[row]?.at(-1)

test('results of two years that no entry has moved', () =>
  built(
    `#IB 0 1930 130000.00\n#IB 0 2081 -100000.00\n#IB -1 1930 110000.00\n#IB -1 2081 -100000.00
#UB -1 1930 130000.00\n#UB -1 2081 -100000.00\n#RES -1 3001 -50000.00\n#RES -1 5010 30000.00
#UB 0 1930 131200.00\n#UB 0 2081 -100000.00\n#RES 0 3001 -2000.00\n#RES 0 5010 800.00`,
    (found) => {
      assert.equal(codes(found.result.findings), [])
      assert.is(last(found, 'prior-years-not-closed'), '30000.00')
      assert.is(last(found, 'current-year-earnings'), '1200.00')
      assert.is(last(found, '1930'), '131200.00')
    },
  ))

test('results of earlier years that were moved in the year before are no longer lacking', () =>
  built(
    `#IB 0 1930 130000.00\n#IB 0 2081 -100000.00\n#IB 0 2099 -10000.00\n#IB -1 1930 110000.00\n#IB -1 2081 -100000.00
#RES -1 3001 -50000.00\n#RES -1 5010 30000.00`,
    (found) => assert.is(last(found, 'prior-years-not-closed'), '20000.00'),
  ))

test('a difference that the file does not explain is still refused', () =>
  built(
    `#IB 0 1930 130001.00\n#IB 0 2081 -100000.00\n#IB -1 1930 110000.00\n#IB -1 2081 -100000.00
#RES -1 3001 -50000.00\n#RES -1 5010 30000.00`,
    ({ result }) => {
      assert.is(result.snapshotId, null)
      only(result.findings, 'opening-unbalanced')
    },
  ))

test('without #IB 0 the year opens with what the year before closed with', () =>
  built(
    `#IB -1 1930 90000.00\n#IB -1 2081 -90000.00\n#UB -1 1930 100000.00\n#UB -1 2081 -100000.00
#UB 0 1930 101200.00\n#UB 0 2081 -100000.00\n#RES 0 3001 -2000.00\n#RES 0 5010 800.00`,
    (found) => {
      assert.equal(codes(found.result.findings), ['opening-from-closing'])
      assert.is(found.result.findings[0]!.row, 14)
      assert.is(last(found, '1930'), '101200.00')
      assert.is(found.statement('CashFlow').totals.BeginningCash![0], '100000.00')
    },
  ))

test('without #IB 0, last year’s result explains what the closings lack', () =>
  built(
    '#UB -1 1930 100000.00\n#UB -1 2081 -80000.00\n#RES -1 3001 -20000.00\n#UB 0 1930 101200.00\n#UB 0 2081 -80000.00',
    (found) => assert.is(last(found, 'prior-years-not-closed'), '20000.00'),
  ))

test('the months of the year before count where they balance and lead to its closings', async () => {
  const months = (amount: string, closing: string) => `#IB 0 1930 ${closing}\n#IB 0 2081 -${closing}
#IB -1 1930 900.00\n#IB -1 2081 -900.00\n#UB -1 1930 ${closing}\n#UB -1 2081 -${closing}
#PSALDO -1 202405 1930 {} 100.00\n#PSALDO -1 202405 2081 {} ${amount}`
  for (const [amount, closing, expected] of [
    ['-100.00', '1000.00', []],
    ['-90.00', '1000.00', ['unbalanced-transaction']],
    ['-100.00', '1200.00', ['opening-not-carried', 'control-differs']],
  ] as const)
    await built(
      months(amount, closing),
      ({ result }) =>
        assert.equal(
          [...new Set(codes(result.findings.filter(({ severity }) => severity === 'error')))],
          expected,
        ),
      ', priorYear: psaldo',
    )
})
