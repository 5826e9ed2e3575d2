/** The lock: one holder, told by process, boot and machine; of two that take over a dead one's, one goes on. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { LockedError, takeLock } from '../../builder/snapshot/log/lock.ts'
import { disk } from '../../builder/system/effects.ts'
import { suite } from '../suite.ts'

const test = suite<{ folder: string; path: string }>('lock')
test.before.each((context) => {
  context.folder = mkdtempSync(join(tmpdir(), 'tieout-lock-'))
  context.path = join(context.folder, 'acme', '.lock')
})

const isRefused = (action: () => unknown): void =>
  assert.throws(action, (problem: Error) => problem instanceof LockedError)

/** The lock of this very process, with other facts. */
function edited(path: string, facts: object): void {
  const lock = takeLock(path)
  const holder = JSON.parse(readFileSync(path, 'utf8')) as object
  lock.release()
  writeFileSync(path, JSON.stringify({ ...holder, ...facts }))
}

test('is held until it is released, and leaves nothing', ({ path, folder }) => {
  const lock = takeLock(path)
  isRefused(() => takeLock(path))
  lock.confirm()
  lock.release()
  lock.release()
  assert.equal(readdirSync(join(folder, 'acme')), [])
  takeLock(path).release()
})

test('of a process that is gone it is taken over', async ({ path }) => {
  const gone = spawn(process.execPath, ['-e', ''])
  await once(gone, 'exit')
  edited(path, { pid: gone.pid })
  takeLock(path).release()
})

if (process.platform === 'linux') {
  test('of a process whose number another one has now it is taken over', ({ path }) => {
    edited(path, { began: '1' })
    takeLock(path).release()
  })

  test('of a process before the last boot it is taken over', ({ path }) => {
    edited(path, { boot: 'another' })
    takeLock(path).release()
  })

  test('of a process in another container it is held: nobody here can tell', ({ path }) => {
    edited(path, { pids: 'pid:[1]', pid: 99999999 })
    isRefused(() => takeLock(path))
  })
}

test('a lock of an earlier version, with process and host alone, is understood', ({ path }) => {
  edited(path, { boot: undefined, pids: undefined, began: undefined })
  isRefused(() => takeLock(path))
})

test('who finds a dead lock after somebody else took it over, gives it back', ({ path }) => {
  edited(path, { boot: 'another', pid: 99999999 })
  let faster: ReturnType<typeof takeLock> | null = null
  const late = {
    ...disk,
    rename: (from: string, to: string) => {
      // Between the look at the dead holder and the move.
      faster ??= takeLock(path)
      disk.rename(from, to)
    },
  }
  isRefused(() => takeLock(path, late))
  faster!.confirm()
  faster!.release()
  assert.not.ok(existsSync(path))
})

test('who lost the lock is told before it does what cannot be undone, and does not remove the other one', ({
  path,
}) => {
  const first = takeLock(path)
  rmSync(path)
  const second = takeLock(path)
  isRefused(() => first.confirm())
  first.release()
  second.confirm()
  second.release()
})
