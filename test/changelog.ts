/** Puts together what is not released yet, from the files of changelog/unreleased/, as a section of CHANGELOG.md: `npm run changelog`. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../changelog/unreleased/', import.meta.url))

/** The topics, by the word with which the name of a file begins, in the order of the section. */
const TOPICS = {
  figures: 'Figures',
  reading: 'Reading',
  pages: 'Pages',
  evidence: 'Evidence',
  server: 'Server and interface',
  running: 'Running it',
  commands: 'Commands',
} as const
/** Kinds of changes, in their order within a topic. */
const KINDS = ['New', 'Change', 'Fix'] as const

export interface Item {
  readonly topic: string
  readonly kind: string
  readonly text: string
}

/** None after a release, when git does not even keep the folder. */
export const unreleasedFiles = (): string[] => (existsSync(FOLDER) ? readdirSync(FOLDER).sort() : [])

/** The change that a file states: its kind and a sentence, and below an empty line what else is to be said. Throws where it is none. */
export function itemOf(name: string, text = readFileSync(join(FOLDER, name), 'utf8')): Item {
  const topic = /^([a-z]+)-[a-z0-9-]+\.md$/.exec(name)?.[1] ?? ''
  if (!Object.hasOwn(TOPICS, topic)) throw new Error(`${name}: begins with one of ${Object.keys(TOPICS)}`)
  const [, kind, title, more = ''] = /^(\w+): ([^\n]+\.)\n(?:\n([^\n].*)\n)?$/s.exec(text) ?? []
  if (kind === undefined || title === undefined || !KINDS.some((known) => known === kind))
    throw new Error(`${name}: is "New: ", "Change: " or "Fix: " with a sentence, an empty line, and more`)
  return { topic, kind, text: [title, ...more.split('\n')].join(' ').trim() }
}

/** The section under this heading. */
export function sectionOf(heading: string, items: readonly Item[]): string {
  const topics = Object.entries(TOPICS).flatMap(([topic, title]) => {
    const lines = KINDS.flatMap((kind) =>
      items
        .filter((item) => item.topic === topic && item.kind === kind)
        .map(({ text }) => `- **${kind}:** ${text}\n`),
    )
    return lines.length > 0 ? [`### ${title}\n${lines.join('')}`] : []
  })
  return `## ${heading}\n\n${topics.join('\n')}`
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  process.stdout.write(
    sectionOf(
      process.argv[2] ?? 'Unreleased',
      unreleasedFiles().map((name) => itemOf(name)),
    ),
  )
