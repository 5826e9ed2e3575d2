/** Waiting for what node:http says of its servers in this process, in place of some time. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel'

const CHANNEL = 'http.server.request.start'

/** Waits until servers have read so many requests from now on, and have passed them on. */
export function requestsRead(most: number): Promise<void> {
  return new Promise((resolve) => {
    let count = 0
    const counted = () => {
      if (++count < most) return
      unsubscribe(CHANNEL, counted)
      setImmediate(resolve)
    }
    subscribe(CHANNEL, counted)
  })
}
