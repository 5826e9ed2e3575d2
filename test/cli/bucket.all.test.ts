/** Copies of published snapshots in a bucket, as a user makes them, against a real server of S3's interface. */
import { appendFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { filesAndFolders } from '../../builder/system/durable.ts'
import { suite } from '../suite.ts'
import { missing, type Store, startStore } from '../support/s3.ts'
import { begin, goodCompany, inFolder, inWorkspaceOf, says, tieout } from './command.ts'

const test = suite('copies in a bucket')
let store: Store
test.before(async () => {
  store = await startStore()
})
test.after(() => store.stop())
test.after.each(() => store.fail(null))

interface Copy {
  readonly companies: readonly { readonly files: number; readonly current: string }[]
  readonly requests: Readonly<Record<string, number>>
}

const filesOf = (folder: string): [path: string, bytes: string][] =>
  filesAndFolders(folder)[0]
    .sort()
    .map((path) => [path, readFileSync(join(folder, path), 'latin1')])

/** A workspace with one published company and an empty bucket. */
const inPublished = (
  run: (at: {
    readonly root: string
    readonly address: string
    tieout(...args: readonly string[]): ReturnType<typeof tieout>
    copied(...args: readonly string[]): Promise<Copy>
  }) => Promise<void>,
): Promise<void> =>
  inWorkspaceOf({ acme: goodCompany('acme') }, async (root) => {
    const at = { cwd: root, env: store.env }
    const run_ = (...args: readonly string[]) => tieout(args, at)
    const built = await run_('build')
    assert.is(built.code, 0, built.err)
    await run({
      root,
      address: `s3://${await store.bucket()}/snapshots`,
      tieout: run_,
      copied: async (...args) => {
        const { code, out, err } = await run_('snapshots', 'copy', '--json', ...args)
        assert.is(code, 0, err + out)
        return JSON.parse(out) as Copy
      },
    })
  })

let posted = 2

/** Another sale in the ledger: the next build publishes another snapshot. */
const post = (root: string): void => {
  const tx = ++posted
  const lines = ['bank,5.00', 'sales,-5.00'].map((rest) => `${tx},2025-02-11,${rest},,\n`)
  appendFileSync(join(root, 'datasets/acme/ledger.csv'), lines.join(''))
}

test('there and back, the same bytes, verified with all figures; what is there is not sent again', () =>
  inPublished(async ({ root, address, copied, tieout: run }) => {
    const first = await copied('--to', address)
    assert.ok(first.companies[0]!.files > 10)
    assert.is((await copied('--to', address)).companies[0]!.files, 0)
    await inFolder(async (fresh) => {
      writeFileSync(join(fresh, 'tieout.yaml'), '{}\n')
      const same = async () => {
        await says(0, `snapshots copy --from ${address}`, { cwd: fresh, env: store.env })
        assert.equal(filesOf(join(fresh, 'snapshots/acme')), filesOf(join(root, 'snapshots/acme')))
      }
      await same()
      writeFileSync(join(fresh, 'keys.json'), (await run('snapshots', 'key')).out)
      await says(0, 'verify snapshots --key keys.json', { cwd: fresh })
      post(root)
      assert.match((await run('build', '--json')).out, /"published"/, 'the lock is free again')
      const second = await copied('--to', address)
      assert.ok(second.companies[0]!.files < first.companies[0]!.files, JSON.stringify([first, second]))
      // Four writes of the probe, of which two are refused, and the company's object.
      assert.is(second.requests.PutObject, second.companies[0]!.files + 5)
      await same()
    })
  }))

test('neither place loses publications that the other one lacks', () =>
  inPublished(async ({ root, address, copied, tieout: run }) => {
    await copied('--to', address)
    const old = filesOf(join(root, 'snapshots/acme'))
    post(root)
    await run('build')
    const back = await run('snapshots', 'copy', '--from', address)
    assert.is(back.code, 1)
    assert.match(back.err, /has publications that s3:\S+ lacks/)
    await copied('--to', address)
    rmSync(join(root, 'snapshots/acme'), { recursive: true })
    await run('build')
    const other = await run('snapshots', 'copy', '--to', address)
    assert.is(other.code, 1)
    assert.match(other.err, /has publications of acme that are\s+not here/)
    assert.ok(old.length > 0)
  }))

test('a damaged file is not sent, and a damaged object is not taken', () =>
  inPublished(async ({ root, address, copied, tieout: run }) => {
    await copied('--to', address)
    const [id] = readdirSync(join(root, 'snapshots/acme')).filter((name) => /-r1-/.test(name))
    const file = join(root, 'snapshots/acme', id!, 'info.json')
    const bytes = readFileSync(file)
    rmSync(file)
    writeFileSync(file, bytes.toString().replace('"', "'"))
    const refused = await run('snapshots', 'copy', '--to', address)
    assert.is(refused.code, 1)
    assert.match(refused.err, /acme is damaged: info\.json was changed/)
    await inFolder(async (fresh) => {
      writeFileSync(join(fresh, 'tieout.yaml'), '{}\n')
      store.fail((asked, response) => {
        if (asked.method !== 'GET' || !asked.url?.includes('/objects/')) return false
        response.writeHead(200, { etag: '"x"' })
        response.end('something else')
        return true
      })
      const at = { cwd: fresh, env: store.env }
      assert.match(
        await says(1, `snapshots copy --from ${address}`, at),
        /objects\/\w{64} in s3:\S+\s+was changed/,
      )
      assert.not(existsSync(join(fresh, 'snapshots/acme/current.json')))
      store.fail(null)
      assert.is((await tieout(['snapshots', 'copy', '--from', address], at)).code, 0, 'and then it is whole')
    })
  }))

test('a copy that is killed before its last request has changed nothing, and the next one finishes it', () =>
  inPublished(async ({ root, address, copied, tieout: run }) => {
    await copied('--to', address)
    post(root)
    await run('build')
    const running = begin(['snapshots', 'copy', '--to', address], { cwd: root, env: store.env })
    await new Promise<void>((resolve) =>
      store.fail((asked) => {
        const isLast = asked.method === 'PUT' && asked.url?.includes('/companies/') === true
        if (isLast) resolve()
        return isLast
      }),
    )
    running.kill('SIGKILL')
    await running
    store.fail(null)
    await inFolder(async (fresh) => {
      writeFileSync(join(fresh, 'tieout.yaml'), '{}\n')
      const at = { cwd: fresh, env: store.env }
      const fetched = JSON.parse((await tieout(['snapshots', 'copy', '--json', '--from', address], at)).out)
      assert.match(fetched.companies[0].current, /-r1-/)
      const [next] = (await copied('--to', address)).companies
      assert.match(next!.current, /-r2-/)
      await tieout(['snapshots', 'copy', '--from', address], at)
      assert.equal(filesOf(join(fresh, 'snapshots/acme')), filesOf(join(root, 'snapshots/acme')))
    })
  }))

test('of two who copy different histories at once, one is told', () =>
  inPublished(async ({ root, address, tieout: run }) => {
    await inWorkspaceOf(
      { acme: goodCompany('acme', '9 2025-02-12 bank 1.00; 9 2025-02-12 sales -1.00') },
      async (other) => {
        const at = { cwd: other, env: store.env }
        assert.is((await tieout(['build'], at)).code, 0)
        const both = await Promise.all([
          run('snapshots', 'copy', '--to', address),
          tieout(['snapshots', 'copy', '--to', address], at),
        ])
        assert.equal(both.map(({ code }) => code).sort(), [0, 1])
        assert.match(
          both.map(({ err }) => err).join(''),
          /somebody else changed acme|has publications of acme/,
        )
        const winner = both[0]!.code === 0 ? root : other
        await inFolder(async (fresh) => {
          writeFileSync(join(fresh, 'tieout.yaml'), '{}\n')
          await tieout(['snapshots', 'copy', '--from', address], { cwd: fresh, env: store.env })
          assert.equal(filesOf(join(fresh, 'snapshots/acme')), filesOf(join(winner, 'snapshots/acme')))
        })
      },
    )
  }))

test('what is asked for in a wrong way, and a bucket that is not there', () =>
  inPublished(async ({ address, tieout: run }) => {
    assert.match((await run('snapshots', 'copy')).err, /name one bucket/)
    assert.match((await run('snapshots', 'copy', '--to', 'acme')).err, /must be the address of a bucket/)
    assert.match((await run('snapshots', 'copy', '--from', address, 'other')).err, /has nothing of "other"/)
    const none = await run('snapshots', 'copy', '--to', 's3://no-such-bucket')
    assert.is(none.code, 1)
    assert.match(none.err, /there is no bucket of this name/)
  }))

test.needs(missing)
