/** Bounds a map that remembers: what was put in first goes first, until `most` entries are left. */
export function keepNewest<Key>(remembered: Map<Key, unknown>, most: number): void {
  for (const oldest of remembered.keys()) {
    if (remembered.size <= most) return
    remembered.delete(oldest)
  }
}
