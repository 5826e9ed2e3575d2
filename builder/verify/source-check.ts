/**
 * Whether a snapshot is what its sources give: it is built again from the kept ones, and all that it says is compared, byte
 * for byte, but for what is about its publication. Differences are named from the sources on: totals, settings, lines,
 * figures.
 */
import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseOptions } from '../books/database.ts'
import type { Frame } from '../books/frame.ts'
import { parseFrame } from '../books/frame-schema.ts'
import { type DifferingLine, differingLines } from '../books/line-diff.ts'
import { changesBetween } from '../contract/document-changes.ts'
import type { Damage } from '../snapshot/damage.ts'
import { BOOKS, bookPath, INPUTS, isReport, MANIFEST, RESTATEMENT } from '../snapshot/layout.ts'
import type { InputEntry, Manifest } from '../snapshot/manifest.ts'
import { readFile } from '../workspace/plain-file.ts'
import { Differences, type Maker } from './reading.ts'
import { type Rebuilt, rebuild } from './rebuild.ts'
import { differenceOf, type SoundSnapshot } from './recompute.ts'

export interface SourcesChecked {
  readonly damages: readonly Damage[]
  /** What this program reads otherwise in the sources than the one that made the snapshot. */
  readonly readings: readonly Damage[]
  /** Why nothing could be built again; null where it was. */
  readonly unproven: string | null
  readonly notes: readonly string[]
}

const unproven = (why: string): SourcesChecked => ({ damages: [], readings: [], unproven: why, notes: [] })

/** `closedThrough`: what the log had closed when it was published; undefined where there is no log. */
export async function checkSources(
  snapshot: SoundSnapshot,
  maker: Maker,
  closedThrough: string | null | undefined,
  machine: DatabaseOptions,
): Promise<SourcesChecked> {
  const { id, folder, manifest } = snapshot
  const inputs = dirname(folder)
  if (manifest.Inputs.length === 0 || manifest.Inputs.some(({ Kept }) => Kept !== true))
    return unproven(
      `the sources of ${id} were not kept, so it cannot be built again ("keepInputs: true" in tieout.yaml keeps those of the next ones)`,
    )
  if (!existsSync(join(inputs, INPUTS)))
    return unproven(`the sources of ${id} are not here: ${INPUTS}/ of its company`)
  const stated = lockDateIn(manifest, await frameIn(folder))
  const made = await rebuild(manifest, inputs, machine, ({ lockDate = null }) =>
    later(lockDate, closedThrough === undefined ? stated : closedThrough),
  )
  const differences = new Differences(maker)
  const differs = (path: string, message: string) =>
    differences.add({ kind: 'sources', snapshotId: id, path, message })
  if ('problem' in made) differs(INPUTS, `the kept sources of ${id} make no snapshot: ${made.problem}`)
  else
    try {
      for (const [path, message] of await found(snapshot, made)) differs(path, message)
    } finally {
      await made.dispose()
    }
  const byLog =
    !('problem' in made) && closedThrough === undefined && stated !== (made.company.lockDate ?? null)
  return {
    damages: differences.damages,
    readings: differences.readings,
    unproven: null,
    notes: byLog
      ? [`${id} states that the log had closed its books through ${stated}; no log is here that says so`]
      : [],
  }
}

const later = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b > a) ? b : a

const frameIn = async (folder: string): Promise<Frame> =>
  parseFrame(await readFile(join(folder, bookPath('frame.json')), 'utf8'), (problem) => new Error(problem))

const lockDateIn = ({ LockedThrough }: Manifest, { lockedThrough }: Frame): string | null =>
  LockedThrough === undefined ? lockedThrough : LockedThrough

type Found = readonly [path: string, message: string]

async function found(snapshot: SoundSnapshot, made: Rebuilt): Promise<Found[]> {
  const { manifest } = snapshot
  return [
    ...inputDifferences(manifest.Inputs, made.body.Inputs),
    ...bodyDifferences(manifest, made),
    ...(await fileDifferences(snapshot, made)),
  ]
}

