/** Time-stamping authorities that a test runs: openssl makes the certificates and the stamps, node:http serves them. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { openssl } from './openssl.ts'

const SETTINGS = `[tsa]
default_tsa = the_one
[the_one]
serial = ./serial
crypto_device = builtin
signer_cert = ./tsa.crt
certs = ./ca.crt
signer_key = ./tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
accuracy = secs:1
ess_cert_id_chain = no
ess_cert_id_alg = sha256
`
const FOR_STAMPS = 'extendedKeyUsage=critical,timeStamping\nkeyUsage=critical,digitalSignature\n'

export interface Authority {
  readonly folder: string
  /** Of whoever vouches for it, and its own: files in PEM. */
  readonly root: string
  readonly own: string
  /** The answer to a query, in DER. */
  answer(query: Buffer): Buffer
}

interface Made {
  /** Whether its keys are of RSA, which take long to make; else they are of an elliptic curve. */
  readonly rsa?: boolean
  readonly extensions?: string
  /** From when on, and how long, its own certificate is valid: as openssl takes it. */
  readonly valid?: readonly string[]
  /** The hash algorithm under its signatures. */
  readonly digest?: string
}

/** An authority with a root of its own, in a new folder. */
export function makeAuthority(
  top: string,
  name: string,
  { rsa = false, extensions = FOR_STAMPS, valid = ['-days', '30'], digest = 'sha256' }: Made = {},
): Authority {
  const folder = join(top, name)
  mkdirSync(folder)
  const key = rsa ? ['rsa:2048'] : ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256']
  const newKey = ['-newkey', ...key, '-nodes']
  openssl(
    folder,
    'req',
    '-x509',
    ...newKey,
    '-keyout',
    'ca.key',
    '-out',
    'ca.crt',
    '-subj',
    `/CN=Root of ${name}`,
    '-days',
    '3650',
  )
  openssl(folder, 'req', ...newKey, '-keyout', 'tsa.key', '-out', 'tsa.csr', '-subj', `/CN=${name}`)
  writeFileSync(join(folder, 'extensions'), extensions)
  const signed = ['-CA', 'ca.crt', '-CAkey', 'ca.key', '-CAcreateserial', '-extfile', 'extensions']
  openssl(folder, 'x509', '-req', '-in', 'tsa.csr', ...signed, '-out', 'tsa.crt', ...valid)
  writeFileSync(
    join(folder, 'tsa.cnf'),
    SETTINGS.replace('signer_digest = sha256', `signer_digest = ${digest}`),
  )
  writeFileSync(join(folder, 'serial'), '01\n')
  return {
    folder,
    root: join(folder, 'ca.crt'),
    own: join(folder, 'tsa.crt'),
    answer: (query) => {
      const place = mkdtempSync(join(folder, 'asked-'))
      writeFileSync(join(place, 'q'), query)
      openssl(
        folder,
        'ts',
        '-reply',
        '-config',
        'tsa.cnf',
        '-queryfile',
        join(place, 'q'),
        '-out',
        join(place, 'r'),
      )
      return readFileSync(join(place, 'r'))
    },
  }
}

/**
 * A PEM file with the root of an authority and its list of revoked certificates, on which the authority's own stands since so many
 * hours ago (less than 0: in so many hours), for a reason as openssl names it.
 */
export function revoked({ folder, root }: Authority, hoursAgo: number, reason = ''): string {
  const serial = openssl(folder, 'x509', '-in', 'tsa.crt', '-noout', '-serial')
    .toString()
    .trim()
    .split('=')[1]!
  const when = new Date(Date.now() - hoursAgo * 3_600_000)
    .toISOString()
    .replace(/[-:T]|\.\d+/g, '')
    .slice(2)
  const place = mkdtempSync(join(folder, 'revoked-'))
  const entry = ['R', '491231235959Z', reason === '' ? when : `${when},${reason}`, serial, 'unknown', '/CN=A']
  writeFileSync(join(place, 'index.txt'), `${entry.join('\t')}\n`)
  const settings = `[ca]\ndefault_ca = own\n[own]\ndatabase = ${place}/index.txt\ndefault_md = sha256\ndefault_crl_days = 30\n`
  writeFileSync(join(place, 'ca.cnf'), settings)
  const signed = ['-keyfile', 'ca.key', '-cert', 'ca.crt', '-config', join(place, 'ca.cnf')]
  openssl(folder, 'ca', '-gencrl', ...signed, '-out', join(place, 'list.pem'))
  const pem = join(place, 'both.pem')
  writeFileSync(pem, readFileSync(root, 'utf8') + readFileSync(join(place, 'list.pem'), 'utf8'))
  return pem
}

/** A query for any bytes, as openssl asks it. */
export function queryFor(folder: string, bytes: Buffer): Buffer {
  const place = mkdtempSync(join(folder, 'query-'))
  writeFileSync(join(place, 'data'), bytes)
  return execFileSync('openssl', ['ts', '-query', '-data', 'data', '-sha256', '-cert'], {
    cwd: place,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
}

export type Handler = (query: Buffer, response: ServerResponse, request: IncomingMessage) => void

export const answering =
  ({ answer }: Pick<Authority, 'answer'>): Handler =>
  (query, response) =>
    void response.writeHead(200, { 'content-type': 'application/timestamp-reply' }).end(answer(query))

/** A server whose answers can be exchanged. */
export class StampServer {
  handler: Handler
  readonly asked: { readonly type: string | undefined; readonly bytes: number }[] = []
  readonly #server: Server

  constructor(handler: Handler) {
    this.handler = handler
    this.#server = createServer(async (request, response) => {
      const query = await buffer(request)
      this.asked.push({ type: request.headers['content-type'], bytes: query.length })
      this.handler(query, response, request)
    })
  }

  async open(): Promise<string> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/tsr`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((done) => this.#server.close(done))
  }
}
