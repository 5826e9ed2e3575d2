/** The schema of receivables and payables by party and age, an extension of the interface. */
import { z } from 'zod'
import { components, currency, date, decimal, id } from './schemas.ts'
import { BASES } from './vocabulary.ts'

const aged = {
  Amounts: z.array(decimal).describe('By age, in the order of Ages'),
  Total: decimal,
}
export const ageing = z
  .strictObject({
    CompanyId: id,
    Currency: currency,
    AccountingBasis: z.enum(BASES),
    AsOf: date,
    Ages: z
      .array(z.string())
      .describe('Days since an amount was due, or, without a due date, since its line'),
    Data: z.array(
      z.strictObject({
        Side: z.enum(['Receivables', 'Payables']),
        Parties: z.array(
          z.strictObject({
            PartyId: z.string().nullable().describe('null where the books have a name alone'),
            Name: z.string().nullable().describe('The last one; null for lines without a party'),
            ...aged,
          }),
        ),
        ...aged,
        Accounts: z.array(
          z.strictObject({
            AccountId: id,
            AgedBy: z
              .enum(['OpenItems', 'Movements'])
              .describe(
                'Movements: nothing says what settles what; the oldest lines of a party are settled first',
              ),
            Balance: decimal.describe('In the trial balance'),
            Difference: decimal.describe('What the balance is more than the sum of what was aged'),
          }),
        ),
      }),
    ),
  })
  .register(components, {
    id: 'Ageing',
    title: 'Receivables and payables by party and age',
    description:
      'What parties owe, and what is owed to them, at the end of a day. Amounts are exact decimal text.',
  })
