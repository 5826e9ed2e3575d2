/**
 * Checks approvals against the approvers that an auditor names. The log names approvers itself, but whoever
 * holds the signing key could begin another log with other names; only somebody who knows the approvers' keys
 * can tell.
 */
import { join } from 'node:path'
import type { Damage } from '../../snapshot/files/damage.ts'
import { APPROVAL, LOG, SIGNATURE } from '../../snapshot/files/layout.ts'
import { approvedRecord, type Log } from '../../snapshot/log/log.ts'
import { readFile } from '../../system/plain-file.ts'

type KeyIds = ReadonlySet<string> | undefined

/** Checks every approval in a log; without `named` there is nothing to check. */
export function foreignApprovals({ records }: Log, named: KeyIds): Damage[] {
  if (named === undefined) return []
  if (!records.some(({ Approvers }) => Approvers))
    return [damage(LOG, `no line of ${LOG} names approvers, although approvers' keys were given`)]
  return records.flatMap(({ Seq, Approval }) =>
    Approval && !named.has(Approval.KeyId) ? [foreign(`line ${Seq} of ${LOG}`, LOG, Approval)] : [],
  )
}

/** Checks the approval of a snapshot that was copied without its log. */
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
    `${what} is approved by "${Name}" with key ${KeyId}, which belongs to none of the approvers that were named`,
  )

const damage = (path: string, message: string): Damage => ({
  kind: 'unapproved',
  snapshotId: null,
  path,
  message,
})
