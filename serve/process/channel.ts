/**
 * Questions and answers between the primary process and a serving process, in both directions, over the channel
 * that Node opens.
 */
import { errorOf, type Failure, failureOf } from './failures.ts'

/** The questions that one side answers. The signal aborts when the answer is no longer needed. */
export type Methods = {
  readonly [name: string]: (argument: never, signal: AbortSignal) => unknown
}

type Argument<M extends Methods, K extends keyof M> = Parameters<M[K]>[0]
type Answer<M extends Methods, K extends keyof M> = Awaited<ReturnType<M[K]>>

export interface Channel<Theirs extends Methods> {
  /**
   * Throws what the other side throws (`failures.ts`), or an error where it has ended. Aborting the `signal`
   * rejects the question.
   */
  ask<K extends keyof Theirs & string>(
    method: K,
    argument: Argument<Theirs, K>,
    signal?: AbortSignal,
  ): Promise<Answer<Theirs, K>>
  /** The other side has ended: all open questions are rejected. */
  close(): void
}

/** This process's end of a channel: `process` itself, or a child process. */
export interface Port {
  send?(message: object, done: (problem: Error | null) => void): unknown
  on(event: 'message', listener: (message: Message) => void): unknown
}

type Message =
  | { readonly kind: 'ask'; readonly id: number; readonly method: string; readonly argument: unknown }
  | { readonly kind: 'leave'; readonly id: number }
  | { readonly kind: 'answer'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'failed'; readonly id: number; readonly failure: Failure }

interface Asked {
  readonly resolve: (value: unknown) => void
  readonly reject: (problem: Error) => void
}

export function openChannel<Theirs extends Methods>(port: Port, own: Methods): Channel<Theirs> {
  const asked = new Map<number, Asked>()
  /** Questions of the other side that are being answered here. */
  const answering = new Map<number, AbortController>()
  let lastId = 0
  let isClosed = false
  const send = (message: Message): void => {
    // A message that cannot be sent is for a process that has ended, which `close` handles.
    if (!isClosed) port.send?.(message, () => {})
  }
  const answer = async ({ id, method, argument }: Extract<Message, { kind: 'ask' }>): Promise<void> => {
    const leaving = new AbortController()
    answering.set(id, leaving)
    try {
      const handle = own[method]
      if (handle === undefined) throw new Error(`this process cannot be asked for ${method}`)
      send({ kind: 'answer', id, value: await handle(argument as never, leaving.signal) })
    } catch (problem) {
      send({ kind: 'failed', id, failure: failureOf(problem) })
    } finally {
      answering.delete(id)
    }
  }
  const take = (id: number): Asked | undefined => {
    const found = asked.get(id)
    asked.delete(id)
    return found
  }

  port.on('message', (message) => {
    if (message.kind === 'ask') void answer(message)
    else if (message.kind === 'leave') answering.get(message.id)?.abort()
    else if (message.kind === 'answer') take(message.id)?.resolve(message.value)
    else if (message.kind === 'failed') take(message.id)?.reject(errorOf(message.failure))
  })

  return {
    ask: (method, argument, signal) =>
      new Promise<never>((resolve, reject) => {
        if (isClosed) return reject(ended())
        const id = ++lastId
        const leave = (): void => {
          take(id)?.reject(new Error('nobody waits for the answer any more'))
          send({ kind: 'leave', id })
        }
        const settle = (): void => signal?.removeEventListener('abort', leave)
        asked.set(id, {
          resolve: (value) => {
            settle()
            resolve(value as never)
          },
          reject: (problem) => {
            settle()
            reject(problem)
          },
        })
        send({ kind: 'ask', id, method, argument })
        if (signal?.aborted) leave()
        else signal?.addEventListener('abort', leave, { once: true })
      }),
    close: () => {
      isClosed = true
      for (const id of [...asked.keys()]) take(id)?.reject(ended())
      for (const leaving of answering.values()) leaving.abort()
    },
  }
}

const ended = (): Error => new Error('the other process has ended')
