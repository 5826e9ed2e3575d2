/** Files of lines that are followed one after the other, with what each of them gives. `UPDATE=1` writes anew what they give. */
import { readFileSync, writeFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { differences } from './line-changes.ts'

/** What a line gives stands below it, indented and without empty lines; a line that gives nothing is a remark, or changes something. */
export async function heldTo(file: string, follow: (line: string) => Promise<string>): Promise<void> {
  const text = readFileSync(file, 'utf8')
  const lines: string[] = []
  for (const line of text.trimEnd().split('\n')) {
    if (/^ |^$/.test(line)) continue
    const given = (await follow(line)).split('\n').filter(Boolean)
    lines.push(line, ...given.map((each) => `  ${each}`))
  }
  const anew = `${lines.join('\n')}\n`
  if (process.env.UPDATE === '1') writeFileSync(file, anew)
  else if (anew !== text)
    assert.unreachable(
      [`${file}: UPDATE=1 npm test writes it anew`, ...differences(text.split('\n'), anew.split('\n'))].join(
        '\n',
      ),
    )
}

/** `companies.snapshots.length` as JSON: of a list, the members of each. */
export const memberOf = (value: unknown, path: string): string =>
  JSON.stringify(
    path.split('.').reduce<unknown>((found, name) => {
      const inner = (each: unknown): unknown => (each as Record<string, unknown>)?.[name] ?? null
      return Array.isArray(found) && name !== 'length' ? found.flat().map(inner) : inner(found)
    }, value),
  )
