/**
 * Whether approvals are of the people whom an auditor names. The log itself names approvers, but whoever has the key that
 * signs could begin another log, with another name: that is seen only by who knows the approvers' keys.
 */
import { join } from 'node:path'
import type { Damage } from '../snapshot/damage.ts'
import { APPROVAL, LOG, SIGNATURE } from '../snapshot/layout.ts'
import { approvedRecord, type Log } from '../snapshot/log.ts'
import { readFile } from '../workspace/plain-file.ts'

type KeyIds = ReadonlySet<string> | undefined

/** Of all lines of a log; nothing where nobody named approvers. */
export function foreignApprovals({ records }: Log, named: KeyIds): Damage[] {
  if (named === undefined) return []
  if (!records.some(({ Approvers }) => Approvers))
    return [damage(LOG, `no line of ${LOG} requires an approval, although it is known who approves`)]
  return records.flatMap(({ Seq, Approval }) =>
    Approval && !named.has(Approval.KeyId) ? [foreign(`line ${Seq} of ${LOG}`, LOG, Approval)] : [],
  )
}

/** Of one snapshot by itself. */
export async function foreignApproval(snapshot: string, named: KeyIds): Promise<Damage[]> {
  if (named === undefined) return []
  const text = await readFile(join(snapshot, APPROVAL), 'utf8').catch(() => null)
  if (text === null) return [damage(APPROVAL, `${APPROVAL} is missing: nothing says who approved it`)]
  const signature = await readFile(join(snapshot, SIGNATURE), 'utf8').catch(() => '')
  const { record } = await approvedRecord(text, signature, null)
  return record && !named.has(record.Approval.KeyId) ? [foreign(APPROVAL, APPROVAL, record.Approval)] : []
}

const foreign = (what: string, path: string, { Name, KeyId }: { Name: string; KeyId: string }): Damage =>
  damage(
    path,
    `${what} is approved by "${Name}" with key ${KeyId}, which is none of the approvers that were named`,
  )

const damage = (path: string, message: string): Damage => ({
  kind: 'unapproved',
  snapshotId: null,
  path,
  message,
})
