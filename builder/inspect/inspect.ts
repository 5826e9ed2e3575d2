/**
 * Shared by the commands for auditors: opens a published snapshot, verifies it, and resolves names to ids; an
 * unknown name is a finding that lists the available ones. First file of the room that owns the audit trail from a
 * figure to its source rows and the differences between snapshots. Must not read anything but a verified snapshot.
 */

import { join } from 'node:path'
import { type Frame, firstBasis } from '../books/reference/frame.ts'
import { parseFrame } from '../books/reference/frame-schema.ts'
import { wordOf } from '../books/reference/presentation.ts'
import type { Tree } from '../books/reference/tree.ts'
import { unreadableTable } from '../books/store/shape.ts'
import { BOOK_FILES } from '../books/store/store.ts'
import { lastDay, monthOf } from '../contract/calendar.ts'
import type { DateRange } from '../contract/document.ts'
import { present } from '../contract/present.ts'
import { type Basis, UNASSIGNED } from '../contract/vocabulary.ts'
import { SnapshotDamagedError } from '../snapshot/files/damage.ts'
import { BOOKS, bookPath, parseSnapshotId } from '../snapshot/files/layout.ts'
import type { Pointer } from '../snapshot/files/manifest.ts'
import {
  listCompanyIds,
  listSnapshotIds,
  openSnapshot,
  readPointer,
  type Snapshot,
} from '../snapshot/files/open.ts'
import { readHistory } from '../snapshot/log/history.ts'
import { editDistance } from '../system/spelling.ts'
import { error, type Finding } from '../workspace/findings/finding.ts'
import type { FindingCode } from '../workspace/findings/finding-codes.ts'

/** A value, or the findings that explain why there is none. */
export type Resolved<T> =
  | { readonly value: T; readonly findings?: never }
  | { readonly value?: never; readonly findings: Finding[] }

export const unknown = (code: FindingCode, message: string, text: string, remedy: string): Finding =>
  error(code, message, { text, remedy })

export const failed = (...findings: Finding[]): Resolved<never> => ({ findings })

/** How many letters of an id or hash are enough to name a snapshot. */
const LEAST_LETTERS = 4

/**
 * The whole id of the snapshot that people name by the beginning of its id (`2026-09`) or of the hash in it (`3f9c2a`).
 * What begins no id is given back as it is: the caller says that there is no such snapshot.
 */
export async function snapshotIdNamed(
  root: string,
  company: string,
  text: string,
): Promise<Resolved<string>> {
  const ids = await listSnapshotIds(root, company)
  if (ids.includes(text) || text.length < LEAST_LETTERS) return { value: text }
  const found = ids.filter((id) => id.startsWith(text) || parseSnapshotId(id)?.hash.startsWith(text))
  if (found.length < 2) return { value: found[0] ?? text }
  return failed(
    unknown(
      'ambiguous-snapshot',
      `"${text}" begins the ids of ${found.length} snapshots of ${company}`,
      text,
      `write more of it: ${oneOf(text, found)}`,
    ),
  )
}

/**
 * Opens the named or the current snapshot of a company, after its manifest was checked against the pointer or
 * against the snapshots that followed. Throws SnapshotDamagedError where they disagree.
 */
export async function publishedSnapshot(
  root: string,
  company: string,
  id: string | null,
): Promise<Resolved<Snapshot>> {
  const companies = await listCompanyIds(root)
  if (!companies.includes(company))
    return failed(
      unknown(
        'unknown-company',
        `nothing is published of company "${company}"`,
        company,
        companies.length === 0 ? 'publish it: tieout build' : oneOf(company, companies),
      ),
    )
  const pointer = present(await readPointer(root, company), `current snapshot of ${company}`)
  if (id === null) return openNamed(root, company, null, pointer)
  const named = await snapshotIdNamed(root, company, id)
  return named.findings ? named : openNamed(root, company, named.value, pointer)
}

