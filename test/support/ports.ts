/** Ports of this machine, for the servers that tests start. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** A port that was free a moment ago, below those that the system gives to clients (32768 and up on Linux). */
export async function freePort(): Promise<number> {
  const port = randomInt(20_000, 32_000)
  const isFree = await new Promise<boolean>((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
  return isFree ? port : freePort()
}
