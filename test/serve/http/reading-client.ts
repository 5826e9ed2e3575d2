/** Reads all of a company as a client that knows only the address of the server. */
import * as assert from 'uvu/assert'
import { STATEMENTS } from '../../../builder/contract/vocabulary.ts'
import type { Client } from './client.ts'

export const ROUTES = {
  ProfitAndLoss: 'profit-loss',
  BalanceSheet: 'balance-sheet',
  CashFlow: 'cash-flow-statement',
}

export const query = (parameters: Record<string, string | null>): string =>
  new URLSearchParams(
    Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== null),
  ).toString()

/** A company as `user-info` lists it. */
interface Listed {
  readonly Id: string
  readonly SnapshotId: string
  readonly BooksThrough: string
}

/** Reads every endpoint, and every statement under each basis, class and budget. `ask` checks each answer against the description. */
export async function readCompany(ask: Client, { Id, SnapshotId, BooksThrough }: Listed): Promise<void> {
  const { json: info, headers } = await ask(`/companies/${Id}/info`)
  assert.equal([headers.get('snapshot-id'), info.BooksThrough], [SnapshotId, BooksThrough])
  const [listed] = (await ask(`/companies/${Id}/snapshots`)).json.Data
  assert.ok(Math.abs(Date.now() - Date.parse(listed.PublishedAt)) < 3_600_000, listed.PublishedAt)
  const lists: Record<string, { Id: string }[]> = {}
  for (const name of ['chart-of-accounts', 'budgets', 'classes', 'departments', 'non-financial-list']) {
    const { status, json } = await ask(`/companies/${Id}/${name}`)
    assert.is(status, 200)
    lists[name] = json.Data
  }
  const known = new Set(lists['chart-of-accounts']!.map((entry) => entry.Id))
  for (const statement of STATEMENTS)
    for (const AccountingBasis of info.AccountingBases)
      for (const ClassId of [null, ...lists.classes!.map((entry) => entry.Id)])
        for (const BudgetId of [null, ...lists.budgets!.map((entry) => entry.Id)]) {
          const asked = {
            StartDate: '2024-01-01',
            EndDate: '2025-12-31',
            AccountingBasis,
            ClassId,
            BudgetId,
          }
          const { status, json } = await ask(`/companies/${Id}/${ROUTES[statement]}?${query(asked)}`)
          assert.is(status, 200)
          assert.is(json.ClassId, ClassId)
          for (const row of json.Data) assert.ok(known.has(row.AccountId), row.AccountId)
        }
  const metrics = await ask(`/companies/${Id}/non-financial`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({
      NonFinancialIds: lists['non-financial-list']!.map((entry) => entry.Id),
      StartDate: '2024-01-01',
      EndDate: '2024-02-29',
    }),
  })
  assert.is(metrics.status, 200)
  const { json: versions } = await ask(`/companies/${Id}/snapshots`)
  const proof = await ask(`/companies/${Id}/snapshots/${versions.Data[0].SnapshotId}/tie-outs`)
  assert.ok(proof.json.Data.length > 0)
}
