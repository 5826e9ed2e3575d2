/**
 * How many connections each address has in all processes. A process tells of those that opened and closed in one turn of
 * its event loop, and ends those that the primary, which counts, says are too many.
 */
import type { Socket } from 'node:net'
import type { TakePeer } from '../http/peers.ts'

export interface Changes {
  readonly opened: readonly { readonly id: number; readonly address: string }[]
  /** Ids of connections that opened before. */
  readonly closed: readonly number[]
}

/** Of one process, in the primary. */
export interface CountedProcess {
  /** Gives the ids of those that are too many, which are not counted. */
  change(changes: Changes): readonly number[]
  /** The process has ended, and its connections with it. */
  forget(): void
}

/** `refused` is told of each address once, until all its connections have ended. */
export function createConnectionCount(
  most: number,
  refused: (address: string) => void,
): () => CountedProcess {
  const counts = new Map<string, number>()
  const told = new Set<string>()

  function open(address: string): boolean {
    const count = counts.get(address) ?? 0
    if (count < most) {
      counts.set(address, count + 1)
      return true
    }
    if (!told.has(address)) refused(address)
    told.add(address)
    return false
  }

  function close(address: string): void {
    const count = (counts.get(address) ?? 1) - 1
    if (count > 0) {
      counts.set(address, count)
      return
    }
    counts.delete(address)
    told.delete(address)
  }

  return () => {
    const own = new Map<number, string>()
    const forget = (id: number): void => {
      const address = own.get(id)
      if (address !== undefined) close(address)
      own.delete(id)
    }
    return {
      change: ({ opened, closed }) => {
        // Before those that opened: they make room.
        for (const id of closed) forget(id)
        return opened.flatMap(({ id, address }) => {
          if (!open(address)) return [id]
          own.set(id, address)
          return []
        })
      },
      forget: () => {
        for (const id of [...own.keys()]) forget(id)
      },
    }
  }
}

/** In a process that serves. `tell` gives what {@link CountedProcess.change} gives. */
export function createToldConnections(tell: (changes: Changes) => Promise<readonly number[]>): TakePeer {
  const sockets = new Map<number, Socket>()
  let [opened, closed]: [Changes['opened'][number][], number[]] = [[], []]
  let lastId = 0

  async function flush(): Promise<void> {
    const changes = { opened, closed }
    opened = []
    closed = []
    for (const id of await tell(changes)) sockets.get(id)?.destroy()
  }
  const soon = (): void => {
    // The primary has ended: so does this process.
    if (opened.length + closed.length === 0) setImmediate(() => void flush().catch(() => {}))
  }

  return (socket, address) => {
    const id = ++lastId
    soon()
    opened.push({ id, address })
    sockets.set(id, socket)
    socket.once('close', () => {
      sockets.delete(id)
      soon()
      closed.push(id)
    })
  }
}
