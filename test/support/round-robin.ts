/**
 * A proxy over HTTP that sends each request to the next of several servers, as one in front of two nodes does. A server that
 * refuses the connection is passed over; one that ends in the middle of an answer ends that answer.
 */
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface RoundRobin {
  readonly address: string
  readonly port: number
  /** Ports of the servers behind it on this computer, which may change at any time. */
  servers: readonly number[]
  close(): Promise<void>
}

/** Listens on a free port; the servers are named later, since they need its address as their issuer. */
export async function startRoundRobin(servers: readonly number[] = []): Promise<RoundRobin> {
  let turn = 0
  const http = createServer((req, res) => {
    const first = turn++
    const chunks: Buffer[] = []
    req.on('data', (chunk: Buffer) => chunks.push(chunk))
    req.on('end', () => {
      const order = proxy.servers.map((_, i) => proxy.servers[(first + i) % proxy.servers.length]!)
      pass(req, Buffer.concat(chunks), res, order)
    })
  })
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const { port } = http.address() as AddressInfo
  const proxy: RoundRobin = {
    address: `http://127.0.0.1:${port}`,
    port,
    servers,
    close: async () => {
      http.closeAllConnections()
      await new Promise((resolve) => http.close(resolve))
    },
  }
  return proxy
}

function pass(
  req: IncomingMessage,
  body: Buffer,
  res: ServerResponse,
  [server, ...others]: readonly number[],
): void {
  if (server === undefined) return void res.writeHead(502).end()
  const headers = { ...req.headers, 'x-forwarded-for': req.socket.remoteAddress }
  // A connection of its own, so that it tells at once whether the server is there.
  const options = {
    host: '127.0.0.1',
    port: server,
    path: req.url,
    method: req.method,
    headers,
    agent: false,
  }
  const asked = request(options, (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.rawHeaders)
    answer.on('error', () => res.destroy())
    answer.pipe(res)
  })
  asked.on('error', (problem: NodeJS.ErrnoException) => {
    if (problem.code === 'ECONNREFUSED') pass(req, body, res, others)
    else if (res.headersSent) res.destroy()
    else res.writeHead(502).end()
  })
  asked.end(body)
}
