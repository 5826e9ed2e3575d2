/** Opens the server's store, after making sure that no other user of the computer can read its folder. */
import { openStore } from '../store/lmdb-store.ts'
import type { Kind, Store } from '../store/store.ts'
import { keepPrivate } from './private-files.ts'
import type { OAuthEvent } from './server.ts'

/** `state` is the server's state folder, made where it is missing; `log` gets an event for every correction of it. */
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
