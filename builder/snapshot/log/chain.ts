/**
 * Checks the chain of a company's snapshots: the pointer names the current manifest by its hash, and each manifest names the
 * one before it. Whoever changes a manifest would have to change all later ones and the pointer.
 */

import { lstatSync, type Stats } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { namesIn } from '../../system/durable.ts'
import { isTooLarge } from '../../system/plain-file.ts'
import { type Damage, ofCompany } from '../files/damage.ts'
import { type CheckedSnapshot, checkSnapshot, withoutAdopted } from '../files/files.ts'
import { checkInputs } from '../files/inputs.ts'
import {
  CANDIDATES,
  INPUTS,
  LEFT_OUT_FOLDER,
  LOCK,
  LOG,
  MANIFEST,
  POINTER,
  PRUNED,
  parseSnapshotId,
  STAMPS,
} from '../files/layout.ts'
import { type Pointer, parsePointer } from '../files/manifest.ts'
import { Hashes } from '../files/measure.ts'
import type { KnownKeys } from '../keys/sign.ts'
import { type Candidate, candidatesIn } from './candidates.ts'
import { type CheckedLog, checkLog } from './check-log.ts'
import { readIfThere } from './check-stamps.ts'
import { type History, historyOf, isAfter, isSamePointer, standingOf } from './history.ts'
import { type Log, parseLog } from './log.ts'
import type { LogRecord } from './log-record.ts'
export interface CheckedCompany {
  /** The company that the manifests name, or else the name of the folder. */
  readonly company: string
  readonly folder: string
  /** The snapshot that the pointer names. */
  readonly current: string | null
  /** The log up to its first damaged line. */
  readonly log: Log
  /** Oldest first. */
  readonly snapshots: readonly CheckedSnapshot[]
  /** Damages of the log, the pointer, the chain and the kept sources; those of a snapshot are in `snapshots`. */
  readonly damages: readonly Damage[]
  /** Facts that are not damage but should be known. */
  readonly notes: readonly string[]
}

/** Checks all snapshots of a company. Beside commands that change it, call it with `steadily`. */
export async function checkCompany(
  folder: string,
  name: string,
  /** False where the folder is a copy, which may have any name. */
  nameCounts: boolean,
  known: KnownKeys,
  /**
   * Whether the folder is or becomes the payload of an evidence bag: that holds only the manifests of snapshots outside its period, and
   * no publication that was interrupted.
   */
  isExtract = false,
): Promise<CheckedCompany> {
  const text = await readIfThere(join(folder, POINTER))
  const pointer = text && parsePointer(text.toString())
  const log = await parseLog((await readIfThere(join(folder, LOG)))?.toString() ?? '', known)
  const names = await readdir(folder)
  const { adopted } = historyOf(log.records)
  const snapshots: CheckedSnapshot[] = []
  const hashes = new Hashes()
  for (const id of names.filter((each) => parseSnapshotId(each)).sort(inOrder)) {
    const checked = await checkSnapshot(join(folder, id), log.keys.known, hashes)
    snapshots.push(placed(withoutAdopted(checked, adopted), id))
  }
  const named = snapshots.find(({ id }) => id === pointer?.SnapshotId) ?? snapshots.at(-1)
  const company = nameCounts ? name : (named?.manifest?.CompanyId ?? name)
  const isLocked = names.includes(LOCK)
  const leftOut = isExtract ? namesIn(join(folder, LEFT_OUT_FOLDER)).filter((id) => parseSnapshotId(id)) : []
  const logged = await checkLog(folder, log, snapshots, leftOut)
  const chain = new Chain(snapshots, logged, isExtract)
  const damages: Damage[] = [
    ...strangeAmong(folder, names),
    ...snapshots.flatMap((snapshot) => foreign(snapshot, company)),
  ]
  if (pointer === null && (text !== null || !names.includes(POINTER)))
    damages.push(
      text === null
        ? ofCompany(
            'pointer-missing',
            POINTER,
            `${POINTER} is missing: nothing says which snapshot is current`,
          )
        : ofCompany('pointer-unreadable', POINTER, `${POINTER} is not readable any more`),
    )
  chain.followLog()
  if (pointer) chain.followPointer(pointer, isLocked)
  chain.followOthers(pointer?.SnapshotId ?? null)
  const inputs = await checkInputs(folder, snapshots)
  return {
    company,
    folder,
    current: pointer?.SnapshotId ?? null,
    log,
    snapshots,
    damages: [...logged.damages, ...damages, ...chain.damages, ...inputs.damages],
    notes: [
      ...logged.notes,
      ...chain.notes,
      ...inputs.notes,
      ...keyNotes(snapshots, known, log.keys.met.keys()),
      ...(await candidatesIn(folder)).map(candidateNote),
      ...litter(isExtract ? names.filter((name) => name !== LEFT_OUT_FOLDER) : names),
    ],
  }
}