async function openNamed(
  root: string,
  company: string,
  id: string | null,
  pointer: Pointer,
): Promise<Resolved<Snapshot>> {
  if (id === null || id === pointer.SnapshotId)
    return { value: await openSnapshot(root, company, pointer.SnapshotId, pointer.ManifestSha256) }
  const ids = await listSnapshotIds(root, company)
  if (!ids.includes(id)) {
    const pruned = (await readHistory(root, company)).pruned.get(id)
    const gone = pruned ? `; it was pruned on ${pruned.At.slice(0, 10)} by ${pruned.By}` : ''
    return failed(
      unknown('unknown-snapshot', `${company} has no snapshot "${id}"${gone}`, id, oneOf(id, ids)),
    )
  }
  return { value: await openSnapshot(root, company, id, await hashInChain(root, company, id, pointer)) }
}

/** The hash of the manifest of `id` as the log or a later snapshot states it; undefined where the chain was cut off. */
async function hashInChain(
  root: string,
  company: string,
  id: string,
  pointer: Pointer,
): Promise<string | undefined> {
  const record = (await readHistory(root, company)).published.get(id)
  if (record) return record.ManifestSha256
  const kept = new Set(await listSnapshotIds(root, company))
  let link: Pointer | null = pointer
  while (link && link.SnapshotId !== id && kept.has(link.SnapshotId))
    link = (await openSnapshot(root, company, link.SnapshotId, link.ManifestSha256)).manifest.Previous
  return link?.SnapshotId === id ? link.ManifestSha256 : undefined
}

/** The frame of a snapshot, after every file of its books was checked against the manifest. Throws SnapshotDamagedError. */
export async function verifiedFrame(snapshot: Snapshot): Promise<Frame> {
  for (const name of BOOK_FILES) await snapshot.check(bookPath(name))
  const text = (await snapshot.read(bookPath('frame.json'))).toString('utf8')
  return parseFrame(text, (problem) => damagedBooks(snapshot, problem))
}

/**
 * As {@link verifiedFrame}, where the tables of the books can be read too, for what queries them: books that were forged with their
 * manifest hold anything. Every row is looked at, which is not needed where only documents are read.
 */
export async function frameOfReadableBooks(snapshot: Snapshot): Promise<Frame> {
  const frame = await verifiedFrame(snapshot)
  const table = await unreadableTable(join(snapshot.folder, BOOKS), frame)
  if (table !== null) throw damagedBooks(snapshot, table)
  return frame
}

const damagedBooks = ({ id, company }: Snapshot, problem: string): SnapshotDamagedError =>
  new SnapshotDamagedError(`books of ${id}: ${problem}; "tieout verify ${company}" says what else is wrong`)

/** The filters of a request as the user stated them; null where the user did not. */
export interface AskedFilters {
  readonly basis: Basis | null
  readonly budgetId: string | null
  readonly classId: string | null
  readonly departmentId: string | null
}

/** The basis asked for; else accrual if there is one, else cash. */
export function basisOf(frame: Frame, { basis, budgetId }: Pick<AskedFilters, 'basis' | 'budgetId'>): Basis {
  if (basis !== null) return basis
  return budgetId !== null || frame.bases.includes('ACCRUAL') ? 'ACCRUAL' : firstBasis(frame)
}

export const noSuchBasis = (company: string, basis: Basis, bases: readonly string[]): Finding =>
  unknown(
    'no-such-basis',
    `the books of ${company} have no ${basis.toLowerCase()} basis`,
    basis,
    `they have ${bases.join(' and ').toLowerCase()}`,
  )

/** The basis asked for, which the books must have; without one, the one that {@link basisOf} gives. */
export const basisIn = (frame: Frame, asked: Basis | null): Resolved<Basis> =>
  asked !== null && !frame.bases.includes(asked)
    ? failed(noSuchBasis(frame.companyId, asked, frame.bases))
    : { value: basisOf(frame, { basis: asked, budgetId: null }) }

