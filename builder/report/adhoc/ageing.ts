/** Receivables and payables by party and age as the server answers them (`ageing` of contract/schemas.ts). */
import { type AgeingQuery, ageingOf } from '../../inspect/audit/ageing.ts'
import type { Snapshot } from '../../snapshot/files/open.ts'

/** The answer as JSON. The account and the day are known: the server has checked them. */
export async function ageingText(snapshot: Snapshot, asked: AgeingQuery): Promise<string> {
  const { value: found, findings } = await ageingOf(snapshot, asked)
  if (findings) throw new Error(findings.map(({ message }) => message).join('; '))
  const Data = found.sections.map(({ side, parties, amounts, total, accounts }) => ({
    Side: side === 'receivables' ? 'Receivables' : 'Payables',
    Parties: parties.map(({ partyId, party, ...row }) => ({
      ...{ PartyId: partyId, Name: party, Amounts: row.amounts, Total: row.total },
    })),
    ...{ Amounts: amounts, Total: total },
    Accounts: accounts.map(({ id, by, balance, difference }) => ({
      ...{ AccountId: id, AgedBy: by === 'items' ? 'OpenItems' : 'Movements' },
      ...{ Balance: balance, Difference: difference },
    })),
  }))
  const { company: CompanyId, currency: Currency, asOf: AsOf, ages: Ages, basis } = found
  const head = { CompanyId, Currency, AccountingBasis: basis.toUpperCase(), AsOf, Ages }
  return `${JSON.stringify({ ...head, Data })}\n`
}