const inOrder = (a: string, b: string): number => (isAfter(a, b) ? 1 : isAfter(b, a) ? -1 : 0)

/** Adds a damage if the manifest is that of another snapshot than the folder's name says. */
function placed(snapshot: CheckedSnapshot, folder: string): CheckedSnapshot {
  if (!snapshot.manifest || snapshot.id === folder) return { ...snapshot, id: folder }
  const message = `${MANIFEST} in folder ${folder} is that of snapshot ${snapshot.id}`
  const misplaced: Damage = { kind: 'manifest-misplaced', snapshotId: folder, path: MANIFEST, message }
  const others = snapshot.damages.map((damage) => ({ ...damage, snapshotId: folder }))
  return { ...snapshot, id: folder, damages: [misplaced, ...others] }
}

const foreign = ({ id, manifest }: CheckedSnapshot, company: string): Damage[] =>
  !manifest || manifest.CompanyId === company
    ? []
    : [
        {
          kind: 'manifest-misplaced',
          snapshotId: id,
          path: MANIFEST,
          message: `${MANIFEST} of ${id} is one of company ${manifest.CompanyId}, not of ${company}`,
        },
      ]

/** Notes on snapshots without a signature, and on the signing keys, those of the log too, if no known keys were given. */
export function keyNotes(
  snapshots: readonly CheckedSnapshot[],
  known: KnownKeys,
  ofLog: Iterable<string> = [],
): string[] {
  const keys = [...new Set([...snapshots.flatMap(({ keyId }) => keyId ?? []), ...ofLog])]
  const unsigned = snapshots.filter(({ manifest }) => manifest && manifest.Build?.KeyId === undefined)
  return [
    ...unsigned.map(({ id }) => `${id} was published without a signature`),
    ...(known || keys.length === 0
      ? []
      : [
          `signed with ${keys.length === 1 ? 'key' : 'keys'} ${keys.join(', ')}: ask the publisher whether that is theirs`,
        ]),
  ]
}

const candidateNote = ({ hash, record, isStale }: Candidate): string =>
  `${CANDIDATES}/${hash}: ${record.Event} of ${record.SnapshotId}, proposed at ${record.At} by ${record.By}, ${isStale ? 'is stale; the next change removes it' : 'waits for approval'}; it is not published`

const differs = ({ SnapshotId }: Pointer, { SnapshotId: logged, Event, At, By }: LogRecord): string => {
  const cause =
    Event === 'use'
      ? 'it was changed by hand, or "tieout use" was interrupted (then run it again)'
      : 'it was rolled back by hand'
  return `${POINTER} names ${SnapshotId}, although ${LOG} says that ${logged} is current (${Event}, ${At}, ${By}): ${cause}`
}

/** Follows the chain of manifests from the log, from the pointer and from the remaining snapshots, and collects what is wrong. */
class Chain {
  readonly damages: Damage[] = []
  readonly notes: string[] = []
  readonly #snapshots: readonly CheckedSnapshot[]
  readonly #history: History
  readonly #unapproved: ReadonlySet<string>
  readonly #isExtract: boolean
  /** All snapshots by id, also those that have only their manifest here. */
  readonly #byId: ReadonlyMap<string, CheckedSnapshot>
  readonly #reached = new Set<string>()
  readonly #missed = new Set<string>()
  readonly #exchanged = new Set<string>()

  constructor(
    snapshots: readonly CheckedSnapshot[],
    { history, absent, unapproved }: CheckedLog,
    isExtract: boolean,
  ) {
    this.#unapproved = unapproved
    this.#isExtract = isExtract
    this.#snapshots = snapshots
    this.#history = history
    this.#byId = new Map([...absent, ...snapshots].map((snapshot) => [snapshot.id, snapshot]))
  }

  /** Checks the snapshots that the log says were published, and follows the chain from the last one back to the first. */
  followLog(): void {
    const { head, published } = this.#history
    if (head) this.#follow(head, LOG)
    for (const record of published.values()) {
      const snapshot = this.#byId.get(record.SnapshotId)
      if (snapshot) this.#hold(snapshot, record, LOG)
      else this.#missing(record.SnapshotId, LOG)
    }
  }

