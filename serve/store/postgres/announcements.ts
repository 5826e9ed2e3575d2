/**
 * Tells other servers of changed records at once, by LISTEN and NOTIFY of PostgreSQL. Messages are lost while the
 * connection is: nothing may depend on them, and records are read again after some seconds anyway (recent.ts).
 */
import pg from 'pg'
import { connectionSettings } from './connections.ts'

export const CHANNEL = 'tieout_state'
/** Announces that any record may have changed, in place of many names. */
export const ALL_RECORDS = '*'
/** A write with more changes than this is announced as {@link ALL_RECORDS}. */
const TOLD_MAX = 50
const AGAIN_MS = 1_000

export const messagesOf = (places: readonly string[]): readonly string[] =>
  places.length > TOLD_MAX ? [ALL_RECORDS] : places

/** Calls `onMessage` with each message, until it is closed. */
export function listenForChanges(url: string, onMessage: (message: string) => void): () => Promise<void> {
  let client: pg.Client | null = null
  let timer: NodeJS.Timeout | null = null
  let isClosed = false

  const again = (lost: pg.Client): void => {
    if (isClosed || client !== lost) return
    client = null
    void lost.end().catch(() => {})
    timer = setTimeout(() => void begin(), AGAIN_MS)
  }
  const begin = async (): Promise<void> => {
    const mine = new pg.Client(connectionSettings(url))
    client = mine
    mine.on('error', () => again(mine))
    mine.on('end', () => again(mine))
    mine.on('notification', ({ payload = ALL_RECORDS }) => onMessage(payload))
    try {
      await mine.connect()
      await mine.query(`LISTEN ${CHANNEL}`)
    } catch {
      again(mine)
    }
  }
  void begin()
  return async () => {
    isClosed = true
    if (timer !== null) clearTimeout(timer)
    await client?.end().catch(() => {})
  }
}
