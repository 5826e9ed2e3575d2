/** Pages of docs/, whose examples tests take at their word. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { repository } from '../cli/command.ts'

export const pageText = (name: string): string => readFileSync(join(repository, 'docs', name), 'utf8')

/** What stands in the blocks of one language, in their order. */
export const blocksOf = (page: string, language: string): string[] =>
  [...page.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\``, 'gm'))].map((match) => match[1]!)
