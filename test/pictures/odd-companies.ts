/** Companies at the edges of what pages have to show: many accounts, long names, losses, empty months, one month, other number styles. */
import { CHART, companyYaml, type Files, ledgerCsv } from '../support/workspace.ts'

const YEARS = ['2021', '2022', '2023', '2024', '2025']
const DAYS = YEARS.flatMap((year) =>
  Array.from({ length: 12 }, (_, i) => `${year}-${String(i + 1).padStart(2, '0')}-15`),
)

const company = (ledger: string, yaml = '', more: Files = {}): Files => ({
  'company.yaml': companyYaml(yaml),
  'chart.csv': CHART,
  'ledger.csv': ledger,
  ...more,
})

/** Three hundred accounts of profit and loss in thirty groups, over sixty months. */
function manyAccounts(): Files {
  const chart = [
    'id,number,name,classification,type,parent',
    '1000,1000,Cash at the Handelsbank für Handel und Gewerbe Aktiengesellschaft Niederlassung Schwäbisch Gmünd,Asset,Bank,',
    '3000,3000,Share capital,Equity,Capital,',
  ]
  const lines = [
    'transaction_id,date,account,amount',
    '0,2021-01-01,1000,5000000.00',
    '0,2021-01-01,3000,-5000000.00',
  ]
  let entry = 0
  for (let group = 0; group < 30; group++) {
    const kind = group < 10 ? 'Income' : 'Expense'
    const head = 4000 + group * 20
    chart.push(
      `${head},${head},Group ${group} with a name that is much longer than a column would ever want it to be,${kind},,`,
    )
    for (let i = 1; i <= 10; i++) {
      const account = head + i
      chart.push(`${account},${account},Account ${i} of group ${group},${kind},,${head}`)
      for (const [month, day] of DAYS.entries()) {
        if ((month * 7 + account) % 3 === 0) continue
        const amount = (((account * 7919 + month * 104_729) % 900_000) / 100).toFixed(2)
        const [debit, credit] = kind === 'Income' ? [1000, account] : [account, 1000]
        entry++
        lines.push(`${entry},${day},${debit},${amount}`, `${entry},${day},${credit},-${amount}`)
      }
    }
  }
  return {
    'company.yaml':
      companyYaml(`name: Großhandelsgesellschaft für außergewöhnlich lange Firmenbezeichnungen und Söhne mbH & Co. KGaA
currency: EUR
numbers: { format: "1.234,50", negative: brackets, unit: exact }`),
    'chart.csv': `${chart.join('\n')}\n`,
    'ledger.csv': `${lines.join('\n')}\n`,
  }
}

/** What is odd about each → its files. */
export const ODD_COMPANIES: Readonly<Record<string, Files>> = {
  'many accounts': manyAccounts(),
  'one month': company(ledgerCsv('1 2025-01-02 bank 10.00; 1 2025-01-02 sales -10.00')),
  losses: company(
    ledgerCsv(`1 2025-01-02 rent 9999999.99; 1 2025-01-02 creditors -9999999.99
      2 2025-03-02 rent 1.00; 2 2025-03-02 bank -1.00; 3 2025-05-02 rent 2.00; 3 2025-05-02 bank -2.00`),
    'numbers: { format: "1 234,50", negative: minus, unit: whole }',
  ),
  'empty months': company(
    ledgerCsv(`1 2024-01-02 bank 1250.00; 1 2024-01-02 sales -1250.00
      2 2024-11-02 rent 300.50; 2 2024-11-02 bank -300.50; 3 2025-06-30 bank 10.00; 3 2025-06-30 capital -10.00`),
  ),
  'sixty months': company(
    ledgerCsv(DAYS.map((day, i) => `${i} ${day} bank ${i}.25; ${i} ${day} sales -${i}.25`).join('; ')),
  ),
  'long members': company(
    ledgerCsv(`1 2025-01-02 bank 100.00 a; 1 2025-01-02 sales -100.00 a
      2 2025-02-02 rent 40.00 b; 2 2025-02-02 bank -40.00 b`),
    'classes: classes.csv',
    {
      'classes.csv': `id,name\na,${'Donaudampfschifffahrtsgesellschaft '.repeat(4).trim()}\nb,"Retail, and everything that is sold over the counter"\n`,
    },
  ),
}
