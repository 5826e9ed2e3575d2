/** Exports as people really have them, from the file to the finding or the snapshot: nothing is wrong in silence. */
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { buildWith, codes, companyYaml, findingsOf, only } from '../support/workspace.ts'

const odd = suite('odd exports')

const HEADER = 'transaction_id,date,account,debit,credit'
const rows = (date: string) => `1,${date},bank,100.00,\n1,${date},sales,,100.00\n`
const LEDGER = `${HEADER}\n${rows('2025-01-15')}`
const ledgerEntry = (entry: string): string => companyYaml(`ledger: [{ files: ledger.csv, ${entry} }]`)

for (const [format, date] of [
  ['DD-MMM-YYYY', '15-Jan-2025'],
  ['DD-MMM-YYYY', '15-JAN-2025'],
  ['D MMM YY', '15 jan 25'],
  ['MMM D YYYY', 'Jan 15 2025'],
  ['DDMMMYYYY', '15jan2025'],
] as const)
  odd(`${date} is ${format}, in a CSV`, () =>
    buildWith(
      { 'company.yaml': ledgerEntry(`dateFormat: ${format}`), 'ledger.csv': `${HEADER}\n${rows(date)}` },
      ({ result }) => {
        assert.equal(codes(result.findings), [])
        assert.is(result.coverage!.startDate, '2025-01-01')
      },
    ),
  )

odd('the name of a month is English and has three letters; the row of any other is named', async () => {
  for (const name of ['Mai', 'Sept', 'January', '01']) {
    const findings = await findingsOf({
      'company.yaml': ledgerEntry('dateFormat: DD-MMM-YYYY'),
      'ledger.csv': `${HEADER}\n${rows('15-Jan-2025')}2,15-${name}-2025,bank,,\n`,
    })
    const found = findings.find(({ code }) => code === 'unreadable-date')!
    assert.equal([found.row, found.text], [4, `15-${name}-2025`])
  }
})
odd.run()