export function filterFindings(frame: Frame, filters: AskedFilters): Finding[] {
  const { basis, budgetId, classId, departmentId } = filters
  const findings: Finding[] = []
  if (budgetId === null && basis !== null && !frame.bases.includes(basis))
    findings.push(noSuchBasis(frame.companyId, basis, frame.bases))
  const budgets = frame.budgets.map((budget) => budget.id)
  if (budgetId !== null && !budgets.includes(budgetId))
    findings.push(
      unknown(
        'unknown-budget',
        `${frame.companyId} has no budget "${budgetId}"`,
        budgetId,
        budgets.length === 0 ? 'leave --budget out: there is none' : oneOf(budgetId, budgets),
      ),
    )
  findings.push(...memberFindings(frame, 'class', frame.classes, classId))
  findings.push(...memberFindings(frame, 'department', frame.departments, departmentId))
  return findings
}

function memberFindings(
  frame: Frame,
  kind: 'class' | 'department',
  tree: Tree,
  id: string | null,
): Finding[] {
  const ids = [...tree.members.map((member) => member.id), UNASSIGNED]
  if (id === null || ids.includes(id)) return []
  const named = tree.members.find((member) => member.name.toLowerCase() === id.toLowerCase())
  return [
    unknown(
      `unknown-${kind}`,
      `${frame.companyId} has no ${wordOf(kind, frame.presentation?.words)} "${id}"`,
      id,
      named ? `"${named.name}" has the id ${named.id}` : oneOf(id, ids),
    ),
  ]
}

/**
 * The first and last day of a covered month; a finding where the text is not a month or is not covered. `whose`
 * names the books or the budget in the message.
 */
export function monthIn(coverage: DateRange | null, text: string, whose: string): Resolved<DateRange> {
  const covered =
    coverage && `${whose} cover ${coverage.startDate.slice(0, 7)} to ${coverage.endDate.slice(0, 7)}`
  if (!/^\d{4}-(0[1-9]|1[0-2])$/.test(text))
    return failed(
      unknown('not-a-month', `"${text}" is not a month`, text, `write it like 2025-03; ${covered ?? ''}`),
    )
  const range = { startDate: `${text}-01`, endDate: lastDay(monthOf(text)) }
  if (!coverage || range.endDate < coverage.startDate || range.startDate > coverage.endDate)
    return failed(
      unknown(
        'month-not-covered',
        `${text} is not covered`,
        text,
        covered ?? `${whose} hold no figure at all`,
      ),
    )
  return { value: range }
}

/** The days from the first through the last of the months asked for; null is the first or last day of the books. */
export function daysIn(
  { coverage, companyId }: Frame,
  { from, through }: { readonly from: string | null; readonly through: string | null },
): Resolved<DateRange> {
  const days = (month: string | null): Resolved<DateRange> =>
    month === null ? { value: coverage } : monthIn(coverage, month, `the books of ${companyId}`)
  const [first, last] = [days(from), days(through)]
  if (first.findings || last.findings) return failed(...(first.findings ?? []), ...(last.findings ?? []))
  const range = { startDate: first.value.startDate, endDate: last.value.endDate }
  if (range.startDate <= range.endDate) return { value: range }
  return failed(
    unknown('no-months', `${from} is after ${through}`, from ?? '', 'exchange --from and --through'),
  )
}

const LISTED = 8

/** Lists a few names in full; of many, those spelled most similarly to `asked`. */
export function oneOf(asked: string, names: readonly string[]): string {
  if (names.length <= LISTED) return `available: ${names.join(', ')}`
  return `nearest: ${nearest(asked, names).join(', ')}`
}

export function nearest(asked: string, names: readonly string[]): string[] {
  const wanted = asked.toLowerCase()
  return [...new Set(names)]
    .map((name) => ({ name, far: distance(wanted, name.toLowerCase()) }))
    .sort((a, b) => a.far - b.far)
    .slice(0, LISTED)
    .map(({ name }) => name)
}

/** Names with the same first letter come before others at the same edit distance. */
const distance = (a: string, b: string): number =>
  editDistance(a, b) - (a !== '' && b.startsWith(a.charAt(0)) ? 0.5 : 0)
