/** The port for operators, with metrics and health, which no client needs to reach. */

import { type Readiness, type Remark, sendAlive, sendReadiness } from './health.ts'
import { type Listening, listen } from './listen.ts'
import type { Metrics } from './metrics.ts'
import { leaveUnread, statedBytes } from './request/request-body.ts'

interface AdminOptions {
  readonly host: string
  readonly port: number
  readonly metrics: Pick<Metrics, 'page' | 'contentType'>
  readonly readiness: Readiness
  readonly remark?: Remark
}

export async function listenAdmin({
  host,
  port,
  metrics,
  readiness,
  remark,
}: AdminOptions): Promise<Listening> {
  const listening = await listen(host, port, { limits: { maxConnections: 64 } })
  listening.serve((req, res) => {
    if (statedBytes(req) > 0) leaveUnread(req, res)
    const path = req.url?.split('?')[0]
    if (req.method !== 'GET' && req.method !== 'HEAD') res.writeHead(405, { Allow: 'GET, HEAD' }).end()
    else if (path === '/metrics')
      metrics.page().then(
        (page) => res.writeHead(200, { 'Content-Type': metrics.contentType }).end(page),
        () => res.destroy(),
      )
    else if (path === '/healthz') sendAlive(res)
    else if (path === '/readyz') sendReadiness(res, readiness, remark).catch(() => res.destroy())
    else res.writeHead(404).end()
  })
  return listening
}
