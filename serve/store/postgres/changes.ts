/** What one write is to change: the last word about each record, to be applied together. */
import type { Change, Kind } from '../store.ts'
import { placeOf } from './recent.ts'

interface Put {
  readonly kind: string
  readonly key: string
  readonly owner: string | null
  readonly record: string
}

export interface Changes extends Pick<Change, 'put' | 'remove'> {
  places(): readonly string[]
  /** `announced` are the places of which other servers are told at once. */
  all(): {
    readonly removed: readonly Pick<Put, 'kind' | 'key'>[]
    readonly put: readonly Put[]
    readonly announced: readonly string[]
  }
}

export function collectChanges(): Changes {
  const changes = new Map<string, Pick<Put, 'kind' | 'key'> | Put>()
  const announced = new Set<string>()
  let keeps: Kind<unknown>['keeps'] | null = null
  const note = <T>(kind: Kind<T>, key: string): string => {
    // As in files of lmdb, so that no write depends on which store it has.
    if (keeps !== null && keeps !== kind.keeps)
      throw new Error('one write changes durable and passing records')
    keeps = kind.keeps
    const place = placeOf(kind, key)
    if (kind.isAnnounced) announced.add(place)
    return place
  }
  return {
    put: (kind, key, record) =>
      void changes.set(note(kind, key), {
        kind: kind.name,
        key,
        owner: kind.ownerOf?.(record) ?? null,
        record: JSON.stringify(record),
      }),
    remove: (kind, key) => void changes.set(note(kind, key), { kind: kind.name, key }),
    places: () => [...changes.keys()],
    all: () => {
      const values = [...changes.values()]
      return {
        removed: values.filter((change) => !('record' in change)),
        put: values.filter((change) => 'record' in change),
        announced: [...announced],
      }
    },
  }
}
