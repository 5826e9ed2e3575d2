/** Reports and files that are not read are known by name, with what to export instead: added, and put into the folder by hand. */
import * as assert from 'uvu/assert'
import type { SheetData } from 'write-excel-file/node'
import type { Finding } from '../../builder/workspace/findings/finding.ts'
import { suite } from '../suite.ts'
import { proposed } from '../support/added.ts'
import { fields } from '../support/fields.ts'
import { codes, companyYaml, findingsOf, ledgerCsv } from '../support/workspace.ts'
import { workbook } from './folder.ts'

const wrong = suite('wrong reports')

/** What adding the file says. */
const added = (name: string, content: string | Buffer): Promise<readonly Finding[]> =>
  proposed({ [name]: content }, ({ result }) => result.findings)

const report = (title: string, header = 'Distribution account,Total'): string =>
  `${title}\nCascade Trail LLC\n"January-December, 2025"\n\n${header}\n4010 Sales,"2,357.00"\nNet Income,"$317.00"\n`

for (const [title, what] of [
  ['Profit and Loss', 'is a profit and loss'],
  ['Profit and Loss by Month', 'is a profit and loss'],
  ['Income Statement', 'is a profit and loss'],
  ['Resultatrapport', 'is a profit and loss'],
  ['Gewinn- und Verlustrechnung', 'is a profit and loss'],
  ['Compte de résultat', 'is a profit and loss'],
  ['Balance Sheet', 'is a balance sheet'],
  ['Balansräkning', 'is a balance sheet'],
  ['Bilanz', 'is a balance sheet'],
  ['Statement of Cash Flows', 'is a cash flow statement'],
  ['A/R Aging Summary', 'lists open invoices'],
  ['Aged Payables Detail', 'lists open invoices'],
  ['Aged Receivable', 'lists open invoices'],
  ['Offene Posten Debitoren', 'lists open invoices'],
] as const)
  wrong(`"${title}" is refused by name, added and by hand`, async () => {
    const byHand = {
      'company.yaml': companyYaml('ledger: [{ files: "*.csv" }]'),
      'chart.csv': 'id,name,classification\n',
    }
    const text = report(title)
    const findings = [
      ...(await added('report.csv', text)),
      ...(await findingsOf({ ...byHand, 'report.csv': text })).filter(({ file }) => file === 'report.csv'),
    ]
    assert.equal(
      findings.map(({ code, row, text: found }) => [code, row, found]),
      [
        ['wrong-report', 1, title],
        ['wrong-report', 1, title],
      ],
    )
    for (const { message, remedy } of findings) {
      assert.match(message, what)
      assert.match(remedy!, 'General Ledger')
    }
  })

const MONTHS = 'Account,Jan 2025,Feb 2025\n4000,100,200\n'

wrong('a profit and loss by month is no budget, unless the file calls itself one', async () => {
  const text = `Acme\nProfit and Loss\n\n${MONTHS}`
  assert.equal(codes(await added('pl.csv', text)), ['wrong-report'])
  assert.equal(await added('budget-2025.csv', text), [])
  assert.equal(await added('plan.csv', text.replace('Profit and Loss', 'Budget 2025')), [])
})

wrong('Budget vs. Actuals is no budget, added and by hand, in a workbook', async () => {
  const sheet: SheetData = [
    ['Acme LLC'],
    ['Budget vs. Actuals: Plan 2025 - FY25 P&L'],
    ['January - February, 2025'],
    [null],
    ['Account', 'Jan 2025', 'Feb 2025'],
    ['4000', 100, 200],
  ]
  const bytes = await workbook({ Sheet1: sheet })
  const byHand = {
    'company.yaml': companyYaml('budgets: [{ id: b, name: B, files: b.xlsx }]'),
    'ledger.csv': ledgerCsv('1 2025-01-15 bank 1.00; 1 2025-01-15 sales -1.00'),
    'b.xlsx': bytes,
  }
  for (const findings of [await added('b.xlsx', bytes), await findingsOf(byHand)]) {
    assert.equal(fields(findings, 'code', 'row'), [['wrong-report', 2]])
    assert.match(findings[0]!.remedy!, 'Budget Overview')
  }
})

wrong('a title over a ledger whose columns are canonical says nothing', async () => {
  const text = `Balance Sheet\n\n${ledgerCsv('1 2025-01-15 bank 1.00; 1 2025-01-15 sales -1.00')}`
  assert.equal(await added('gl.csv', text), [])
})

const XML = '<?xml version="1.0" encoding="UTF-8"?>\n'
for (const [name, text, what, instead] of [
  [
    'jpk.xml',
    '<tns:JPK xmlns:tns="http://jpk.mf.gov.pl/wzor/2016/03/09/03091/"><a/></tns:JPK>',
    'JPK',
    'dziennik',
  ],
  ['books.sie', '<Sie xmlns="http://www.sie.se/sie5"><FileInfo/></Sie>', 'SIE 5', 'type 4'],
  ['fec.xml', '<comptabilite xmlns:xsi="x"><exercice/></comptabilite>', 'FEC as XML', 'as text'],
  ['a.xaf', '<auditfile xmlns="http://www.auditfiles.nl/XAF/3.2"><header/></auditfile>', 'XAF', 'journal'],
  [
    'camt.xml',
    '<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"/>',
    'bank',
    'general ledger',
  ],
  ['r.xml', '<!-- made by x -->\n<xbrli:xbrl xmlns:xbrli="y"/>', 'XBRL', 'general ledger'],
] as const)
  wrong(`${name} is known by its first element, added and by hand`, async () => {
    const byHand = { 'company.yaml': companyYaml(`ledger: [{ files: ${name} }]`), [name]: XML + text }
    for (const findings of [await added(name, XML + text), await findingsOf(byHand)]) {
      assert.equal(fields(findings, 'code', 'file'), [['unreadable-file', name]])
      assert.match(findings[0]!.message, what)
      assert.match(findings[0]!.remedy!, instead)
    }
  })

wrong('a trial balance whose accounts are headed "Full name" is one', async () => {
  const text =
    'Trial Balance,,\nAcme,,\n"As of February 28, 2026",,\n,,\nFull name,Debit,Credit\n1010 Checking,5.00,\n3100 Stock,,5.00\n'
  assert.equal(await added('tb.csv', text), [])
})
