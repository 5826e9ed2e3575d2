/** FEC: openings in the journal AN; it has neither classes nor departments. */
import { type Business, decimal } from '../../support/business.ts'
import { companyYamlOf, type Exported } from './exported.ts'

const HEADER =
  'JournalCode JournalLib EcritureNum EcritureDate CompteNum CompteLib CompAuxNum CompAuxLib PieceRef PieceDate EcritureLib Debit Credit EcritureLet DateLet ValidDate Montantdevise Idevise'

export function fec(business: Business): Exported {
  const names = new Map(business.accounts.map(({ number, name }) => [number, name]))
  const line = (
    journal: string,
    entry: number,
    date: string,
    account: string,
    memo: string,
    amount: number,
  ) => {
    const day = date.replaceAll('-', '')
    const money = (minor: number) => decimal(minor).replace('.', ',')
    return [
      journal,
      journal === 'AN' ? 'A nouveaux' : 'Opérations',
      String(entry),
      day,
      account,
      names.get(account)!,
      '',
      '',
      String(entry),
      day,
      memo,
      money(Math.max(amount, 0)),
      money(Math.max(-amount, 0)),
      '',
      '',
      day,
      '',
      '',
    ].join('\t')
  }
  const rows = [
    HEADER.replaceAll(' ', '\t'),
    ...business.accounts
      .filter(({ opening }) => opening !== 0)
      .map(({ number, opening }) => line('AN', 0, business.year.start, number, 'A nouveau', opening)),
    ...business.transactions.flatMap(({ id, date, lines }) =>
      lines.map(({ account, memo, amount }) => line('OD', id, date, account, memo, amount)),
    ),
  ]
  return {
    name: 'FEC',
    files: {
      'company.yaml': companyYamlOf(business, 'ledger: [{ files: "*.txt" }]'),
      '123456789FEC20251231.txt': `${rows.join('\r\n')}\r\n`,
    },
    dimensions: [],
  }
}
