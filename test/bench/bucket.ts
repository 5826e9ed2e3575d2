/**
 * `npm run bench -- bucket`: what a bucket costs beside a folder, by turns in one run: a build that publishes there, and the ready answers of a
 * server that follows it, which come from its working copy.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { missing, type Store, startStore } from '../support/s3.ts'
import { MEASURED, writeCompany } from './ledger.ts'
import { isInstalled, tieout, type Usage } from './processes.ts'
import { median, type Result } from './results.ts'
import { firstAnswer, type Load, MAIN, pathOf, prepared, wrk } from './serve.ts'

const BUILDS = 3
const TURNS = 7
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

/** Two servers with the same company, of which one follows a bucket. */
const answers = (store: Store): Promise<Result[]> =>
  // Of two companies, each has few documents, so that they are soon in the bucket.
  prepared(20_000, 2, async ({ folder, token, settings }) => {
    const other = mkdtempSync(join(tmpdir(), 'tieout-bench-'))
    const started: ChildProcess[] = []
    try {
      cpSync(folder, other, { recursive: true })
      rmSync(join(other, 'snapshots'), { recursive: true })
      writeFileSync(join(other, 'tieout.yaml'), settings + (await settingOf(store)))
      await tieout(other, 'build')
      const headers = [`Authorization: Bearer ${token}`]
      const serving = async (at: string, port: number) => {
        const server = spawn(process.execPath, [MAIN, '-C', at, 'serve', '--port', String(port)], {
          stdio: 'ignore',
        })
        started.push(server)
        const url = `http://127.0.0.1:${port}${pathOf('bench1', '2024-01-01', '2024-03-31')}`
        await firstAnswer(url, token)
        return { pid: server.pid!, url, headers }
      }
      return compared(await serving(folder, FIRST_PORT), await serving(other, FIRST_PORT + 1))
    } finally {
      await Promise.all(started.map(end))
      rmSync(other, { recursive: true, force: true })
    }
  })

async function end(server: ChildProcess): Promise<void> {
  const ended = once(server, 'exit')
  server.kill('SIGTERM')
  await ended
}

/** The first turn finds code that is not compiled yet, and does not count. Who is first changes with each. */
function compared(folder: Parameters<typeof wrk>[0], bucket: Parameters<typeof wrk>[0]): Result[] {
  const turns: { readonly folder: Load; readonly bucket: Load }[] = []
  for (let turn = 0; turn <= TURNS; turn++) {
    const first = turn % 2 === 0 ? wrk(folder) : null
    const ofBucket = wrk(bucket)
    if (turn > 0) turns.push({ folder: first ?? wrk(folder), bucket: ofBucket })
  }
  const result = (
    name: string,
    unit: string,
    ratio: (turn: (typeof turns)[number]) => number,
    of: (load: Load) => number,
  ): Result[] => [
    {
      part: 'bucket',
      name: `ready answers from a working copy, by ${name}`,
      value: median(turns.map(ratio)),
      unit: '× folder',
      target: '≥ 0.95',
    },
    {
      part: 'bucket',
      name: `the same, median of ${turns.length} turns`,
      value: median(turns.map((turn) => of(turn.bucket))),
      unit,
      target: null,
      reference: { name: 'from a folder', value: median(turns.map((turn) => of(turn.folder))), unit },
    },
  ]
  return [
    ...result(
      'throughput',
      '/s',
      (turn) => turn.bucket.perSecond / turn.folder.perSecond,
      ({ perSecond }) => perSecond,
    ),
    ...result(
      'processor time',
      'µs',
      (turn) => turn.folder.microseconds / turn.bucket.microseconds,
      ({ microseconds }) => microseconds,
    ),
  ]
}
