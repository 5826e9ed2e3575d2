/** Exports as a new user brings them: `tieout add`, the obvious answers, a build. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as assert from 'uvu/assert'
import { type AddOptions, addCompany } from '../../builder/ingest/add/add.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { type Built, buildIn, COMPANY, type Files, inWorkspace } from './workspace.ts'

export interface Added {
  readonly built: Built
  /** Accounts whose kind is asked. */
  readonly questions: readonly string[]
  /** company.yaml as it was proposed. */
  readonly yaml: string
  readonly workspace: Workspace
}

/** The files of a case in test/ingest/cases. */
export function caseFiles(name: string): Files {
  const folder = resolve(import.meta.dirname, '../ingest/cases', name)
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]))
}

/** `answers`: text behind a key of company.yaml → what is written there, in place of a question or an assumption. */
export async function added<T>(
  files: Files,
  look: (added: Added) => T | Promise<T>,
  answers: Readonly<Record<string, string>> = {},
  options: AddOptions = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-exports-'))
  try {
    return await inWorkspace({}, async (workspace) => {
      rmSync(join(workspace.datasets, COMPANY), { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
      const paths = Object.keys(files).map((name) => join(folder, name))
      const { findings } = await addCompany(workspace, COMPANY, paths, options)
      assert.equal(findings, [])
      const path = join(workspace.datasets, COMPANY, 'company.yaml')
      const yaml = readFileSync(path, 'utf8')
      const all = { name: 'Acme', fiscalMonthEnd: '12', currency: 'USD', opening: 'none', ...answers }
      writeFileSync(path, answered(yaml, all))
      const questions = [...yaml.matchAll(/^ {2}"([^"]+)": \{ classification: FILL IN/gm)].map(
        (match) => match[1]!,
      )
      return await look({ built: await buildIn(workspace, COMPANY), questions, yaml, workspace })
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** company.yaml with these answers, by key, over its questions and assumptions. */
export const answered = (yaml: string, answers: Readonly<Record<string, string>>): string =>
  Object.entries(answers).reduce(
    (text, [key, answer]) =>
      text
        .replace(questionOf(key), (line) => line.replace(/: .*$/, `: ${answer}`))
        .replaceAll(` ${key}: FILL IN`, ` ${key}: ${answer}`),
    yaml,
  )

const questionOf = (key: string): RegExp =>
  new RegExp(`^\\s*"?${key}"?: (?:.*FILL IN|.*please check).*$`, 'm')
