/** Accounts and classes whose kind or name is doubtful: published, with a warning that names them. */

import * as assert from 'uvu/assert'
import { suite } from '../suite.ts'
import { buildWith, CHART, codes, companyYaml, findingsOf, ledgerCsv, only } from '../support/workspace.ts'

const test = suite('doubtful kinds')

test('a bank account among the expenses', async () => {
  const entries = ledgerCsv(
    '1 2025-01-05 cash2 1000; 1 2025-01-05 capital -1000; 2 2025-01-06 fees 5; 2 2025-01-06 till -5',
  )
  const chart = `${CHART.replace('bank,1000,Bank,Asset,Bank\n', '')}cash2,6500,Bank,Expense,Expense\nfees,6510,Bank charges,Expense,Expense\n`
  const findings = await findingsOf({ 'chart.csv': chart, 'ledger.csv': entries })
  assert.match(
    only(findings, 'cash-among-results').message,
    /^account 6500 Bank is called as cash is, and counts as Expense/,
  )
  assert.not.ok(
    codes(
      await findingsOf({ 'ledger.csv': ledgerCsv('1 2025-01-05 bank 1; 1 2025-01-05 sales -1') }),
    ).includes('cash-among-results'),
  )
})

test('classes that differ by capitals alone', async () => {
  const findings = await findingsOf({
    'company.yaml': companyYaml('classes: classes.csv'),
    'classes.csv': 'id,name\na,North\nb,NORTH \nc,South\n',
    'ledger.csv': ledgerCsv('1 2025-01-05 bank 1 a; 1 2025-01-05 sales -1 b'),
  })
  assert.match(
    only(findings, 'members-alike').message,
    /the classes "(North|NORTH)" and "(North|NORTH)" differ/,
  )
})

test('an account that the SIE file of the next year has on another statement', () => {
  const file = (year: number, name: string, type: string, lines: string) =>
    `#FLAGGA 0\n#FORMAT PC8\n#SIETYP 4\n#FNAMN "Acme"\n#RAR 0 ${year}0101 ${year}1231\n#KONTO 1930 "Bank"\n#KTYP 1930 T\n#KONTO 2010 "Kapital"\n#KTYP 2010 S\n#KONTO 1690 "${name}"\n#KTYP 1690 ${type}\n${lines}`
  return buildWith(
    {
      'company.yaml':
        'id: acme\nname: Acme\nfiscalMonthEnd: 12\ncurrency: SEK\nledger: [{ files: "*.se" }]\n',
      'y24.se': file(
        2024,
        'Ovrig fordran',
        'T',
        '#UB 0 1930 900\n#UB 0 2010 -1000\n#UB 0 1690 100\n#VER A 1 20240105 x\n{\n#TRANS 1930 {} 1000\n#TRANS 2010 {} -1000\n}\n#VER A 2 20240601 x\n{\n#TRANS 1690 {} 100\n#TRANS 1930 {} -100\n}\n',
      ),
      'y25.se': file(
        2025,
        'Rantekostnad',
        'K',
        '#IB 0 1930 900\n#IB 0 2010 -1000\n#IB 0 1690 100\n#VER A 1 20250105 x\n{\n#TRANS 1690 {} 10\n#TRANS 1930 {} -10\n}\n',
      ),
    },
    ({ result }) => {
      const { message, file: where } = only(result.findings, 'account-changes-kind')
      assert.is(where, 'y25.se')
      assert.is(
        message,
        'account 1690 Rantekostnad has the type K in y25.se, and T as Ovrig fordran in y24.se (#KTYP); it counts as Asset in all years',
      )
    },
  )
})
