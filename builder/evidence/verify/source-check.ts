/**
 * Checks that a snapshot follows from its sources: builds it again from the kept ones and compares everything
 * byte for byte, except for the facts of its publication. Differences are named in the order of the work:
 * control totals, settings, ledger lines, figures.
 */

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type DifferingLine, differingLines } from '../../books/read/line-diff.ts'
import type { Frame } from '../../books/reference/frame.ts'
import { parseFrame } from '../../books/reference/frame-schema.ts'
import { publishedExtras } from '../../books/store/store.ts'
import { bookEntries } from '../../build/manifest-body.ts'
import { later } from '../../contract/calendar.ts'
import type { Damage } from '../../snapshot/files/damage.ts'
import { memberOf, membersNamed, type NamedMember } from '../../snapshot/files/input-state.ts'
import { BOOKS, bookPath, INPUTS, isReport, MANIFEST, RESTATEMENT } from '../../snapshot/files/layout.ts'
import type { InputEntry, Manifest } from '../../snapshot/files/manifest.ts'
import { memberFolder } from '../../snapshot/files/member-snapshots.ts'
import type { Sharing } from '../../system/machine.ts'
import { readFile } from '../../system/plain-file.ts'
import { thisProgram } from '../../system/version.ts'
import { type Finding, spelledOut } from '../../workspace/findings/finding.ts'
import { differenceOf } from './document-difference.ts'
import { Differences, type Maker } from './reading.ts'
import { type Rebuilt, rebuild } from './rebuild.ts'
import type { SoundSnapshot } from './recompute.ts'

export interface SourcesChecked {
  readonly damages: readonly Damage[]
  /**
   * Differences that come from this program reading the sources differently than the one that made the
   * snapshot.
   */
  readonly readings: readonly Damage[]
  /** Why it could not be built again; null where it was. */
  readonly unproven: string | null
  readonly notes: readonly string[]
}

const unproven = (why: string): SourcesChecked => ({ damages: [], readings: [], unproven: why, notes: [] })

/**
 * Rebuilds a snapshot from its kept sources and compares it. `closedThrough` is the day through which the log
 * had closed the books when it was published (null: none); undefined where no log is here.
 */
export async function checkSources(
  snapshot: SoundSnapshot,
  maker: Maker,
  closedThrough: string | null | undefined,
  sharing: Sharing,
): Promise<SourcesChecked> {
  const { id, folder, manifest } = snapshot
  const inputs = dirname(folder)
  const isAbsent = (member: NamedMember) => {
    const place = memberFolder(folder, member)
    return place === null || !existsSync(join(place, MANIFEST))
  }
  const absent = membersNamed(manifest).find(isAbsent)
  if (absent)
    return unproven(
      `${id} is made from what its members have published, and ${absent.company}/${absent.snapshotId} is not here, so it cannot be built again`,
    )
  const own = manifest.Inputs.filter((input) => memberOf(input) === null)
  const object = own.find(({ Sha256 }) => Sha256 === null)
  if (object !== undefined)
    return unproven(
      `${object.File} lies in a bucket, and no copy of it was kept, so ${id} cannot be built again from its sources; the manifest says which state of it was read (ETag)`,
    )
  if (own.length === 0 || own.some(({ Kept }) => Kept !== true))
    return unproven(
      `the sources of ${id} were not kept, so it cannot be built again ("keepInputs: true" in tieout.yaml keeps those of the next ones)`,
    )
  if (!existsSync(join(inputs, INPUTS)))
    return unproven(`the sources of ${id} are not here: ${INPUTS}/ of its company`)
  const stated = lockDateIn(manifest, await frameIn(folder))
  // Books of before such columns are the same without them.
  const had = maker === 'this program' ? null : await publishedExtras(join(folder, BOOKS))
  const made = await rebuild(
    snapshot,
    inputs,
    sharing,
    ({ lockDate = null }) => later(lockDate, closedThrough === undefined ? stated : closedThrough),
    had === null ? undefined : (column) => had.includes(column),
  )
  if ('problem' in made && made.isAbsent)
    return unproven(`${id} cannot be built again from its sources: ${made.problem}`)
  const differences = new Differences(maker)
  const differs = (path: string, message: string) =>
    differences.add({ kind: 'sources', snapshotId: id, path, message })
  if ('problem' in made) differs(INPUTS, `the kept sources of ${id} make no snapshot: ${made.problem}`)
  else
    try {
      for (const [path, message] of await differencesOf(snapshot, made, maker)) differs(path, message)
    } finally {
      await made.dispose()
    }
  const byLog =
    !('problem' in made) && closedThrough === undefined && stated !== (made.company.lockDate ?? null)
  return {
    damages: differences.damages,
    readings: differences.readings,
    unproven: null,
    notes: [
      ...(byLog
        ? [`${id} states that the log had closed its books through ${stated}; no log is here that says so`]
        : []),
      ...('problem' in made || !isReworded(manifest, made, maker)
        ? []
        : [`${id}: its warnings are worded otherwise than ${thisProgram()} words them`]),
    ],
  }
}

