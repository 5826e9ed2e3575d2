/** Lists by key. */

/** Adds a value to the list of its key, in time that does not depend on how many are there. */
export function addTo<Key, Value>(groups: Map<Key, Value[]>, key: Key, value: Value): void {
  const group = groups.get(key)
  if (group) group.push(value)
  else groups.set(key, [value])
}
