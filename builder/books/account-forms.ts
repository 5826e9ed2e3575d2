/** Reads the accounts of ledger lines that are written in a form of their own, such as `1000/Bank` or `1000.0`. */
import type { LedgerInput } from '../ingest/format/intake.ts'
import type { AccountForms } from '../ingest/format/keys.ts'
import type { Database } from './database.ts'
import { loadText } from './ledger.ts'

/** A ledger with more unknown accounts has another mistake. */
const MOST = 10_000

/**
 * Gives lines their accounts where the text means exactly one. A number without its leading zeros is read only where no line has the
 * account by its own number: else both may be accounts, and the chart lacks one. Lines that an engine has read stay as they are.
 */
export async function readAccountForms(
  db: Database,
  inputs: readonly LedgerInput[],
  decimals: number,
  forms: AccountForms<number>,
): Promise<void> {
  const engines = inputs.flatMap((input, file) =>
    input.kind === 'parquet' && input.engine !== undefined ? [file] : [],
  )
  const open = `line.account IS NULL AND NOT list_contains([${engines.join(', ')}]::INTEGER[], line.file)`
  const { found } = await db.row<{ found: boolean }>(`SELECT count(*) > 0 AS found FROM line WHERE ${open}`)
  if (!found) return
  await loadText(db, inputs, decimals, open)
  const texts = await db.rows<{ text: string }>(
    `SELECT DISTINCT value_of(raw.account) AS text FROM line JOIN raw USING (file, row)
     WHERE ${open} AND value_of(raw.account) IS NOT NULL LIMIT ${MOST + 1}`,
  )
  const used = await db.rows<{ account: number }>(
    'SELECT DISTINCT account FROM line WHERE account IS NOT NULL',
  )
  const isUsed = new Set(used.map(({ account }) => account))
  const meant = texts.flatMap(({ text }): [string, number][] => {
    const bare = forms.findWithoutZeros(text)
    const code = forms.find(text) ?? (bare === null || isUsed.has(bare) ? null : bare)
    return code === null ? [] : [[text, code]]
  })
  if (texts.length <= MOST && meant.length > 0) {
    await db.run('CREATE TEMP TABLE meant (text VARCHAR, code INTEGER)')
    await db.append('meant', meant)
    await db.run(
      `UPDATE line SET account = own.code FROM (SELECT file, row, code FROM raw JOIN meant ON value_of(raw.account) = text) AS own
       WHERE ${open} AND line.file = own.file AND line.row = own.row;
       DROP TABLE meant`,
    )
  }
  await db.run('DELETE FROM raw')
}
