/** Reports what cannot be added whatever it holds: no file, a folder, litter of other programs. */
import { statSync } from 'node:fs'
import { basename } from 'node:path'
import { error, type Finding } from '../workspace/finding.ts'

/** The error where there is no file at `path`; empty where there is one. */
export function notAFile(path: string): Finding[] {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat?.isFile()) return []
  const [message, remedy] =
    stat === undefined
      ? [`there is no file ${path}`, 'check the name']
      : [`${path} is a folder`, 'name the files in it']
  return [error('no-such-file', message, { file: basename(path), remedy })]
}

/** One finding, an error or a warning by `severe`, for all files that a user never means. */
export const leftBehind = (paths: readonly string[], severe: typeof error): Finding =>
  severe(
    'left-behind-file',
    `${paths.map((path) => basename(path)).join(', ')}: left by Windows, macOS or a spreadsheet program, and passed over`,
    { remedy: 'name the exports; nothing need be done about the others' },
  )
