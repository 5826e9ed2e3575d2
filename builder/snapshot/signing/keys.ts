/**
 * Replaces and revokes the signing key, and begins a new one where the key file was lost. Each decision is
 * made once, by replacing the key file in one step, and is then entered in the log of every company. Where
 * that is interrupted, or a log cannot be written, the next change of that company enters it.
 */

import { join } from 'node:path'
import { present } from '../../contract/present.ts'
import { disk, type Effects, isThere } from '../../system/effects.ts'
import { operator } from '../../system/operator.ts'
import { ChangeRefusedError } from '../../system/refusals.ts'
import { reasonOf } from '../../workspace/findings/finding.ts'
import { companyFolder } from '../files/layout.ts'
import {
  beginKeys,
  knownKeys,
  openSigner,
  publicKeys,
  readKeyFile,
  replaceKeys,
  type Signer,
  signingKeyPath,
} from '../keys/key-file.ts'
import { type KeyChange, nameOfChange, type Rotation, rotationText } from '../keys/key-ring.ts'
import { type JWK, keyIdOf, newPrivateKey, publicPart } from '../keys/sign.ts'
import { beginChange } from '../log/change.ts'
import { LockedError, takeLock } from '../log/lock.ts'
import { readLog } from '../log/log.ts'
import { settleChange } from '../log/settle.ts'
import { openLocation } from '../places/open.ts'
import { companiesIn, externalKey, type SigningWorkspace, signingKeys, workspaceSigner } from './signing.ts'

export interface KeyDecision {
  /** Id of the key that signs from now on, or that was revoked. */
  readonly keyId: string
  /** Whether this call made the decision; false where it only entered an earlier one in the logs. */
  readonly decided: boolean
  readonly entered: readonly string[]
  /** Companies in whose log the decision could not be entered yet, and why. */
  readonly pending: readonly Pending[]
}

export interface Pending {
  readonly company: string
  readonly why: string
  /** Whether it was tried and failed; else the next change of the company enters it. */
  readonly failed: boolean
}

export interface KeyInfo {
  readonly kid: string
  readonly status: 'signs' | 'replaced' | 'revoked' | 'trusted'
  /** When the key was replaced or revoked (ISO 8601, UTC); null where it was not. */
  readonly endedAt: string | null
  readonly reason: string | null
}

interface Options {
  readonly effects?: Effects
}

/** Lists the keys of a workspace, the signing key first; null where no key was made yet. */
export async function listSigningKeys({
  state,
  snapshots,
}: SigningWorkspace): Promise<{ keys: KeyInfo[]; pending: Pending[] } | null> {
  const path = signingKeyPath(state)
  if (!isThere(path)) return null
  const { changes } = readKeyFile(path)
  const own = (await publicKeys(path)).map(({ kid }) => kid)
  const ends = new Map<string, KeyChange>()
  for (const change of changes) {
    const ended = change.Event === 'rotate' ? change.Replaces : change.KeyId
    if (ended !== null) ends.set(ended, change)
  }
  const trusted = [...((await knownKeys(state)) ?? [])].filter((kid) => !own.includes(kid))
  const keys = [...own.toReversed(), ...trusted].map((kid): KeyInfo => {
    const end = ends.get(kid)
    const open = kid === own.at(-1) ? 'signs' : own.includes(kid) ? 'replaced' : 'trusted'
    return {
      kid,
      status: end === undefined ? open : end.Event === 'revoke' ? 'revoked' : 'replaced',
      endedAt: end?.At ?? null,
      reason: end?.Reason ?? null,
    }
  })
  const lacking = await companiesWithout(snapshots, changes)
  return {
    keys,
    pending: lacking.map((company) => ({ company, why: 'the next change enters it', failed: false })),
  }
}

/**
 * Replaces the signing key by a new one, or by `to`, whose private part only the signing command has. Where
 * an earlier rotation is missing from some log, that one is entered instead, and no key is replaced.
 * Throws {@link ChangeRefusedError} where the key is known already, or another process is changing keys.
 */
