/**
 * Counts the connections of each address over all processes. A process reports those that opened and closed in one
 * turn of its event loop to the primary, which counts, and ends those that the primary says are too many.
 */
import type { Socket } from 'node:net'
import type { TakePeer } from '../http/peers.ts'

export interface Changes {
  readonly opened: readonly { readonly id: number; readonly address: string }[]
  /** Ids of connections reported as opened before. */
  readonly closed: readonly number[]
}

/** The connections of one process, in the primary. */
export interface CountedProcess {
  /** Returns the ids of connections that are too many; these are not counted. */
  change(changes: Changes): readonly number[]
  /** Forgets all connections of a process that has ended. */
  forget(): void
}

/** `refused` is called once for each address, until all its connections have ended. */
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
        // Closed connections are counted first, since they make room for opened ones.
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

/** For a serving process. `report` sends the changes to the primary, and returns what {@link CountedProcess.change} returns. */
export function createReportedConnections(
  report: (changes: Changes) => Promise<readonly number[]>,
): TakePeer {
  const sockets = new Map<number, Socket>()
  let [opened, closed]: [Changes['opened'][number][], number[]] = [[], []]
  let lastId = 0

  async function flush(): Promise<void> {
    const changes = { opened, closed }
    opened = []
    closed = []
    for (const id of await report(changes)) sockets.get(id)?.destroy()
  }
  const soon = (): void => {
    // The primary has ended, and this process ends too.
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