const frameIn = async (folder: string): Promise<Frame> =>
  parseFrame(await readFile(join(folder, bookPath('frame.json')), 'utf8'), (problem) => new Error(problem))

const lockDateIn = ({ LockedThrough }: Manifest, { lockedThrough }: Frame): string | null =>
  LockedThrough === undefined ? lockedThrough : LockedThrough

type Found = readonly [path: string, message: string]

async function differencesOf(snapshot: SoundSnapshot, made: Rebuilt, maker: Maker): Promise<Found[]> {
  const { manifest } = snapshot
  return [
    ...inputDifferences(manifest.Inputs, made.body.Inputs),
    ...bodyDifferences(manifest, made, maker),
    ...(await fileDifferences(snapshot, made)),
  ]
}

/** Names of a source's properties in the manifest, for messages. */
const INPUT_WORDS: Partial<Record<keyof InputEntry, string>> = {
  Role: 'its role',
  RowsRead: 'rows read',
  RowsRejected: 'rows rejected',
  Debit: 'debits',
  Credit: 'credits',
  Postings: 'postings',
  PostedDebit: 'debits posted',
  PostedCredit: 'credits posted',
  Values: 'values',
  Total: 'their sum',
  Scale: 'the scale of its figures',
  FirstDate: 'first day',
  LastDate: 'last day',
  Bytes: 'bytes',
}

function inputDifferences(stated: readonly InputEntry[], read: readonly InputEntry[]): Found[] {
  const byName = (inputs: readonly InputEntry[]) =>
    new Map(inputs.map((input) => [`${input.Role} ${input.File}`, input]))
  const [before, now] = [byName(stated), byName(read)]
  return [
    ...[...before].flatMap(([name, was]) => inputDifference(was, now.get(name))),
    ...[...now]
      .filter(([name]) => !before.has(name))
      .map(
        ([, { File, Role }]): Found => [
          MANIFEST,
          `${MANIFEST} does not list the source ${File} (${Role}), which was read`,
        ],
      ),
  ]
}

function inputDifference(was: InputEntry, is: InputEntry | undefined): Found[] {
  if (!is)
    return [
      [MANIFEST, `${MANIFEST} lists the source ${was.File} (${was.Role}), which the settings do not read`],
    ]
  // What the manifest of an earlier version did not state is not compared.
  const keys = (Object.keys(was) as (keyof InputEntry)[]).filter((each) => !isEqual(was[each], is[each]))
  return keys.map((each) => [
    MANIFEST,
    `${MANIFEST} states of ${was.File}: ${INPUT_WORDS[each] ?? each} ${text(was[each])}; the source gives ${text(is[each])}`,
  ])
}

const BODY_WORDS = {
  CompanyId: 'the company',
  Month: 'the month',
  Currency: 'the currency',
  Coverage: 'the months covered',
  LockedThrough: 'the day through which the books are closed',
  Configuration: 'the settings',
  Totals: 'the number of postings, transactions and documents',
  TieOuts: 'the outcome of the tie-outs',
  ControlsAgreed: 'the number of control figures of the sources that agree',
  Warnings: 'the warnings',
} as const

/** A warning without its message and remedy, whose words differ between programs. */
const aboutWhat = ({ message: _, remedy: __, ...about }: Finding) => about

/** Warnings that depend on the previous snapshot, which is not among the sources. */
const OF_ANOTHER: readonly string[] = ['account-retyped']

/** The warnings of a manifest with the texts of the ledger in the message, where earlier versions quoted them. */
const warningsIn = ({ Warnings = [] }: Partial<Manifest>) =>
  Warnings.filter(({ code }) => !OF_ANOTHER.includes(code)).map(spelledOut)