export async function rotateSigningKey(
  workspace: SigningWorkspace,
  reason: string | null,
  to: JWK | null = null,
  options: Options = {},
): Promise<KeyDecision> {
  const { state, snapshots } = workspace
  return withKeyLock(state, options, async () => {
    const signer = await workspaceSigner(workspace)
    const finished = await enterInLogs(
      await companiesWithout(snapshots, signer.changes),
      workspace,
      signer,
      options,
    )
    if (finished.entered.length > 0) return { keyId: signer.keyId, decided: false, ...finished }
    const key = to ?? (await newPrivateKey())
    const x = publicPointOf(key)
    const keyId = await keyIdOf(x)
    if (signer.known.has(keyId))
      throw new ChangeRefusedError(
        `key ${keyId} is known already; a key that signed before cannot be used again`,
      )
    const unsigned: Rotation = {
      Event: 'rotate',
      ...decidedNow(reason),
      Replaces: signer.keyId,
      PublicKey: x,
      Signature: null,
    }
    const Signature = (await signer.sign(rotationText(unsigned))).trimEnd()
    replaceKeys(state, key, [...signer.changes, { ...unsigned, Signature }], options.effects)
    const companies = companiesIn(snapshots)
    // The key belongs to a command that tieout.yaml does not name yet, or tieout.yaml still names the
    // replaced one.
    if (to !== null || workspace.signer !== null)
      return {
        keyId,
        decided: true,
        entered: [],
        pending: companies.map((company) => ({ company, why: SETTINGS, failed: false })),
      }
    return {
      keyId,
      decided: true,
      ...(await enterInLogs(companies, workspace, await openSigner(state), options)),
    }
  })
}

const decidedNow = (Reason: string | null) => ({ At: new Date().toISOString(), By: operator(), Reason })

const SETTINGS = 'the next change enters it, once tieout.yaml says what signs'

/**
 * Revokes a key, given by its id or the beginning of it: what it signs from now on counts as damage; what it
 * signed before stays valid.
 * Throws {@link ChangeRefusedError} for the key that signs at present, or where none or several keys match.
 */
export async function revokeSigningKey(
  workspace: SigningWorkspace,
  beginning: string,
  reason: string,
  options: Options = {},
): Promise<KeyDecision> {
  const { state, snapshots } = workspace
  return withKeyLock(state, options, async () => {
    const signer = await workspaceSigner(workspace)
    const keyId = keyBeginningWith(signer.known, beginning)
    if (keyId === signer.keyId)
      throw new ChangeRefusedError(
        `key ${keyId} signs at present: replace it first, and then revoke it: tieout keys signing rotate --reason "…"`,
      )
    const decided = !signer.changes.some((change) => change.Event === 'revoke' && change.KeyId === keyId)
    if (decided) {
      const change: KeyChange = {
        Event: 'revoke',
        ...decidedNow(reason),
        KeyId: keyId,
      }
      replaceKeys(state, null, [...signer.changes, change], options.effects)
    }
    const updated = await workspaceSigner(workspace)
    const lacking = await companiesWithout(snapshots, updated.changes)
    return { keyId, decided, ...(await enterInLogs(lacking, workspace, updated, options)) }
  })
}

function keyBeginningWith(known: ReadonlySet<string>, beginning: string): string {
  const found = [...known].filter((kid) => kid.startsWith(beginning))
  const [key, ...others] = found
  if (key !== undefined && others.length === 0) return key
  throw new ChangeRefusedError(
    found.length === 0
      ? `no key begins with "${beginning}"; "tieout keys signing" lists them`
      : `${found.length} keys begin with "${beginning}"; give more characters of the one that you mean`,
  )
}

/**
 * Begins a new key where the key file was lost. Decisions about keys are taken from the logs, and what the
 * old keys signed stays verifiable; that the new key is the publisher's rests on the word of whoever gives
 * the reason.
 * Throws {@link ChangeRefusedError} where the key file exists, or nothing was ever signed.
 */
