/** The form of a route: OAuth is a table of plain node:http handlers, independent of any router. */
import type { IncomingMessage, ServerResponse } from 'node:http'

export interface Route {
  readonly method: 'GET' | 'POST'
  /** A literal path without parameters. The listener answers HEAD of a GET path, and 405 with `Allow`. */
  readonly path: string
  /** Read by applications, not by people. */
  readonly isForApplications?: boolean
  /** Always answers, also after an error; never rejects. */
  readonly handle: (req: IncomingMessage, res: ServerResponse) => Promise<void>
}
