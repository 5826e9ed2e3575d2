/**
 * The address of the client: that of the connection, or behind trusted proxies the one that the outermost of them
 * saw.
 */
import type { IncomingMessage } from 'node:http'
import { BlockList, isIP, isIPv6, type Socket } from 'node:net'
import { headersCalled } from './headers.ts'

/** The number of proxies in front of the server, or their addresses and CIDR blocks. */
export type TrustedProxies = number | readonly string[]

/**
 * Each proxy appends the address that it saw to X-Forwarded-For. Only the right end can be trusted, since the
 * client may have written the rest.
 */
export function createAddressOf(trusted: TrustedProxies): (req: IncomingMessage) => string {
  const choose = typeof trusted === 'number' ? byHops(trusted) : byAddress(trusted)
  const hasProxies = typeof trusted === 'number' ? trusted > 0 : trusted.length > 0
  return (req) => {
    const peer = peerOf(req.socket)
    if (peer === '') return 'unknown'
    if (!hasProxies) return network(peer)
    const header = headersCalled('x-forwarded-for', req.rawHeaders).join(',')
    return network(choose(peer, header.split(',').map(plain)))
  }
}

/** The network of a connection; null where it is, or may be, that of a trusted proxy, which many clients share. */
export function createPeerOf(trusted: TrustedProxies): (socket: Socket) => string | null {
  const isProxy = typeof trusted === 'number' ? () => trusted > 0 : proxiesOf(trusted)
  return (socket) => {
    const peer = peerOf(socket)
    return peer === '' || isProxy(peer) ? null : network(peer)
  }
}

type Choose = (peer: string, forwarded: readonly string[]) => string

/** A header with fewer entries than proxies did not pass through them; it is the client's own and is ignored. */
const byHops =
  (hops: number): Choose =>
  (peer, forwarded) => {
    const client = hops === 0 ? undefined : forwarded.at(-hops)
    return client === undefined || isIP(client) === 0 ? peer : client
  }

function proxiesOf(trusted: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList()
  for (const entry of trusted) {
    const [address = '', bits] = entry.split('/')
    const family = isIPv6(address) ? 'ipv6' : 'ipv4'
    if (bits === undefined) proxies.addAddress(address, family)
    else proxies.addSubnet(address, Number(bits), family)
  }
  return (address) => proxies.check(address, isIPv6(address) ? 'ipv6' : 'ipv4')
}

function byAddress(trusted: readonly string[]): Choose {
  const isProxy = proxiesOf(trusted)
  return (peer, forwarded) => {
    let client = peer
    for (const address of [...forwarded].reverse()) {
      if (!isProxy(client) || isIP(address) === 0) break
      client = address
    }
    return client
  }
}

/** The address at the other end of a connection; empty where it has ended. */
const peerOf = ({ remoteAddress }: Socket): string => withoutMapping(remoteAddress ?? '')

/** Removes blanks, brackets and the port, which some proxies write. */
const plain = (text: string): string =>
  withoutMapping(
    text
      .trim()
      .replace(/^\[([^\]]*)\](:\d+)?$/, '$1')
      .replace(/^(\d+\.\d+\.\d+\.\d+):\d+$/, '$1'),
  )

/** An IPv4 address inside IPv6 becomes IPv4. */
const withoutMapping = (address: string): string => address.replace(/^::ffff:(?=\d+\.\d+\.\d+\.\d+$)/i, '')

/** Reduces an IPv6 address to its /64 network, all of which usually belongs to one subscriber. */
function network(address: string): string {
  if (!isIPv6(address)) return address
  const [left = '', right] = address.replace(/%.*/, '').toLowerCase().split('::')
  const groups = (part: string) => part.split(':').filter((group) => group !== '')
  const missing = right === undefined ? 0 : 8 - groups(left).length - groups(right).length
  const all = [...groups(left), ...Array<string>(missing).fill('0'), ...groups(right ?? '')]
  return `${all
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':')}::/64`
}