export async function replaceLostKey(
  workspace: SigningWorkspace,
  reason: string,
  options: Options = {},
): Promise<KeyDecision> {
  const { state, snapshots } = workspace
  return withKeyLock(state, options, async () => {
    const path = signingKeyPath(state)
    if (isThere(path))
      throw new ChangeRefusedError(
        `${path} exists: to replace the signing key, leave out --lost; where the file is damaged, move it away first`,
      )
    const found = await signingKeys(snapshots)
    if (found.length === 0)
      throw new ChangeRefusedError('nothing has been signed yet: the first build makes a key')
    const { changes, last } = await changesInLogs(snapshots)
    const external = await externalKey(workspace)
    const key = external?.publicKey ?? (await newPrivateKey())
    const x = publicPointOf(key)
    const keyId = await keyIdOf(x)
    const begun: KeyChange = {
      Event: 'rotate',
      ...decidedNow(reason),
      Replaces: last,
      PublicKey: x,
      Signature: null,
    }
    // A key held by a command survives the loss of the key file, so nothing has to be replaced.
    const all = keyId === last ? changes : [...changes, begun]
    const others = found.filter(({ kid }) => kid !== keyId).map(publicPart)
    if (!beginKeys(state, [...others, key], all, options.effects))
      throw new ChangeRefusedError(`${path} exists again: another process restored it; nothing was changed`)
    const signer = await workspaceSigner(workspace)
    return {
      keyId,
      decided: true,
      ...(await enterInLogs(await companiesWithout(snapshots, all), workspace, signer, options)),
    }
  })
}

/**
 * Collects every change of keys from the logs, by date; `last` is the key that signed the latest line of all
 * logs.
 */
async function changesInLogs(root: string): Promise<{ changes: KeyChange[]; last: string | null }> {
  const changes = new Map<string, KeyChange>()
  let latest: { At: string; KeyId: string } | null = null
  for (const company of companiesIn(root)) {
    const { records } = await readLog(companyFolder(root, company))
    for (const { At, KeyId, KeyChange } of records) {
      if (KeyChange) changes.set(await nameOfChange(KeyChange), KeyChange)
      if (KeyId !== null && (latest === null || At >= latest.At)) latest = { At, KeyId }
    }
  }
  const inOrder = [...changes.values()].sort((a, b) => (a.At < b.At ? -1 : a.At > b.At ? 1 : 0))
  return { changes: inOrder, last: latest?.KeyId ?? null }
}

/**
 * Lists the companies whose log lacks one of these changes; of a damaged log only the lines before the damage
 * count.
 */
async function companiesWithout(root: string, changes: readonly KeyChange[]): Promise<string[]> {
  const names = await Promise.all(changes.map(nameOfChange))
  const lacking: string[] = []
  for (const company of companiesIn(root)) {
    const { keys } = await readLog(companyFolder(root, company))
    if (names.some((name) => !keys.has(name))) lacking.push(company)
  }
  return lacking
}

async function enterInLogs(
  companies: readonly string[],
  workspace: SigningWorkspace,
  signer: Signer,
  { effects = disk }: Options,
): Promise<Pick<KeyDecision, 'entered' | 'pending'>> {
  const location = await openLocation(workspace)
  const entered: string[] = []
  const pending: Pending[] = []
  for (const company of companies)
    try {
      await location.change(company, 'latest', async (root) => {
        const change = await beginChange(root, company, { signer, effects })
        try {
          await settleChange(change)
          await change.enterKeyChanges()
        } finally {
          change.release()
        }
      })
      entered.push(company)
    } catch (problem) {
      pending.push({ company, why: reasonOf(problem as Error), failed: true })
    }
  return { entered, pending }
}

/** The public point on the curve, by which a log names the key. */
const publicPointOf = ({ x }: JWK): string => present(x, 'public part in the key')

/** The lock file that a process holds while it changes the keys of a workspace. */
export const keysLockPath = (state: string): string => join(state, 'manifest-keys.lock')

/** Runs `work` under the lock of the key file, so that only one process at a time decides about keys. */
async function withKeyLock<T>(state: string, { effects }: Options, work: () => Promise<T>): Promise<T> {
  const lock = lockKeys(state, effects)
  try {
    return await work()
  } finally {
    lock.release()
  }
}

function lockKeys(state: string, effects?: Effects) {
  try {
    return takeLock(keysLockPath(state), effects)
  } catch (problem) {
    if (!(problem instanceof LockedError)) throw problem
    throw new ChangeRefusedError(
      'another process is changing the keys: wait until it has finished, then check with "tieout keys signing"',
    )
  }
}
