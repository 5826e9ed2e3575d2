/** Counts the connections of each address, so that one address cannot take them all. */
import type { Socket } from 'node:net'

interface Peer {
  connections: number
  /** The refusal was reported. */
  told: boolean
}

/**
 * Counts a connection, or ends it at once where its address has `most` already; `refused` is called once for each
 * address.
 */
export function limitPeers(
  most: number,
  addressOf: (socket: Socket) => string | null,
  refused: (address: string) => void,
): (socket: Socket) => void {
  const peers = new Map<string, Peer>()
  return (socket) => {
    const address = addressOf(socket)
    if (address === null) return
    const peer = peers.get(address) ?? { connections: 0, told: false }
    if (peer.connections >= most) {
      socket.destroy()
      if (!peer.told) refused(address)
      peer.told = true
      return
    }
    peers.set(address, peer)
    peer.connections++
    socket.once('close', () => {
      if (--peer.connections === 0) peers.delete(address)
    })
  }
}
