/** A second server process on the state of the first, which may be killed. */
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { CHILD_OPTIONS } from '../../support/child.ts'

export interface Second {
  readonly child: ChildProcess
  readonly url: string
  readonly ended: Promise<unknown[]>
  kill(): Promise<void>
}

/** Starts it on the state in `folder`; its address is undefined where it ends before it listens. */
export async function beginSecond(
  { folder, issuer }: { readonly folder: string; readonly issuer: string },
  env: NodeJS.ProcessEnv = {},
): Promise<Second> {
  const child = fork(fileURLToPath(new URL('second-process.ts', import.meta.url)), [folder, issuer], {
    execArgv: [...CHILD_OPTIONS],
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const ended = once(child, 'exit')
  const [port] = (await Promise.race([once(child, 'message'), ended])) as [unknown]
  return {
    child,
    url: `http://127.0.0.1:${port}`,
    ended,
    kill: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}
