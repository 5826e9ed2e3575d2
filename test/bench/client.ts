/**
 * An HTTP client that does no more than it must, so that the server is what is measured: one connection, one request at
 * a time, and what comes is counted, not decoded. It asks for what clients ask for.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'

const HEAD_END = '\r\n\r\n'

export interface Client {
  /** The status of the answer, once its last byte is here. */
  get(path: string): Promise<number>
  close(): void
}

export async function connectTo(origin: string, token: string): Promise<Client> {
  const { hostname, port, host } = new URL(origin)
  const socket = connect(Number(port), hostname).setNoDelay(true)
  await once(socket, 'connect')
  const headers = `Host: ${host}\r\nAuthorization: Bearer ${token}\r\nAccept: */*\r\nAccept-Encoding: gzip, deflate, br`
  return {
    get: (path) => {
      socket.write(`GET ${path} HTTP/1.1\r\n${headers}${HEAD_END}`)
      return answerOn(socket)
    },
    close: () => void socket.destroy(),
  }
}

/** Every answer that is measured states its length. */
function answerOn(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    let head = ''
    let left = Number.NaN
    const hear = (chunk: Buffer): void => {
      if (Number.isNaN(left)) {
        head += chunk.toString('latin1')
        const end = head.indexOf(HEAD_END)
        if (end === -1) return
        left = Number(/^content-length: (\d+)/im.exec(head)?.[1] ?? 0) - (head.length - end - HEAD_END.length)
      } else left -= chunk.length
      if (left > 0) return
      settle()
      resolve(Number(head.slice('HTTP/1.1 '.length, 12)))
    }
    const lose = (): void => {
      settle()
      reject(new Error('the server closed the connection'))
    }
    const settle = (): void => void socket.off('data', hear).off('close', lose)
    socket.on('data', hear).on('close', lose)
  })
}
