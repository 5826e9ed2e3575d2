/**
 * Owns the approval rule (four eyes): who must approve changes to a company's snapshots, and whether the lines of its log
 * follow the rule. Once a line of the log names approvers, certain events need the countersignature of one of them, and so
 * does a line that names other approvers. No setting can lift that.
 */
import { parseJson } from '../../contract/json.ts'
import { canonicalKey, isPublicKey } from '../../workspace/public-key.ts'
import { checkSignature, keyIdOf } from '../keys/sign.ts'

/** An approver, as `tieout.yaml` and the log name them. */
export interface Approver {
  readonly Name: string
  /** The public key: `x` of an Ed25519 JWK (RFC 8037). */
  readonly Key: string
}

export interface Approval {
  /** ISO 8601, UTC. */
  readonly At: string
  /** `user@host` */
  readonly By: string
  /** The approver's name in the log. */
  readonly Name: string
  readonly KeyId: string
}

/**
 * The events that change which figures readers get, or what is known of them. A hold and a closing need no approval,
 * because they only protect more.
 */
const NEEDS_APPROVAL: ReadonlySet<string> = new Set([
  'publish',
  'use',
  'restore',
  'prune',
  'reopen',
  'adopt',
  'approval',
])

/**
 * Whether a line needs an approval. `before` is the line before it: after an approved adoption, the snapshot that it names as
 * current is entered without another approval.
 */
export const needsApproval = (line: Entered, before: Entered | null): boolean =>
  NEEDS_APPROVAL.has(line.Event) &&
  !(
    line.Event === 'publish' &&
    before?.Event === 'adopt' &&
    before.Approval !== undefined &&
    before.ManifestSha256 === line.ManifestSha256
  )

interface Entered {
  readonly Event: string
  readonly ManifestSha256: string
  readonly Approval?: Approval
}

/** The approver whose key has this id; null where none has. */
export async function approverOf(approvers: readonly Approver[], keyId: string): Promise<Approver | null> {
  for (const approver of approvers) if ((await keyIdOf(approver.Key)) === keyId) return approver
  return null
}

/** The members of a line that the rule reads. */
interface Judged extends Entered {
  readonly Seq: number
  readonly KeyId: string | null
  readonly Approvers?: readonly Approver[]
}

/** Applies the approval rule to the lines of a log, one by one from the first. */
export class ApprovalRule {
  #approvers: readonly Approver[] = []
  #since = 0
  #before: Judged | null = null
  /** Ids of the keys of all approvers so far. */
  readonly #approving = new Set<string>()
  /** Ids of the keys that have signed lines so far. */
  readonly #signing = new Set<string>()

  /** Takes the next line. Returns what is wrong with it, in words that follow "line 3 of the log", or null. */
  async wrongIn(line: Judged): Promise<string | null> {
    const { Seq, Event, KeyId, Approvers, Approval } = line
    const before = this.#before
    this.#before = line
    const isInForce = this.#approvers.length > 0
    const may = isInForce ? this.#approvers : (Approvers ?? [])
    if (!Approval && Approvers)
      return 'names approvers, although nobody countersigned it with the key of one of them'
    if (Approvers && isInForce && Event !== 'approval')
      return `is a "${Event}" that names other approvers than line ${this.#since}, which only an "approval" may`
    if (!Approval && isInForce && needsApproval(line, before))
      return `is a "${Event}" that nobody approved, although line ${this.#since} says that approval is required`
    if (Approval) {
      const approver = await approverOf(may, Approval.KeyId)
      if (approver === null) return `is approved with key ${Approval.KeyId}, which is none of the approvers'`
      if (approver.Name !== Approval.Name)
        return `is approved by "${Approval.Name}" with the key of ${approver.Name}`
    }
    if (KeyId !== null) this.#signing.add(KeyId)
    for (const { Key } of Approvers ?? []) this.#approving.add(await keyIdOf(Key))
    const both = [...this.#approving].find((id) => this.#signing.has(id))
    if (both !== undefined)
      return `makes one key sign and approve: ${both}; whoever has it would need nobody else`
    if (Approvers) {
      this.#approvers = Approvers
      this.#since = Seq
    }
    return null
  }
}

const APPROVED =
  /^(.*,"Signature":"[\w-]+\.\.[\w-]+"),"Approval":(\{.*\}),"Countersignature":"([\w-]+\.\.[\w-]+)"\}$/

/** A line as it was proposed, with its approval. `problem` says what is wrong with the countersignature. */
interface ApprovedLine {
  readonly proposed: string
  readonly approval: Approval | null
  readonly problem?: string
}

/** The part of a line that was proposed: the whole line if nobody approved it. */
export const proposedPart = (line: string): string => {
  const signed = APPROVED.exec(line)?.[1]
  return signed === undefined ? line : `${signed}}`
}

/** Splits a line and checks its countersignature, which covers the proposed line with its signature, and the approval. */
export async function approvedLine(line: string): Promise<ApprovedLine> {
  const [, signed, text, countersignature] = APPROVED.exec(line) ?? []
  if (signed === undefined || text === undefined) return { proposed: line, approval: null }
  const proposed = `${signed}}`
  const approval = approvalFrom(text)
  if (approval === null) return { proposed, approval, problem: 'does not say who approved it' }
  const bytes = Buffer.from(`${signed},"Approval":${text}}`, 'utf8')
  const { keyId, problem } = await checkSignature(bytes, `${countersignature}\n`)
  if (problem !== undefined)
    return { proposed, approval, problem: 'was changed: its countersignature is over another text' }
  if (keyId !== approval.KeyId)
    return {
      proposed,
      approval,
      problem: `is countersigned with key ${keyId}, although it names ${approval.KeyId}`,
    }
  return { proposed, approval }
}

function approvalFrom(text: string): Approval | null {
  try {
    const found = parseJson(text) as Partial<Approval>
    const { At, By, Name, KeyId, ...others } = found
    const areTexts = [At, By, Name, KeyId].every((each) => typeof each === 'string')
    const isSound = areTexts && Object.keys(others).length === 0 && !Number.isNaN(Date.parse(At ?? ''))
    return isSound ? (found as Approval) : null
  } catch {
    return null
  }
}

/** The proposed line with approval and countersignature, as the log holds it. */
export async function countersigned(
  proposed: string,
  approval: Approval,
  sign: (bytes: Uint8Array) => Promise<string>,
): Promise<string> {
  const text = `${proposed.slice(0, -1)},"Approval":${JSON.stringify(approval)}}`
  const signature = (await sign(Buffer.from(text, 'utf8'))).trimEnd()
  return `${text.slice(0, -1)},"Countersignature":"${signature}"}`
}

/** Whether a value is a list of approvers, each once. An empty list ends the requirement of approval. */
export const areApprovers = (value: unknown): value is readonly Approver[] =>
  Array.isArray(value) &&
  value.every(
    (each) => typeof each?.Name === 'string' && isPublicKey(each?.Key) && Object.keys(each).length === 2,
  ) &&
  new Set(value.map(({ Key }) => canonicalKey(Key))).size === value.length

/** Whether two lists hold the same approvers, in any order. */
export const areSame = (a: readonly Approver[], b: readonly Approver[]): boolean => {
  const text = (list: readonly Approver[]) =>
    list.map(({ Name, Key }) => `${canonicalKey(Key)} ${Name}`).sort()
  return JSON.stringify(text(a)) === JSON.stringify(text(b))
}
