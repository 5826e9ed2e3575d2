/** A second server process on the same state, started by second.ts: `second-process.ts <folder> <issuer>`. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createAccess } from '../../../builder/workspace/access/access.ts'
import { stateOf } from '../../support/state.ts'
import { openOAuth } from './harness.ts'

const [folder, issuer] = process.argv.slice(2) as [string, string]
const oauth = await openOAuth({
  issuer,
  state: await stateOf(folder),
  access: createAccess(join(folder, 'access.yaml')),
  companies: () => [],
  accessTokenSeconds: 900,
})
const http = createServer((req, res) => {
  const path = req.url!.split('?')[0]
  const route = oauth.routes.find((candidate) => candidate.path === path && candidate.method === req.method)
  void route!.handle(req, res)
}).listen(0, '127.0.0.1', () => process.send!((http.address() as AddressInfo).port))
process.on('disconnect', () => process.exit())
