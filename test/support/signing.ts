/** A workspace of several companies whose snapshots are a few small files, for what is about the keys that sign them. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import {
  type Verification,
  type VerifiedCompany,
  verifyFolder,
} from '../../builder/evidence/verify/verify.ts'
import { LOG } from '../../builder/snapshot/files/layout.ts'
import { beginStage } from '../../builder/snapshot/files/stage.ts'
import { publicKeys, signingKeyPath } from '../../builder/snapshot/keys/key-file.ts'
import type { JWK } from '../../builder/snapshot/keys/sign.ts'
import type { LogRecord } from '../../builder/snapshot/log/log-record.ts'
import { type SigningWorkspace, workspaceSigner } from '../../builder/snapshot/signing/signing.ts'
import { disk, type Effects } from '../../builder/system/effects.ts'
import { BODY } from './snapshots.ts'

export function newSigningWorkspace(): SigningWorkspace {
  const root = mkdtempSync(join(tmpdir(), 'tieout-signing-'))
  const snapshots = join(root, 'snapshots')
  mkdirSync(snapshots)
  return { root, snapshots, state: join(root, '.tieout'), signer: null }
}

/** Publishes a snapshot of a company that holds this text, as a build does. */
export async function publishOf(
  workspace: SigningWorkspace,
  company: string,
  text: string,
  effects: Effects = disk,
): Promise<string> {
  const signer = await workspaceSigner(workspace)
  const stage = await beginStage(workspace.snapshots, company, { signer, effects })
  try {
    stage.write('a.json', text)
    const { snapshotId } = await stage.publish({ ...BODY, CompanyId: company }, Date.parse('2026-11-01'))
    return snapshotId
  } finally {
    stage.discard()
  }
}

export const recordsOf = ({ snapshots }: SigningWorkspace, company: string): LogRecord[] =>
  existsSync(join(snapshots, company, LOG))
    ? readFileSync(join(snapshots, company, LOG), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as LogRecord)
    : []

export const ownKeys = ({ state }: SigningWorkspace): Promise<JWK[]> => publicKeys(signingKeyPath(state))
export const idsOf = (keys: readonly JWK[]): ReadonlySet<string> => new Set(keys.map(({ kid }) => kid!))

/** What verification says of every company, where these keys alone count. */
export async function judged(
  { snapshots }: SigningWorkspace,
  known: ReadonlySet<string>,
): Promise<{ verified: boolean; told: string; companies: readonly VerifiedCompany[] }> {
  const found: Verification = await verifyFolder(snapshots, 'companies', { figures: false, known })
  const damages = found.companies.flatMap(({ company, damages, snapshots }) =>
    [...damages, ...snapshots.flatMap((each) => each.damages)].map(({ message }) => `${company}: ${message}`),
  )
  return { verified: found.verified, told: damages.join('\n'), companies: found.companies }
}

export async function assertVerified(
  workspace: SigningWorkspace,
  known: ReadonlySet<string>,
  where = '',
): Promise<void> {
  const { verified, told } = await judged(workspace, known)
  assert.ok(verified, `${where}: ${told}`)
}
