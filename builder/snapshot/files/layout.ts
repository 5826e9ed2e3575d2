/**
 * Defines the paths of all published files; no other file spells them. Owns, as the first file of its room, what is
 * published: manifest, publication, log, signatures, verified reading and pruning. Must not know accounting.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { MetricScope, StatementScope } from '../../contract/document.ts'
import type { Basis, StatementName } from '../../contract/vocabulary.ts'

export const POINTER = 'current.json'
export const MANIFEST = 'manifest.json'
/** The signature lies beside the manifest, because it cannot be part of what it signs. */
export const SIGNATURE = `${MANIFEST}.sig`
/** The approved line of the log with both signatures; only where approval was required. */
export const APPROVAL = `${MANIFEST}.approval`
/** The manifest and the files that vouch for it. The manifest does not list them. */
export const MANIFEST_FILES: readonly string[] = [MANIFEST, SIGNATURE, APPROVAL]
export const INFO = 'info.json'
export const TIE_OUTS = 'tie-outs.json'
export const BOOKS = 'books'
/** The figures of closed months that a snapshot restates; only where there are any. */
export const RESTATEMENT = 'restatement.json'
/** The folder of kept sources beside a company's snapshots. Each lies there once, under its hash. */
export const INPUTS = 'inputs'

export const LOCK = '.lock'
/** The publication log: what was done to a company's snapshots, by whom and why. */
export const LOG = 'log.jsonl'
/** The folder of time stamps, each under the SHA-256 of its manifest. It lies outside the snapshots, because stamps come after the publication. */
export const STAMPS = 'stamps'
/** The folder of what remains of pruned snapshots: manifest, signature and approval, below the snapshot's id. */
export const PRUNED = 'pruned'
/** Only in an evidence bag: the folder with manifest and signature of each snapshot outside its period, below the snapshot's id. */
export const LEFT_OUT_FOLDER = 'left-out'
/** Only in the archive of a group: the folder of the members' snapshots that it was made from, `members/<CompanyId>/<SnapshotId>`. */
export const MEMBERS = 'members'
/** The folder of candidates that await approval, each below its hash: the proposal, and the snapshot that it would publish. */
export const CANDIDATES = 'candidates'
export const PROPOSAL = 'proposal.json'

/** The folder of pages for people, made from the documents. A new layout of the pages alone makes no new snapshot. */
export const REPORT = 'report'
export const reportPath = (page: string): string => `${REPORT}/${page}`
export const isReport = (path: string): boolean => path.startsWith(`${REPORT}/`)

/** Whether the content hash covers a file: all documents, but not the books, the restatement and the pages. */
export const isDocument = (path: string): boolean =>
  path !== RESTATEMENT && !path.startsWith(`${BOOKS}/`) && !isReport(path)

/** The five reference lists, by the names of their routes. */
export const LISTS = ['chart-of-accounts', 'budgets', 'classes', 'departments', 'non-financial-list'] as const
export type ListName = (typeof LISTS)[number]

const STATEMENT_FOLDER: Record<StatementName, string> = {
  ProfitAndLoss: 'profit-loss',
  BalanceSheet: 'balance-sheet',
  CashFlow: 'cash-flow',
}

/** Whether a file states figures or names, but no postings: the company, lists, statements, metrics, tie-outs. */
export const isOfFigures = (path: string): boolean =>
  path === INFO ||
  path === TIE_OUTS ||
  LISTS.some((list) => path === listPath(list)) ||
  /^(?:pages|statements|divided-months|metrics)\//.test(path)

export const listPath = (list: ListName): string => `${list}.json`
export const pagePath = (list: ListName, offset: number): string => `pages/${list}/${offset}.json`
export const bookPath = (name: string): string => `${BOOKS}/${name}`

const basisFolder = (basis: Basis): string => basis.toLowerCase()

const scopePath = (scope: MetricScope): string =>
  `${segment(scope.budgetId, 'actuals')}/${segment(scope.classId, 'all')}/${segment(scope.departmentId, 'all')}.json`

