/** Disks that fail on order: every change to the disk is one operation, and each can be the last or go wrong. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LOCK } from '../../builder/snapshot/files/layout.ts'
import { disk, type Effects } from '../../builder/system/effects.ts'

export type Operation = keyof Effects
const OPERATIONS = Object.keys(disk) as Operation[]

/** Asked before each operation, which is numbered from 1; `run` does it. */
type Between = (n: number, operation: Operation, args: readonly unknown[], run: () => unknown) => unknown

export function between(hook: Between, effects: Effects = disk): Effects {
  let n = 0
  const wrapped = OPERATIONS.map((operation) => [
    operation,
    (...args: unknown[]) => {
      n++
      return hook(n, operation, args, () => (effects[operation] as (...all: unknown[]) => unknown)(...args))
    },
  ])
  return Object.fromEntries(wrapped) as Effects
}

/** The disk without waiting for it: for what a test only repeats. */
export const quick: Effects = { ...disk, syncFile: () => {}, syncFolder: () => {}, syncAll: async () => true }

export class Died extends Error {}

/** The process is gone before operation `last`, or in the middle of writing it; nothing it tries afterwards happens. */
export function dyingAt(last: number, how: 'before' | 'torn'): Effects {
  return between((n, operation, args, run) => {
    if (n < last) return run()
    if (n === last && how === 'torn') tear(operation, args)
    throw new Died(`died at operation ${last}`)
  }, quick)
}

/** All ways to die among these operations: before each, and in the middle of each that writes. */
export const deathsAmong = (operations: readonly Operation[]): { at: number; how: 'before' | 'torn' }[] =>
  operations.flatMap((operation, i) => [
    { at: i + 1, how: 'before' as const },
    ...(writes(operation) ? [{ at: i + 1, how: 'torn' as const }] : []),
  ])

export const writes = (operation: Operation): boolean => operation === 'create' || operation === 'append'

/** Half of what was to be written, without a word. */
export function tear(operation: Operation, args: readonly unknown[]): boolean {
  if (!writes(operation)) return false
  const [path, content, mode] = args as [string, string | Uint8Array, number]
  const bytes = Buffer.from(content as Uint8Array)
  writeFileSync(path, bytes.subarray(0, bytes.length / 2), {
    flag: operation === 'create' ? 'wx' : 'a',
    mode,
  })
  return true
}

export const systemError = (code: string, operation: Operation, args: readonly unknown[]): Error =>
  Object.assign(new Error(`${code}: on order, ${operation} '${args[0]}'`), { code, path: String(args[0]) })

/** All operations at which a disk can begin to fail, once or for good. */
export const failuresAmong = (operations: readonly Operation[]): { at: number; lasting: boolean }[] =>
  operations.flatMap((_, i) => [false, true].map((lasting) => ({ at: i + 1, lasting })))

export const failingAt = (at: number, lasting: boolean, code: string): Effects =>
  between((n, operation, args, run) => {
    if (n === at || (lasting && n > at)) throw systemError(code, operation, args)
    return run()
  }, quick)

/** How many operations something takes, and which. */
export async function operationsOf(act: (effects: Effects) => Promise<unknown>): Promise<Operation[]> {
  const operations: Operation[] = []
  await act(
    between((_, operation, __, run) => {
      operations.push(operation)
      return run()
    }, quick),
  )
  return operations
}

/** A lock that this process would hold if it had died is one of a process that is gone. */
export const buryHolder = (root: string, company: string): void => buryLock(join(root, company, LOCK))

export function buryLock(path: string): void {
  if (!existsSync(path)) return
  try {
    const holder = JSON.parse(readFileSync(path, 'utf8')) as object
    writeFileSync(path, JSON.stringify({ ...holder, pid: 2 ** 30 }))
  } catch {
    // Torn: nobody's.
  }
}
