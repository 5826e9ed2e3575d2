/** The real engine: interruption, memory, the bound of the cache of books, and a child that dies while the server answers. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { readBooks } from '../../../builder/books/store/store.ts'
import { openDatabase } from '../../../builder/database/database.ts'
import { BooksCache, type SnapshotPlace } from '../../../builder/report/adhoc/books-cache.ts'
import { readPointer } from '../../../builder/snapshot/files/open.ts'
import type { AdhocEvent } from '../../../serve/companies/adhoc-pool.ts'
import { type LogEntry, startServer } from '../../../serve/server.ts'
import { suite } from '../../suite.ts'
import { rememberPasswords } from '../../support/passwords.ts'
import { type BuiltWorkspace, builtWorkspace } from '../http/workspace.ts'
import { authorizeUrl, Browser, redeem } from '../oauth/harness.ts'

const engine = suite<{ built: BuiltWorkspace }>('ad-hoc engine')
rememberPasswords(engine)
engine.before(async (context) => {
  context.built = await builtWorkspace()
})
engine.after(({ built }) => built.remove())

engine('a query is interrupted on its own connection; the others and the tables stay', async () => {
  const db = await openDatabase()
  await db.run('CREATE TABLE t AS SELECT 7 AS n')
  const [a, b] = [await db.connect(), await db.connect()]
  const endless = a.rows('SELECT count(*) FROM range(1000000) x, range(1000000) y').then(
    () => 'answered',
    (problem: Error) => problem.message,
  )
  assert.equal(await b.rows('SELECT n FROM t'), [{ n: 7 }])
  a.interrupt()
  assert.match(await endless, /interrupt/i)
  assert.equal(await a.rows('SELECT n FROM t'), [{ n: 7 }])
  a.close()
  assert.equal(await b.rows('SELECT n FROM t'), [{ n: 7 }])
  b.close()
  db.close()
})

engine('what does not fit into memory is an error, not a file', async () => {
  const db = await openDatabase({ memoryLimit: '32MB', spill: false })
  const message = await db.rows('SELECT list(x ORDER BY hash(x)) FROM range(20000000) r(x)').then(
    () => 'answered',
    (problem: Error) => problem.message,
  )
  assert.match(message, /^Out of Memory/i)
  assert.equal(await db.rows('SELECT 1 AS one'), [{ one: 1 }])
  db.close()
})

const placeOf = async ({ workspace }: BuiltWorkspace, company: string): Promise<SnapshotPlace> => {
  const { SnapshotId, ManifestSha256 } = (await readPointer(workspace.snapshots, company))!
  return {
    snapshotsRoot: workspace.snapshots,
    company,
    snapshotId: SnapshotId,
    manifestSha256: ManifestSha256,
  }
}

engine('books that cannot be loaded leave no database open', async ({ built }) => {
  if (process.platform !== 'linux') return
  const { snapshotsRoot, company, snapshotId } = await placeOf(built, 'acme')
  const folder = mkdtempSync(join(tmpdir(), 'tieout-books-'))
  cpSync(join(snapshotsRoot, company, snapshotId, 'books'), folder, { recursive: true })
  rmSync(join(folder, 'budgets.parquet'))
  // Each database has threads of its own, which end with it.
  const threads = () => readdirSync('/proc/self/task').length
  const before = threads()
  for (let i = 0; i < 8; i++)
    await readBooks(folder, { threads: 4 }).then(
      () => assert.unreachable('loaded'),
      ({ message }) => assert.match(message, 'budgets.parquet'),
    )
  assert.ok(threads() < before + 8, `${threads()} of ${before} threads`)
  rmSync(folder, { recursive: true })
})

engine('a query takes one thread, and reaches neither files nor settings', async ({ built }) => {
  await new BooksCache(1).use(await placeOf(built, 'acme'), async ({ db }) => {
    assert.equal(await db.rows("SELECT current_setting('threads')::INTEGER AS n"), [{ n: 1 }])
    for (const sql of ['SET threads = 2', "SELECT * FROM read_text('/etc/hostname')"])
      assert.match(await db.rows(sql).then(String, (problem: Error) => problem.message), /locked|disabled/)
  })
})

engine('books beyond the bound are put away, but not while they are being read', async ({ built }) => {
  const booksCache = new BooksCache(1)
  const [acme, solo] = [await placeOf(built, 'acme'), await placeOf(built, 'solo')]
  let finish = (): void => {}
  const held = new Promise<void>((resolve) => {
    finish = resolve
  })
  const count = 'SELECT count(*)::INTEGER AS n FROM posting'
  const reading = booksCache.use(acme, async ({ db }) => {
    await held
    return { db, rows: await db.rows<{ n: number }>(count) }
  })
  const small = await booksCache.use(solo, async ({ db }) => db.rows<{ n: number }>(count))
  assert.ok(small[0]!.n > 0)
  finish()
  const { db, rows } = await reading
  assert.ok(rows[0]!.n > 0)
  // Its last reader is done: closed.
  await new Promise((resolve) => setImmediate(resolve))
  assert.ok(
    await db.rows(count).then(
      () => false,
      () => true,
    ),
  )
  assert.equal(await booksCache.use(acme, async ({ db }) => db.rows(count)), rows)
  assert.match(
    await booksCache
      .use({ ...solo, manifestSha256: '0'.repeat(64) }, async () => '')
      .catch((e: Error) => e.message),
    'manifest.json',
  )
})

engine(
  'a child that dies again and again leaves the answers from snapshots undisturbed',
  async ({ built }) => {
    const log: LogEntry[] = []
    const running = await startServer(built.workspace, { log: (entry) => log.push(entry) })
    const back = await new Browser(running.address).allow(authorizeUrl(running.address), ['acme', 'solo'])
    const { body } = await redeem(running.address, back.searchParams.get('code')!)
    const get = async (range: string): Promise<number> => {
      const response = await fetch(
        `${running.address}/companies/acme/profit-loss?${range}&AccountingBasis=ACCRUAL`,
        { headers: { Authorization: `Bearer ${body.access_token}` } },
      )
      await response.arrayBuffer()
      return response.status
    }
    const childPids = (): number[] =>
      log.flatMap((entry) => (entry.event === 'adhoc-started' ? [Number((entry as AdhocEvent).pid)] : []))
    let days = 0
    const adhoc: Promise<number>[] = []
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 3; i++)
        adhoc.push(get(`StartDate=2024-01-02&EndDate=2024-12-${String(10 + days++).padStart(2, '0')}`))
      while (childPids().length <= round) assert.is(await get('StartDate=2024-01-01&EndDate=2024-03-31'), 200)
      process.kill(childPids().at(-1)!, 'SIGKILL')
      for (let i = 0; i < 50; i++) assert.is(await get('StartDate=2024-01-01&EndDate=2024-03-31'), 200)
    }
    // A query is tried again once; one that has lost two children is told so.
    for (const status of await Promise.all(adhoc)) assert.ok([200, 500].includes(status), String(status))
    assert.is(await get('StartDate=2024-01-02&EndDate=2024-11-30'), 200)
    await running.close()
  },
)

engine('S13: books that are damaged make their company 503, and show', async ({ built }) => {
  const log: LogEntry[] = []
  const { snapshotsRoot, company, snapshotId } = await placeOf(built, 'acme')
  const running = await startServer(built.workspace, { log: (entry) => log.push(entry) })
  const back = await new Browser(running.address).allow(authorizeUrl(running.address), ['acme'])
  const { body } = await redeem(running.address, back.searchParams.get('code')!)
  const ask = (): Promise<Response> =>
    fetch(
      `${running.address}/companies/acme/profit-loss?StartDate=2024-01-02&EndDate=2024-11-29&AccountingBasis=ACCRUAL`,
      { headers: { Authorization: `Bearer ${body.access_token}` } },
    )
  const postings = join(snapshotsRoot, company, snapshotId, 'books', 'postings.parquet')
  const bytes = readFileSync(postings)
  for (const found of [bytes.subarray(0, 100), null]) {
    rmSync(postings, { force: true })
    if (found) writeFileSync(postings, found)
    const refused = await ask()
    assert.equal(
      [refused.status, ((await refused.json()) as { code: string }).code],
      [503, 'company-unavailable'],
    )
    assert.match(refused.headers.get('retry-after')!, /^\d+$/)
  }
  writeFileSync(postings, bytes)
  assert.is((await ask()).status, 200)
  assert.is(log.filter(({ event }) => event === 'company-failing').length, 1)
  await running.close()
})
