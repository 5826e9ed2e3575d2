/** Bounds a map: deletes the oldest entries until `most` are left. */
export function keepNewest<Key>(remembered: Map<Key, unknown>, most: number): void {
  for (const oldest of remembered.keys()) {
    if (remembered.size <= most) return
    remembered.delete(oldest)
  }
}
