/** The synthetic business as our own files: what every other format is compared with. */
import { type Business, type BusinessAccount, decimal } from '../../support/business.ts'
import type { Files } from '../../support/workspace.ts'
import type { Exported } from './exported.ts'

const row = (...cells: readonly (string | null)[]): string =>
  cells.map((cell) => `"${(cell ?? '').replaceAll('"', '""')}"`).join(',')
const csv = (...rows: readonly string[]): string => `${rows.join('\n')}\n`
const members = (names: readonly string[]): string => csv('id,name', ...names.map((name) => row(name, name)))

/** Ids, numbers and names as the format under comparison gives them. */
export function canonicalFiles(business: Business, { account, dimensions }: Exported): Files {
  const name = account ?? (({ number, name }: BusinessAccount) => ({ id: number, number, name }))
  const ids = new Map(business.accounts.map((each) => [each.number, name(each).id]))
  const tags = (line: { class: string | null; department: string | null }) => [
    dimensions.includes('class') ? line.class : null,
    dimensions.includes('department') ? line.department : null,
  ]
  return {
    'company.yaml': `id: acme
name: ${business.name}
fiscalMonthEnd: 12
currency: ${business.currency}
chartOfAccounts: chart.csv
${dimensions.includes('class') ? 'classes: classes.csv' : ''}
${dimensions.includes('department') ? 'departments: departments.csv' : ''}
ledger: [{ files: ledger.csv }]
opening: { transactions: [opening] }
`,
    'chart.csv': csv(
      'id,number,name,classification,type',
      ...business.accounts.map((each) => {
        const { id, number, name: shown } = name(each)
        return row(id, number, shown, each.classification, each.type)
      }),
    ),
    'classes.csv': members(business.classes),
    'departments.csv': members(business.departments),
    'ledger.csv': csv(
      'transaction_id,date,account,amount,class,department,memo',
      ...business.accounts
        .filter(({ opening }) => opening !== 0)
        .map(({ number, opening }) =>
          row('opening', business.year.start, ids.get(number)!, decimal(opening), '', '', 'Opening'),
        ),
      ...business.transactions.flatMap(({ id, date, lines }) =>
        lines.map((line) =>
          row(`T${id}`, date, ids.get(line.account)!, decimal(line.amount), ...tags(line), line.memo),
        ),
      ),
    ),
  }
}
