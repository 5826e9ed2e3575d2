/** What is done for every document or every request, in microseconds, each beside the plain way of doing it (tinybench). */
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Bench } from 'tinybench'
import { periodsOf } from '../../builder/contract/calendar.ts'
import type { StatementDocument } from '../../builder/contract/document.ts'
import { StatementEncoder } from '../../builder/contract/encode.ts'
import { sliceStatement } from '../../builder/contract/slice.ts'
import { createAccessTokens } from '../../serve/oauth/access-token.ts'
import { keysInFile } from '../../serve/oauth/key-place.ts'
import { openKeys } from '../../serve/oauth/keys.ts'
import type { Result } from './results.ts'

const RANGE = { startDate: '2021-01-01', endDate: '2025-12-31' }
const MONTHS = { startDate: '2024-04-01', endDate: '2025-03-31' }

/** A balance sheet of 150 accounts over five years; every other figure differs from the one before. */
const document = (): StatementDocument => {
  const periods = periodsOf(RANGE)
  return {
    companyId: 'bench',
    basisSource: 'Books',
    currency: 'USD',
    statement: 'BalanceSheet',
    basis: 'ACCRUAL',
    budgetId: null,
    classId: null,
    departmentId: null,
    ...RANGE,
    periods,
    rows: Array.from({ length: 150 }, (_, row) => ({
      accountId: `${1000 + row}`,
      accountNumber: `${1000 + row}`,
      accountName: `Account ${row}`,
      section: 'Asset',
      values: Float64Array.from(periods, (_, p) => (row * 7919 + (p >> 1) * 104_729) % 20_000_000),
    })),
    summary: [],
  }
}

interface Parsed {
  readonly Data: readonly { readonly Values: readonly number[] }[]
}

export async function small(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
  try {
    const doc = document()
    const plain = { ...doc, rows: doc.rows.map((row) => ({ ...row, values: [...row.values] })) }
    const encoder = new StatementEncoder()
    const bytes = Buffer.from(encoder.encode(doc))
    const keys = await openKeys(keysInFile(folder), Date.now())
    const tokens = createAccessTokens(keys, 'https://books.example', Date.now)
    const token = await tokens.sign({ grantId: 'g', userId: 'u', clientId: 'c', scopes: ['read'] }, 3600)
    await tokens.verify(token)
    const results: Result[] = []
    const compare = async (
      name: string,
      run: () => unknown,
      reference: string,
      runReference: () => unknown,
    ): Promise<void> => {
      const bench = new Bench({ time: 500 }).add(name, run).add(reference, runReference)
      await bench.run()
      const [ours, theirs] = bench.tasks.map(({ result }) => {
        if (result?.state !== 'completed') throw new Error(`${name}: ${result?.state}`)
        return result.latency.p50 * 1000
      })
      results.push({
        part: 'small',
        name,
        value: ours!,
        unit: 'µs',
        target: null,
        reference: { name: reference, value: theirs!, unit: 'µs' },
      })
    }
    await compare(
      'encoding a statement of 150 accounts and 60 months',
      () => encoder.encode(doc),
      'JSON.stringify, minor units',
      () => Buffer.from(JSON.stringify(plain)),
    )
    await compare(
      'cutting twelve months out of its bytes',
      () => sliceStatement(bytes, MONTHS),
      'JSON.parse, cut, JSON.stringify',
      () => {
        const parsed = JSON.parse(bytes.toString()) as Parsed
        return JSON.stringify({
          ...parsed,
          Data: parsed.Data.map((row) => ({ ...row, Values: row.Values.slice(39, 51) })),
        })
      },
    )
    await compare(
      'a token that was verified before',
      () => tokens.known(token),
      'verifying its signature (jose)',
      () => createAccessTokens(keys, 'https://books.example', Date.now).verify(token),
    )
    await compare(
      'SHA-256 of the statement',
      () => createHash('sha256').update(bytes).digest('hex'),
      'copying it',
      () => Buffer.from(bytes),
    )
    return results
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
