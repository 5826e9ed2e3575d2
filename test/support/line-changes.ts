/** Changes of a text, line by line: `@8` names the line where they begin, `-` a line that goes, `+` one that comes. */
import * as assert from 'uvu/assert'

/** The text with the changes, whose lines that go must stand there. */
export function changed(text: string, changes: string): string {
  const lines: (string | null)[] = text.split('\n')
  const more = new Map<number, string[]>()
  let at = 0
  for (const change of changes.replace(/\n$/, '').split('\n'))
    if (change.startsWith('@')) at = Number(change.slice(1)) - 1
    else if (change.startsWith('+')) more.set(at, [...(more.get(at) ?? []), change.slice(1)])
    else {
      assert.is(lines[at], change.slice(1), `line ${at + 1}`)
      lines[at++] = null
    }
  return [...lines, null]
    .flatMap((line, i) => [...(more.get(i) ?? []), ...(line === null ? [] : [line])])
    .join('\n')
}

/** How one list of lines becomes another, with as few changes as there can be, each below the heading (a line that is not indented) that it is under. */
export function differences(before: readonly string[], after: readonly string[]): string[] {
  // How many lines can stay, from each place on.
  const stay = Array.from({ length: before.length + 1 }, () => new Array<number>(after.length + 1).fill(0))
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      stay[i]![j] =
        before[i] === after[j] ? stay[i + 1]![j + 1]! + 1 : Math.max(stay[i + 1]![j]!, stay[i]![j + 1]!)
  const changes: string[] = []
  let heading: string | null = null
  const add = (sign: string, line: string) => {
    if (heading !== null && line.startsWith(' ')) changes.push(heading)
    heading = null
    changes.push(`${sign} ${line}`)
  }
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length)
    if (i < before.length && j < after.length && before[i] === after[j]) {
      if (!before[i]!.startsWith(' ')) heading = before[i]!
      i++
      j++
    } else if (j === after.length || (i < before.length && stay[i + 1]![j]! >= stay[i]![j + 1]!))
      add('-', before[i++]!)
    else add('+', after[j++]!)
  return changes
}
