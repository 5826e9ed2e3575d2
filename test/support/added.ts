/** Exports as a new user brings them: `tieout add`, the obvious answers, a build. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import * as assert from 'uvu/assert'
import { type AddOptions, type AddResult, addCompany } from '../../builder/ingest/add/add.ts'
import type { Workspace } from '../../builder/workspace/workspace.ts'
import { type Built, buildIn, COMPANY, type Files, inWorkspace, writeFiles } from './workspace.ts'

/** What `tieout add` says of files, and what it makes of them. */
export interface Proposed {
  readonly result: AddResult
  /** company.yaml as it was proposed; '' where nothing was added. */
  readonly yaml: string
  readonly workspace: Workspace
  /** Of company.yaml. */
  readonly path: string
}

export interface Added extends Proposed {
  readonly built: Built
  /** Accounts whose kind is asked. */
  readonly questions: readonly string[]
}

/** The files of a case in test/ingest/cases. */
export function caseFiles(name: string): Files {
  const folder = resolve(import.meta.dirname, '../ingest/cases', name)
  return Object.fromEntries(readdirSync(folder).map((file) => [file, readFileSync(join(folder, file))]))
}

/** Adds the files to a company that was not there before. */
export async function proposed<T>(
  files: Files,
  look: (proposed: Proposed) => T | Promise<T>,
  options: AddOptions = {},
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'tieout-exports-'))
  try {
    return await inWorkspace({}, async (workspace) => {
      rmSync(join(workspace.datasets, COMPANY), { recursive: true, force: true })
      writeFiles(folder, files)
      const paths = Object.keys(files).map((name) => join(folder, name))
      const result = await addCompany(workspace, COMPANY, paths, options)
      const path = join(workspace.datasets, COMPANY, 'company.yaml')
      const yaml = existsSync(path) ? readFileSync(path, 'utf8') : ''
      return await look({ result, yaml, workspace, path })
    })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** `answers`: text behind a key of company.yaml → what is written there, in place of a question or an assumption. */
export const added = <T>(
  files: Files,
  look: (added: Added) => T | Promise<T>,
  answers: Readonly<Record<string, string>> = {},
  options: AddOptions = {},
): Promise<T> =>
  proposed(
    files,
    async (all) => {
      assert.equal(all.result.findings, [])
      const usual = { name: 'Acme', fiscalMonthEnd: '12', currency: 'USD', opening: 'none' }
      writeFileSync(all.path, answered(all.yaml, { ...usual, ...answers }))
      const kinds = all.yaml.matchAll(/^ {2}"([^"]+)": \{ classification: FILL IN/gm)
      const questions = Array.from(kinds, (match) => match[1]!)
      return look({ ...all, questions, built: await buildIn(all.workspace, COMPANY) })
    },
    options,
  )

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
