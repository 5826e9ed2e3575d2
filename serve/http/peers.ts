/** Counts the connections of each address, so that one address cannot take them all. */
import type { Socket } from 'node:net'

/** Counts a connection from that address, or ends it where the address has too many. */
export type TakePeer = (socket: Socket, address: string) => void

interface Peer {
  connections: number
  /** The refusal was reported. */
  isReported: boolean
}

/**
 * Counts the connections of this process, and ends at once those above `most` for their address; `refused` is
 * called once for each address.
 */
export function limitPeers(most: number, refused: (address: string) => void): TakePeer {
  const peers = new Map<string, Peer>()
  return (socket, address) => {
    const peer = peers.get(address) ?? { connections: 0, isReported: false }
    if (peer.connections >= most) {
      socket.destroy()
      if (!peer.isReported) refused(address)
      peer.isReported = true
      return
    }
    peers.set(address, peer)
    peer.connections++
    socket.once('close', () => {
      if (--peer.connections === 0) peers.delete(address)
    })
  }
}
