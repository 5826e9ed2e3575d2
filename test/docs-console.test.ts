/**
 * What pages show as the output of a command is what the command prints. The files and commands of a page are taken one after the
 * other, in a folder of its own. `UPDATE=1 npm test -- docs-console` writes the output anew.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import * as assert from 'uvu/assert'
import { inFolder, repository, tieout, wordsOf } from './cli/command.ts'
import { suite } from './suite.ts'

const UPDATE = process.env.UPDATE === '1'
/** The export that the README adds, as it lies in the repository. */
const EXPORT = 'datasets/nordvik/ledger/nordvik-2024-2025.se'

/** A block with a file's name holds that file; one called `console` holds commands with what they print. */
const BLOCK = /^```(\w+)(?: (\S+))?\n([\s\S]*?)^```$/gm
const COMMAND = /^\$ (.*)\n((?:(?!\$ ).*\n)*)/gm

/** Hashes, keys, times and versions are others each time; so is how many seconds something took. */
const settled = (text: string): string =>
  text
    .replace(/\b[0-9a-f]{64}\b/g, 'SHA-256')
    .replace(/\b\d{4}-\d\d-\d\d \d\d:\d\d\b/g, 'TIME')
    .replace(/ +\d+\.\d$/gm, ' SECONDS')
    .replace(/(\d documents +)[\w-]{8} /g, '$1KEY ')
    .replace(/tieout \d+\.\d+\.\d+/g, 'tieout VERSION')

/** The part of the output that a page shows: `…` as the first or last line stands for what it leaves out, by lines. */
function partOf(printed: string, shown: string): string {
  const lines = printed.split('\n').slice(0, -1)
  const count = shown.split('\n').length - 2
  if (shown.startsWith('…\n')) return ['…', ...lines.slice(-count), ''].join('\n')
  if (shown.endsWith('\n…\n')) return [...lines.slice(0, count), '…', ''].join('\n')
  return printed
}

/** The page, each output in it as it is printed today. */
function replayed(page: string): Promise<string> {
  const text = readFileSync(join(repository, page), 'utf8')
  return inFolder(async (root) => {
    const top = join(root, 'tieout')
    mkdirSync(join(top, dirname(EXPORT)), { recursive: true })
    copyFileSync(join(repository, EXPORT), join(top, EXPORT))
    let cwd = top
    let result = text
    for (const [block, kind, name, inside] of text.matchAll(BLOCK)) {
      if (kind !== 'console') {
        if (name === undefined) continue
        mkdirSync(dirname(join(cwd, name)), { recursive: true })
        writeFileSync(join(cwd, name), inside!)
        continue
      }
      let anew = block
      for (const [whole, command, shown] of inside!.matchAll(COMMAND)) {
        const [program, ...args] = wordsOf(command!.replace(/^npx /, ''))
        if (program === 'cd') {
          cwd = join(cwd, args[0]!)
          continue
        }
        assert.is(program, 'tieout', `${page}: ${command}`)
        const { code, out, err } = await tieout(args, { cwd })
        assert.is.not(code, 2, `${page}: ${command}: ${err}`)
        const printed = partOf(out.replaceAll(root, '…'), shown!)
        if (settled(printed) !== settled(shown!))
          anew = anew.replace(whole!, () => `$ ${command}\n${printed}`)
      }
      result = result.replace(block, anew)
    }
    return result
  })
}

const test = suite('output that pages show')

for (const page of ['README.md', 'docs/starting.md', 'docs/budgets.md', 'docs/groups.md'])
  test(page, async () => {
    const anew = await replayed(page)
    if (UPDATE) writeFileSync(join(repository, page), anew)
    else
      assert.fixture(
        anew,
        readFileSync(join(repository, page), 'utf8'),
        `${page} shows another output than the command prints: UPDATE=1 npm test -- docs-console`,
      )
  })
