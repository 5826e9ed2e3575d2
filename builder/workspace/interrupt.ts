/**
 * What is undone when somebody stops the program (Ctrl-C, SIGTERM), and what is finished first. A process that is killed needs
 * none of it: the next change settles what it left.
 */
const undos = new Set<() => void>()
let finishing = 0

/** `undo` runs when the program is stopped, until the returned function is called. */
export function undoWhenStopped(undo: () => void): () => void {
  undos.add(undo)
  return () => undos.delete(undo)
}

/** Steps that belong together, such as a publication: who stops the program in between waits for their end. */
export async function finishFirst<T>(steps: () => Promise<T>): Promise<T> {
  finishing++
  try {
    return await steps()
  } finally {
    finishing--
  }
}

/** Undoes what was begun, the latest first. False where steps have to be finished first: then nothing was undone. */
export function undoAll(): boolean {
  if (finishing > 0) return false
  for (const undo of [...undos].reverse())
    try {
      undo()
    } catch {
      // A disk that refuses one of them must not keep the others.
    }
  undos.clear()
  return true
}
