/** What the OAuth room hands to whatever listens: a table of plain node:http handlers. Knows no router. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Route {
  readonly method: 'GET' | 'POST'
  /** A literal path, no parameters. HEAD of a GET path, and 405 with `Allow`, are the listener's. */
  readonly path: string
  /** Always answers, its own errors included; it does not reject. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>
}
