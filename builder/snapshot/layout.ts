/**
 * Where everything lies inside a snapshot. The only place that spells paths. First file of the room that owns
 * published files: manifest, publication, log, signatures, verified reading, pruning. Must not know accounting.
 */
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import type { MetricScope, StatementScope } from '../contract/document.ts'
import type { Basis, StatementName } from '../contract/vocabulary.ts'

export const POINTER = 'current.json'
export const MANIFEST = 'manifest.json'
/** Beside the manifest, since it cannot be a part of what it signs. */
export const SIGNATURE = `${MANIFEST}.sig`
/** The line of the log by which it was approved, with both signatures; only where approval was required. */
export const APPROVAL = `${MANIFEST}.approval`
/** A manifest and what vouches for it: the files of a snapshot that its manifest does not list. */
export const MANIFEST_FILES: readonly string[] = [MANIFEST, SIGNATURE, APPROVAL]
export const INFO = 'info.json'
export const TIE_OUTS = 'tie-outs.json'
export const BOOKS = 'books'
/** Which figures of closed months a snapshot states differently from the one before it; only where it does. */
export const RESTATEMENT = 'restatement.json'
/** Kept sources, beside a company's snapshots: each once, under its hash, for all snapshots whose manifests name it. */
export const INPUTS = 'inputs'

export const LOCK = '.lock'
/** What was done to a company's snapshots, by whom and why: one line each, beside the snapshots. */
export const LOG = 'log.jsonl'
/** Time stamps of manifests, each under the SHA-256 of its manifest: beside the log, since they come after the publication. */
export const STAMPS = 'stamps'
/** What stays of a pruned snapshot, below its id: manifest, signature and approval. */
export const PRUNED = 'pruned'
/** Only in an evidence bag: manifest and signature of each snapshot that is of another time, below its id. */
export const LEFT_OUT = 'left-out'
/** What waits for approval, each below its hash: a proposal, and of a build or an archive the snapshot that it would publish. */
export const CANDIDATES = 'candidates'
export const PROPOSAL = 'proposal.json'

/** Pages for people, made of the documents: another layout of them makes no other snapshot. */
export const REPORT = 'report'
export const reportPath = (page: string): string => `${REPORT}/${page}`
export const isReport = (path: string): boolean => path.startsWith(`${REPORT}/`)

/** What the content hash is over, and what follows from the books: neither they, nor what was before them, nor the pages. */
export const isDocument = (path: string): boolean =>
  path !== RESTATEMENT && !path.startsWith(`${BOOKS}/`) && !isReport(path)

/** The five reference lists, by the name of their route. */
export const LISTS = ['chart-of-accounts', 'budgets', 'classes', 'departments', 'non-financial-list'] as const
export type ListName = (typeof LISTS)[number]

const STATEMENT_FOLDER: Record<StatementName, string> = {
  ProfitAndLoss: 'profit-loss',
  BalanceSheet: 'balance-sheet',
  CashFlow: 'cash-flow',
}

/** What states figures and the names of what they are of, but no posting: the company, lists, statements, metrics, tie-outs. */
export const isOfFigures = (path: string): boolean =>
  path === INFO ||
  path === TIE_OUTS ||
  LISTS.some((list) => path === listPath(list)) ||
  /^(?:pages|statements|metrics)\//.test(path)

export const listPath = (list: ListName): string => `${list}.json`
export const pagePath = (list: ListName, offset: number): string => `pages/${list}/${offset}.json`
export const bookPath = (name: string): string => `${BOOKS}/${name}`

const basisFolder = (basis: Basis): string => basis.toLowerCase()

const scopePath = (scope: MetricScope): string =>
  `${segment(scope.budgetId, 'actuals')}/${segment(scope.classId, 'all')}/${segment(scope.departmentId, 'all')}.json`

export const statementPath = (scope: StatementScope): string =>
  `statements/${STATEMENT_FOLDER[scope.statement]}/${basisFolder(scope.basis)}/${scopePath(scope)}`

export const metricsPath = (scope: MetricScope): string => `metrics/${scopePath(scope)}`

/** Whether a statement or metric document is of the whole company: of all classes and departments. */
export const isUnfiltered = (path: string): boolean => path.endsWith('/all/all.json')

const LONGEST_SEGMENT = 120

/**
 * An id as a lower-case path segment that no file system folds or refuses: everything outside `[a-z0-9_-]` becomes
 * `%xx` per UTF-8 byte, capitals too; over 120 bytes `~` and its SHA-256. Sources may not use the reserved names.
 */
export function segment(id: string | null, reserved: 'actuals' | 'all'): string {
  if (id === null) return reserved
  const safe = [...Buffer.from(id, 'utf8')]
    .map((byte) =>
      /[a-z0-9_-]/.test(String.fromCharCode(byte))
        ? String.fromCharCode(byte)
        : `%${byte.toString(16).padStart(2, '0')}`,
    )
    .join('')
  return safe.length <= LONGEST_SEGMENT ? safe : `~${createHash('sha256').update(id, 'utf8').digest('hex')}`
}

/** `2026-10-r1-3f9c2a`: last covered month, revision, first 6 hex digits of the content hash. */
export const snapshotId = (month: string, revision: number, contentHash: string): string =>
  `${month}-r${revision}-${contentHash.slice(0, 6)}`

const SNAPSHOT_ID = /^(\d{4}-\d{2})-r(\d+)-([0-9a-f]{6})$/
export function parseSnapshotId(id: string): { month: string; revision: number; hash: string } | null {
  const match = SNAPSHOT_ID.exec(id)
  return match ? { month: match[1]!, revision: Number(match[2]), hash: match[3]! } : null
}

export const companyFolder = (root: string, company: string): string => join(root, company)
export const pointerPath = (root: string, company: string): string => join(root, company, POINTER)
export const snapshotFolder = (root: string, company: string, id: string): string => join(root, company, id)
/** A stage lies beside its target, on the same file system; a name that no snapshot id can have. */
export const stageFolder = (root: string, company: string, token: string): string =>
  join(root, company, `.stage-${token}`)
export const inputsFolder = (root: string, company: string): string => join(root, company, INPUTS)
/** A kept source; `folder` holds a company's snapshots, in a workspace or in a copy. Only for hashes that {@link isHash}. */
export const inputPath = (folder: string, hash: string): string => join(folder, INPUTS, hash)
export const stampPath = (folder: string, hash: string): string => join(folder, STAMPS, `${hash}.tsr`)
/** Of which manifest a file in that folder is the stamp, by its name; null where it is none. */
export const stampedHash = (name: string): string | null => /^([0-9a-f]{64})\.tsr$/.exec(name)?.[1] ?? null
export const isHash = (text: string): boolean => /^[0-9a-f]{64}$/.test(text)
/** Beside the stage, and swept with it: what is kept goes to its place before the snapshot does. */
export const inputsStage = (stage: string): string => `${stage}-inputs`
export const candidateFolder = (folder: string, hash: string): string => join(folder, CANDIDATES, hash)
export const prunedFolder = (folder: string, id: string): string => join(folder, PRUNED, id)
/** Where a snapshot that is pruned lies until all of it is removed: no snapshot any more, and swept like a stage. */
export const doomedFolder = (folder: string, id: string): string => join(folder, `.stage-pruned-${id}`)
export const lockPath = (root: string, company: string): string => join(root, company, LOCK)
