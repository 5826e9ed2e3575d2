/** Uses another port than the workspace's for one run; an issuer that was made from host and port changes with it. */
import { createServer } from 'node:net'
import { InvalidArgumentError, Option } from 'commander'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { listeningAt, PUBLIC_ADDRESS } from '../../serve/http/request/address.ts'

export const portOption = (): Option =>
  new Option('--port <number>', 'instead of the port in tieout.yaml; 0 for any free one').argParser(
    (text) => {
      if (!/^\d{1,5}$/.test(text) || Number(text) > 65535)
        throw new InvalidArgumentError('It must be a number from 0 to 65535.')
      return Number(text)
    },
  )

/** Finds a free port before the server starts, because tokens and links contain the address. */
export async function withPort(workspace: Workspace, asked: number | undefined): Promise<Workspace> {
  if (asked === undefined) return workspace
  const { host, issuer, statesIssuer } = workspace.server
  const port = asked === 0 ? await freePort(host) : asked
  const { baseUrl } = await import('../../builder/workspace/workspace.ts')
  return {
    ...workspace,
    server: {
      ...workspace.server,
      port,
      issuer: statesIssuer ? issuer : baseUrl(host, port),
    },
  }
}

async function freePort(host: string): Promise<number> {
  const server = createServer()
  await listeningAt(
    PUBLIC_ADDRESS,
    host,
    0,
    () =>
      new Promise<void>((resolve, reject) => {
        server.once('error', reject)
        server.listen(0, host, resolve)
      }),
  )
  const address = server.address()
  await new Promise((resolve) => server.close(resolve))
  return typeof address === 'object' && address !== null ? address.port : 0
}