/** Whether a manifest of another program has the same warnings in other words. */
const isReworded = (manifest: Manifest, { body }: Rebuilt, maker: Maker): boolean => {
  const [was, is] = [warningsIn(manifest), warningsIn(body)]
  return maker === 'another program' && !isEqual(was, is) && isEqual(was.map(aboutWhat), is.map(aboutWhat))
}

function bodyDifferences(manifest: Manifest, made: Rebuilt, maker: Maker): Found[] {
  const { body } = made
  const comparable = (from: Partial<Manifest>, name: keyof typeof BODY_WORDS): unknown =>
    name !== 'Warnings' ? from[name] : isReworded(manifest, made, maker) ? [] : warningsIn(from)
  return (Object.keys(BODY_WORDS) as (keyof typeof BODY_WORDS)[]).flatMap((name): Found[] => {
    const [was, is] = [comparable(manifest, name), comparable(body, name)]
    if (was === undefined || isEqual(was, is)) return []
    const both = Array.isArray(was) ? '' : `: ${text(was)}; the sources give ${text(is)}`
    return [[MANIFEST, `${MANIFEST} states ${BODY_WORDS[name]} differently than the sources give it${both}`]]
  })
}

const isEqual = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)
const text = (value: unknown): string =>
  value == null ? 'nothing' : typeof value === 'string' ? value : JSON.stringify(value)

async function fileDifferences(snapshot: SoundSnapshot, made: Rebuilt): Promise<Found[]> {
  const published = new Map(
    snapshot.manifest.Files.filter(({ Path }) => Path !== RESTATEMENT && !isReport(Path)).map((file) => [
      file.Path,
      file.Sha256,
    ]),
  )
  const booksAgain = new Map(bookEntries(made.folder).map(({ Path, Sha256 }) => [Path, Sha256]))
  const isSame = (path: string): boolean =>
    booksAgain.has(path)
      ? booksAgain.get(path) === published.get(path)
      : made.documents.has(path) && !made.differing.has(path)
  const all = new Set([...published.keys(), ...made.documents, ...booksAgain.keys()])
  const differing = [...all].filter((path) => !isSame(path))
  const books = differing.filter((path) => path.startsWith(`${BOOKS}/`))
  const documents: Found[] = []
  for (const path of differing.filter((each) => !books.includes(each)))
    documents.push(await documentDifference(path))
  return [...(books.length === 0 ? [] : await booksDifferences(snapshot, made, books)), ...documents]

  async function documentDifference(path: string): Promise<Found> {
    if (!published.has(path)) return [path, `the sources give ${path}, which was not published`]
    const again = made.differing.get(path)
    if (again === undefined) return [path, `${path} was published, but the sources do not give it`]
    const before = await readFile(join(snapshot.folder, path), 'utf8')
    const found = differenceOf(path, before, again, 'the sources')
    return [path, found?.text ?? `${path} is not what the sources give`]
  }
}

/**
 * Lists the lines that only one of the two books holds and, where all lines agree, the files of the books
 * that differ.
 */
async function booksDifferences(
  snapshot: SoundSnapshot,
  made: Rebuilt,
  paths: readonly string[],
): Promise<Found[]> {
  const booksIn = async (folder: string) => ({ folder: join(folder, BOOKS), frame: await frameIn(folder) })
  const [published, again] = await Promise.all([booksIn(snapshot.folder), booksIn(made.folder)])
  const lines = await differingLines(published, again, { basis: null, classId: null, departmentId: null })
  const path = bookPath('postings.parquet')
  const named = lines.map((line): Found => [path, lineText(line)])
  const others = paths.filter((each) => named.length === 0 || !each.endsWith('postings.parquet'))
  return [...named, ...others.map((each): Found => [each, `${each} is not what the sources give`])]
}

function lineText({
  side,
  kind,
  basis,
  date,
  account,
  transactionId,
  amount,
  memo,
  file,
  row,
}: DifferingLine): string {
  const what =
    kind === 'opening' ? 'an opening balance' : `a posting of ${date}, transaction ${transactionId}`
  const said = `${what}, account ${account}, ${amount}${basis === 'cash' ? ' on the cash basis' : ''}${memo ? ` (${memo})` : ''}`
  return side === 'removed'
    ? `the books hold ${said}, attributed to ${file}:${row}; no source holds it`
    : `the books lack ${said}, which is in ${file}:${row}`
}
