/** The server's store, opened only once its folder is closed to other users of the computer. */
import { openStore } from '../store/lmdb-store.ts'
import type { Kind, Store } from '../store/store.ts'
import { keepPrivate } from './private-files.ts'
import type { OAuthEvent } from './server.ts'

/** `state`: the server's folder of state, made where it is missing; `log` hears what was corrected or taken over in it. */
export function openServerStore(
  state: string,
  kinds: readonly Kind<unknown>[],
  log: (event: OAuthEvent) => void = () => {},
): Store {
  for (const { file, mode } of keepPrivate(state))
    log({
      event: 'mode-corrected',
      file,
      mode,
      detail: 'other users of this computer could read it until now',
    })
  return openStore(state, kinds, ({ event, detail }) => log({ event, detail }))
}
