/** Parses JSON in which each object names each member once. Of two members of one name, programs disagree which counts (RFC 8259 §4). */

/** Thrown for JSON in which an object names a member twice. */
class RepeatedMemberError extends SyntaxError {}

/** Parses JSON as JSON.parse does. Throws {@link RepeatedMemberError} where an object names a member twice. */
export function parseJson(text: string): unknown {
  const found: unknown = JSON.parse(text)
  for (const { name } of repeatedMembers(text)) throw new RepeatedMemberError(`names "${name}" twice`)
  return found
}

/** Why {@link parseJson} refused a text, in words that follow the name of its file. */
export const notJson = (problem: unknown): string =>
  problem instanceof RepeatedMemberError ? problem.message : 'is not JSON'

/** The members that their object names again, in a text that is known to be JSON. Those of the outermost object have depth 1. */
export function* repeatedMembers(text: string): Generator<{ readonly depth: number; readonly name: string }> {
  /** The names in each object or list that is open. */
  const open: Set<string>[] = []
  let last = ''
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '{' || sign === '[') open.push(new Set())
    else if (sign === '}' || sign === ']') open.pop()
    else if (sign === '"') {
      const start = ++at
      while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1
      last = text.slice(start, at)
    } else if (sign === ':') {
      const name = last.includes('\\') ? (JSON.parse(`"${last}"`) as string) : last
      const names = open.at(-1)
      if (names?.has(name)) yield { depth: open.length, name }
      names?.add(name)
    }
  }
}