export const statementPath = (scope: StatementScope): string =>
  `statements/${STATEMENT_FOLDER[scope.statement]}/${basisFolder(scope.basis)}/${scopePath(scope)}`

/** The statement of the parts of months that a fiscal year divides; only where there are such months. */
export const dividedPath = (scope: StatementScope): string =>
  statementPath(scope).replace('statements', DIVIDED)
const DIVIDED = 'divided-months'

export const metricsPath = (scope: MetricScope): string => `metrics/${scopePath(scope)}`

/** Whether a statement or metric document covers the whole company: all classes and departments. */
export const isUnfiltered = (path: string): boolean => path.endsWith('/all/all.json')

/** In bytes; file systems allow names of up to 255. */
const LONGEST_SEGMENT = 120

/**
 * Turns an id into a lower-case path segment that every file system accepts and keeps distinct. Each UTF-8 byte outside
 * `[a-z0-9_-]`, capitals included, becomes `%xx`; a segment over 120 bytes becomes `~` and the SHA-256 of the id. Null
 * becomes the reserved name, which sources may not use as an id.
 */
export function segment(id: string | null, reserved: 'actuals' | 'all'): string {
  if (id === null) return reserved
  const bytes = Buffer.from(id, 'utf8').toString('latin1')
  const safe = bytes.replace(/[^a-z0-9_-]/g, (byte) => `%${byte.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return safe.length <= LONGEST_SEGMENT ? safe : `~${createHash('sha256').update(id, 'utf8').digest('hex')}`
}

/** `2026-10-r1-3f9c2a`: last covered month, revision, first 6 hex digits of the content hash. */
export const snapshotId = (month: string, revision: number, contentHash: string): string =>
  `${month}-r${revision}-${contentHash.slice(0, 6)}`

const SNAPSHOT_ID = /^(\d{4}-\d{2})-r(\d+)-([0-9a-f]{6})$/
/** The parts of a snapshot id; null if the text is not one. */
export function parseSnapshotId(id: string): { month: string; revision: number; hash: string } | null {
  const [, month, revision, hash] = SNAPSHOT_ID.exec(id) ?? []
  return month && revision && hash ? { month, revision: Number(revision), hash } : null
}

export const companyFolder = (root: string, company: string): string => join(root, company)
export const pointerPath = (root: string, company: string): string => join(root, company, POINTER)
export const snapshotFolder = (root: string, company: string, id: string): string => join(root, company, id)
/** A stage lies beside its target, on the same file system. Its name cannot be a snapshot id. */
export const stageFolder = (root: string, company: string, token: string): string =>
  join(root, company, `.stage-${token}`)
export const inputsFolder = (root: string, company: string): string => join(root, company, INPUTS)
/** The path of a kept source. `folder` holds a company's snapshots, in a workspace or a copy. The hash must satisfy {@link isHash}. */
export const inputPath = (folder: string, hash: string): string => join(folder, INPUTS, hash)
export const stampPath = (folder: string, hash: string): string => join(folder, STAMPS, `${hash}.tsr`)
/** The hash of the manifest for which a file in the stamps folder is, by its name; null if the name is not that of a stamp. */
export const stampedHash = (name: string): string | null => /^([0-9a-f]{64})\.tsr$/.exec(name)?.[1] ?? null
export const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
/** The sources to keep lie beside the stage and are removed with it, because they are put in place before the snapshot. */
export const inputsStage = (stage: string): string => `${stage}-inputs`
export const candidateFolder = (folder: string, hash: string): string => join(folder, CANDIDATES, hash)
export const prunedFolder = (folder: string, id: string): string => join(folder, PRUNED, id)
/** The folder of a pruned snapshot until all its files are removed. Its name is that of a stage, so an interrupted removal is finished. */
export const doomedFolder = (folder: string, id: string): string => join(folder, `.stage-pruned-${id}`)
export const lockPath = (root: string, company: string): string => join(root, company, LOCK)
