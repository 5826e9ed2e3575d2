/**
 * `npm run bench -- bucket`: what a bucket costs beside a folder, by turns in one run: a build that publishes there, and the ready answers of a
 * server that follows it, which come from its working copy.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { present } from '../../builder/contract/present.ts'
import { missing, type Store, startStore } from '../support/s3.ts'
import { MEASURED, writeCompany } from './ledger.ts'
import { isInstalled, tieout, type Usage } from './processes.ts'
import { median, type Result } from './results.ts'
import { type Contender, firstAnswer, type Load, MAIN, pathOf, prepared, wrk } from './serve.ts'

const BUILDS = 3
const STARTS = 4
/** Of each start. */
const TURNS = 4
const FIRST_PORT = 18_300
/** Each request of the store that stands for a bucket takes some milliseconds. */
const SMALL = { ...MEASURED, postings: 20_000, classes: 4, departments: 3 }

export async function inBucket(): Promise<Result[]> {
  if (missing !== null) throw new Error(missing)
  if (!isInstalled('wrk')) throw new Error('wrk is not installed: apt-get install wrk')
  const store = await startStore()
  try {
    return [...(await builds(store)), ...(await answers(store))]
  } finally {
    await store.stop()
  }
}

const settingOf = async (store: Store): Promise<string> =>
  `snapshots: { bucket: "s3://${await store.bucket()}/books", endpoint: "${store.direct}" }\n`

/** First builds, each into an empty place. */
async function builds(store: Store): Promise<Result[]> {
  const [folder, bucket]: [Usage[], Usage[]] = [[], []]
  for (let turn = 0; turn < BUILDS; turn++) {
    folder.push(await built(''))
    bucket.push(await built(await settingOf(store)))
  }
  const { requests, companies } = JSON.parse(bucket.at(-1)!.stdout) as {
    readonly requests: Readonly<Record<string, number>>
    readonly companies: readonly { readonly documents: number }[]
  }
  const result = (name: string, of: (usage: Usage) => number): Result => ({
    part: 'bucket',
    name: `first build of ${companies[0]!.documents} documents, ${name}`,
    value: median(bucket.map(of)),
    unit: 's',
    target: null,
    reference: { name: 'into a folder', value: median(folder.map(of)), unit: 's' },
  })
  return [
    result('wall', ({ wall }) => wall),
    result('processor time', ({ cpu }) => cpu),
    ...Object.entries(requests).map(
      ([kind, value]): Result => ({
        part: 'bucket',
        name: `requests of it, ${kind}`,
        value,
        unit: '',
        target: null,
      }),
    ),
  ]
}

async function built(settings: string): Promise<Usage> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
  try {
    await writeCompany(folder, 'bench1', SMALL)
    writeFileSync(join(folder, 'tieout.yaml'), `datasets: datasets\n${settings}`)
    return await tieout(folder, 'build', '--json')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Servers with the same company, of which one follows a bucket, and another one of a folder shows what chance makes of the comparison. */
const answers = (store: Store): Promise<Result[]> =>
  // Of two companies, each has few documents, so that they are soon in the bucket.
  prepared(20_000, 2, async ({ folder, token, settings }) => {
    const other = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
    try {
      cpSync(folder, other, { recursive: true })
      rmSync(join(other, 'snapshots'), { recursive: true })
      writeFileSync(join(other, 'tieout.yaml'), settings + (await settingOf(store)))
      await tieout(other, 'build')
      const turns: Turn[] = []
      for (let start = 0; start < STARTS; start++)
        turns.push(...(await started([folder, other, folder], token)))
      return [
        ...rows('ready answers from a working copy', '≥ 0.95', turns, ([own, bucket]) => [own, bucket]),
        ...rows('ready answers of a second server of the folder', null, turns, ([own, , second]) => [
          own,
          second,
        ]),
      ]
    } finally {
      rmSync(other, { recursive: true, force: true })
    }
  })

/** What a server of the folder, one of the bucket, and a second one of the folder did, one after the other. */
type Turn = readonly [folder: Load, bucket: Load, second: Load]

/**
 * Each start compiles and lays out the program anew, which alone changes its speed by some hundredths. The first turn finds code that
 * is not compiled yet, and does not count. Who is first changes with each.
 */
async function started(places: readonly [string, string, string], token: string): Promise<Turn[]> {
  const servers: ChildProcess[] = []
  try {
    const contenders: Contender[] = []
    for (const [i, place] of places.entries()) {
      const port = FIRST_PORT + i
      const server = spawn(process.execPath, [MAIN, '-C', place, 'serve', '--port', String(port)], {
        stdio: 'ignore',
      })
      servers.push(server)
      const url = `http://127.0.0.1:${port}${pathOf('bench1', '2024-01-01', '2024-03-31')}`
      await firstAnswer(url, token)
      contenders.push({ pid: present(server.pid, 'pid'), url, headers: [`Authorization: Bearer ${token}`] })
    }
    return Array.from({ length: TURNS + 1 }, (_, turn) => {
      const loads: Load[] = []
      for (let i = 0; i < places.length; i++) {
        const at = (turn + i) % places.length
        loads[at] = wrk(present(contenders[at], 'server'))
      }
      return loads as unknown as Turn
    }).slice(1)
  } finally {
    await Promise.all(servers.map(end))
  }
}

async function end(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
}

function rows(
  what: string,
  target: string | null,
  turns: readonly Turn[],
  pair: (turn: Turn) => readonly [folder: Load, other: Load],
): Result[] {
  const pairs = turns.map(pair)
  const row = (
    name: string,
    unit: string,
    ratio: (folder: Load, other: Load) => number,
    of: (load: Load) => number,
  ): Result => ({
    part: 'bucket',
    name: `${what}, by ${name}, median of ${turns.length} turns`,
    value: median(pairs.map(([folder, other]) => ratio(folder, other))),
    unit: '× folder',
    target,
    reference: { name: 'folder', value: median(pairs.map(([folder]) => of(folder))), unit },
  })
  return [
    row(
      'throughput',
      '/s',
      (folder, other) => other.perSecond / folder.perSecond,
      ({ perSecond }) => perSecond,
    ),
    row(
      'processor time',
      'µs',
      (folder, other) => folder.microseconds / other.microseconds,
      ({ microseconds }) => microseconds,
    ),
  ]
}