  /** Checks the pointer against the log. `isLocked` says that a change is under way or was interrupted. */
  followPointer(pointer: Pointer, isLocked: boolean): void {
    this.#follow(pointer, POINTER)
    const { current, head } = this.#history
    const previousOf = ({ SnapshotId }: Pointer) => this.#byId.get(SnapshotId)?.manifest?.Previous
    const standing = standingOf(this.#history, pointer, previousOf)
    if (current !== null && standing === 'unmoved' && isLocked)
      this.notes.push(
        `${current.SnapshotId} was taken into use at ${current.At} by ${current.By}, but ${POINTER} names ${pointer.SnapshotId} still: "tieout use" runs now, or was interrupted; then run it again, or the next change finishes it`,
      )
    else if (
      current !== null &&
      (standing === 'differs' || standing === 'unmoved') &&
      this.#byId.has(pointer.SnapshotId)
    )
      this.damages.push(ofCompany('rolled-back', POINTER, differs(pointer, current)))
    else if (standing === 'unlogged' && this.#unapproved.has(pointer.SnapshotId))
      this.damages.push(ofCompany('unapproved', POINTER, this.#notApproved(pointer.SnapshotId)))
    else if (standing === 'unlogged')
      this.#unfinished(
        pointer.SnapshotId,
        `${pointer.SnapshotId} is current and not in ${LOG}: its publication runs now, or was interrupted in its last step (then the next build enters it), or its line was cut off`,
      )
    else if (current && !isSamePointer(current, head))
      this.notes.push(
        `${current.SnapshotId} is in use since ${current.At} by ${current.By}, although ${head?.SnapshotId} is newer${current.Reason === null ? '' : `: ${current.Reason}`}`,
      )
  }

  /** A snapshot that the log does not name yet. Evidence is made of what was published, so that there its line was cut off. */
  #unfinished(id: string, note: string): void {
    if (!this.#isExtract) this.notes.push(note)
    else
      this.damages.push({
        kind: 'log-cut',
        snapshotId: id,
        path: LOG,
        message: `${LOG} has no line that publishes ${id}: it was cut off, or the publication was interrupted, which the next build finishes`,
      })
  }

  #notApproved(id: string): string {
    return `${id} is not in ${LOG}, and nobody approved it, although ${LOG} requires an approval by ${this.#history.approvers.map(({ Name }) => Name).join(' or ')}`
  }

  /** Checks the snapshots that the pointer does not lead to: those after the current one, and those outside the chain. */
  followOthers(current: string | null): void {
    const previous = new Set(this.#snapshots.map(({ manifest }) => manifest?.Previous?.SnapshotId))
    const heads = this.#snapshots.filter(({ id }) => !this.#reached.has(id) && !previous.has(id))
    for (const head of heads) {
      const line = this.#lineOf(head)
      const { head: last } = this.#history
      const follows = last && isSamePointer(head.manifest?.Previous ?? null, last)
      if (follows && this.#unapproved.has(head.id))
        this.damages.push(ofCompany('unapproved', head.id, this.#notApproved(head.id)))
      else if (follows)
        this.#unfinished(
          head.id,
          `${head.id} follows ${last.SnapshotId} and is not in ${LOG}: its publication was interrupted in its last steps, and the next build finishes it; or its line was cut off`,
        )
      else if (current !== null && line.includes(current))
        this.damages.push(
          ofCompany(
            'rolled-back',
            POINTER,
            `${POINTER} names ${current}, although ${head.id} follows it: it was rolled back, or a publication was interrupted in its last step (then the next build finishes it)`,
          ),
        )
      else if (current !== null && !this.#history.published.has(head.id))
        this.notes.push(
          `${head.id} does not lead to the current snapshot: nothing but its own ${MANIFEST} vouches for it`,
        )
      this.#reached.add(head.id)
      if (head.manifest?.Previous) this.#follow(head.manifest.Previous, head.id)
    }
  }

  /** Follows the chain from a stated manifest hash back to the first snapshot. `statedBy` says where the hash is stated. */
  #follow(first: Pointer, statedBy: string): void {
    let link: Pointer | null = first
    let by = statedBy
    while (link) {
      const snapshot = this.#byId.get(link.SnapshotId)
      if (!snapshot) {
        this.#missing(link.SnapshotId, by)
        return
      }
      const known = this.#reached.has(snapshot.id)
      this.#reached.add(snapshot.id)
      this.#hold(snapshot, link, by)
      // This also ends a circle, which only a forger could make.
      if (known) return
      by = snapshot.id
      link = snapshot.manifest?.Previous ?? null
    }
  }

  /** Compares a manifest with the hash that is stated for it. Reports each exchanged manifest once. */
  #hold({ id, manifestHash }: CheckedSnapshot, { ManifestSha256 }: Pointer, by: string): void {
    if (manifestHash === null || manifestHash === ManifestSha256 || this.#exchanged.has(id)) return
    this.#exchanged.add(id)
    this.damages.push({
      kind: 'manifest-exchanged',
      snapshotId: id,
      path: MANIFEST,
      message: `${MANIFEST} of ${id} is not the one that was published: ${by} names SHA-256 ${ManifestSha256}, it has ${manifestHash}`,
    })
  }

  #missing(id: string, by: string): void {
    // The log has a note of its own about a pruned snapshot.
    if (this.#missed.has(id) || this.#history.pruned.has(id)) return
    this.#missed.add(id)
    const parsed = parseSnapshotId(id)
    const older = parsed && this.#snapshots.find((snapshot) => inOrder(snapshot.id, id) < 0)
    if (this.#history.published.has(id))
      this.damages.push(
        ofCompany(
          'snapshot-missing',
          id,
          `snapshot ${id} is missing: ${LOG} says that it was published, and nothing that it was pruned`,
        ),
      )
    else if (parsed && this.#history.published.get(by)?.Event === 'restore')
      this.notes.push(
        `${id}, which ${by} follows, is not here: ${LOG} says that ${by} was restored from an archive, and not that ${id} ever was here; restore it too where there is an archive of it`,
      )
    else if (by === POINTER || !parsed || older)
      this.damages.push(ofCompany('snapshot-missing', id, `snapshot ${id}, which ${by} names, is missing`))
    else this.notes.push(`the snapshots before ${by} are not here; the one before it is ${id}`)
  }

  #lineOf(head: CheckedSnapshot): string[] {
    const line: string[] = []
    let at: CheckedSnapshot | undefined = head
    while (at && !line.includes(at.id)) {
      line.push(at.id)
      const before: string | undefined = at.manifest?.Previous?.SnapshotId
      at = before === undefined ? undefined : this.#byId.get(before)
    }
    return line
  }
}

const FOLDERS = [INPUTS, PRUNED, CANDIDATES, STAMPS]

/** Damages for links and other things that are not files. The target of a link may change after this check. */
const strangeAmong = (folder: string, names: readonly string[]): Damage[] =>
  [
    ...names,
    ...[PRUNED, CANDIDATES].flatMap((below) =>
      namesIn(join(folder, below)).map((name) => `${below}/${name}`),
    ),
  ]
    .filter((name) => lstatSync(join(folder, name), { throwIfNoEntry: false })?.isSymbolicLink())
    .map((name) => ofCompany('no-file', name, `${name} is a link, not what was published there`))
    .concat(
      strangeOf(folder, names, [POINTER, LOG], (found) => found.isFile() && !isTooLarge(found)).map((name) =>
        ofCompany('no-file', name, `${name} is no file, but a folder, a pipe or a device, or far too large`),
      ),
      strangeOf(folder, names, FOLDERS, (found) => found.isDirectory()).map((name) =>
        ofCompany('no-file', name, `${name} is not the folder that has this name in every company`),
      ),
    )

/** The `known` names that are taken by something else, but for links, which are reported as such. */
const strangeOf = (
  folder: string,
  names: readonly string[],
  known: readonly string[],
  isIt: (found: Stats) => boolean,
): string[] =>
  known.filter((name) => {
    const found = names.includes(name) && lstatSync(join(folder, name), { throwIfNoEntry: false })
    return found && !found.isSymbolicLink() && !isIt(found)
  })

/** Notes on what a running or interrupted build left among the snapshots, and on what somebody else put there. */
const litter = (names: readonly string[]): string[] =>
  names
    .filter((name) => ![POINTER, LOG, ...FOLDERS].includes(name) && !parseSnapshotId(name))
    .map((name) =>
      /^\.(stage-|lock$)|\.next$/.test(name)
        ? `${name} is of a build that runs now or was interrupted; the next build removes it`
        : `${name} is not a snapshot; it was not looked at`,
    )