/** What a manifest says of a source, in words. */
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
  Scale: 'what its figures are counted in',
  FirstDate: 'first day',
  LastDate: 'last day',
  Bytes: 'bytes',
}

function inputDifferences(stated: readonly InputEntry[], read: readonly InputEntry[]): Found[] {
  const key = ({ File, Role }: InputEntry) => `${Role} ${File}`
  const [before, now] = [stated, read].map((inputs) => new Map(inputs.map((input) => [key(input), input])))
  return [...new Set([...before!.keys(), ...now!.keys()])].flatMap((name): Found[] => {
    const [was, is] = [before!.get(name), now!.get(name)]
    if (!is)
      return [
        [
          MANIFEST,
          `${MANIFEST} lists the source ${was!.File} (${was!.Role}), which the settings do not read`,
        ],
      ]
    if (!was)
      return [[MANIFEST, `${MANIFEST} does not list the source ${is.File} (${is.Role}), which was read`]]
    // What the manifest of an earlier version did not say is no difference.
    const keys = (Object.keys(was) as (keyof InputEntry)[]).filter((each) => !isEqual(was[each], is[each]))
    return keys.map((each) => [
      MANIFEST,
      `${MANIFEST} states of ${was.File}: ${INPUT_WORDS[each] ?? each} ${text(was[each])}; the source gives ${text(is[each])}`,
    ])
  })
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
  ControlsAgreed: 'how many figures that the sources state of themselves agree',
  Warnings: 'the warnings',
} as const

/** Warnings that come of the snapshot before, which is no source. */
const OF_ANOTHER: readonly string[] = ['account-retyped']

function bodyDifferences(manifest: Manifest, { body }: Rebuilt): Found[] {
  const comparable = (from: Partial<Manifest>, name: keyof typeof BODY_WORDS): unknown =>
    name === 'Warnings' ? from.Warnings?.filter(({ code }) => !OF_ANOTHER.includes(code)) : from[name]
  return (Object.keys(BODY_WORDS) as (keyof typeof BODY_WORDS)[]).flatMap((name): Found[] => {
    const [was, is] = [comparable(manifest, name), comparable(body, name)]
    if (was === undefined || isEqual(was, is)) return []
    const both = Array.isArray(was) ? '' : `: ${text(was)}; the sources give ${text(is)}`
    return [[MANIFEST, `${MANIFEST} states ${BODY_WORDS[name]} otherwise than the sources give it${both}`]]
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
  const again = new Map(made.files.map((file) => [file.Path, file.Sha256]))
  const differing = [...new Set([...published.keys(), ...again.keys()])].filter(
    (path) => published.get(path) !== again.get(path),
  )
  const books = differing.filter((path) => path.startsWith(`${BOOKS}/`))
  const documents: Found[] = []
  for (const path of differing.filter((each) => !books.includes(each)))
    documents.push(await documentDifference(path))
  return [...(books.length === 0 ? [] : await booksDifferences(snapshot, made, books)), ...documents]

  async function documentDifference(path: string): Promise<Found> {
    if (!published.has(path)) return [path, `the sources give ${path}, which was not published`]
    if (!again.has(path)) return [path, `${path} was published, but the sources do not give it`]
    const texts = [snapshot.folder, made.folder].map((folder) => readFile(join(folder, path), 'utf8'))
    return [path, differenceOf(path, changesBetween(await texts[0]!, await texts[1]!), 'the sources').text]
  }
}

/** Lines that only one of both holds; where the lines are the same, the files of the books that differ. */
async function booksDifferences(
  snapshot: SoundSnapshot,
  made: Rebuilt,
  paths: readonly string[],
): Promise<Found[]> {
  const [published, again] = await Promise.all(
    [snapshot.folder, made.folder].map(async (folder) => ({
      folder: join(folder, BOOKS),
      frame: await frameIn(folder),
    })),
  )
  const lines = await differingLines(published!, again!, { basis: null, classId: null, departmentId: null })
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
    ? `the books hold ${said}, said to be of ${file}:${row}; no source holds it`
    : `the books lack ${said}, which stands in ${file}:${row}`
}
