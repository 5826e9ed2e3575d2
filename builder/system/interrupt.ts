/**
 * Undoes unfinished work when somebody stops the program (Ctrl-C, SIGTERM), and finishes steps that belong together first. After
 * a kill nothing of this runs; the next change then repairs what was left.
 */
const undos = new Set<() => void>()
let finishing = 0

/** `undo` runs when the program is stopped, until the returned function is called. */
export function undoWhenStopped(undo: () => void): () => void {
  undos.add(undo)
  return () => undos.delete(undo)
}

/** Runs steps that belong together, such as a publication. Whoever stops the program meanwhile waits for their end. */
export async function finishFirst<T>(steps: () => Promise<T>): Promise<T> {
  finishing++
  try {
    return await steps()
  } finally {
    finishing--
  }
}

/** Undoes unfinished work, the latest first. Returns false and undoes nothing while steps must be finished first. */
export function undoAll(): boolean {
  if (finishing > 0) return false
  for (const undo of [...undos].reverse())
    try {
      undo()
    } catch {
      // A disk error in one of them must not prevent the others.
    }
  undos.clear()
  return true
}
