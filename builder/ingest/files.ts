/** Which files a key of company.yaml names, and what the manifest says of each: size and SHA-256. */
import { createHash } from 'node:crypto'
import { stat } from 'node:fs/promises'
import { isAbsolute, join, posix } from 'node:path'
import { glob } from 'tinyglobby'
import { byCodePoint } from '../contract/vocabulary.ts'
import { error, type Finding } from '../workspace/finding.ts'
import { COMPANY_FILE } from '../workspace/workspace.ts'

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/**
 * Paths relative to the company's folder, in code point order. `key` is the key of company.yaml that says `pattern`.
 * The folder holds all that a snapshot is made of, so a pattern that leaves it is refused.
 */
export async function findFiles(
  folder: string,
  pattern: string,
  key: string,
): Promise<{ readonly files: readonly string[]; readonly findings: readonly Finding[] }> {
  const place = { file: COMPANY_FILE, column: key, text: pattern }
  const path = posix.normalize(pattern)
  if (isAbsolute(pattern) || path === '..' || path.startsWith('../'))
    return {
      files: [],
      findings: [
        error('file-outside-folder', `"${pattern}" lies outside the company's folder`, {
          ...place,
          remedy: 'copy the file into the folder and name it relative to company.yaml',
        }),
      ],
    }
  // A name that exists is that file, even where it holds characters that a pattern would read: `Chart (2025).csv`.
  const exact = await stat(join(folder, path)).then(
    (found) => found.isFile(),
    () => false,
  )
  if (exact) return { files: [path], findings: [] }
  const files = await glob(path, {
    cwd: folder,
    expandDirectories: false,
    // Excel leaves `~$name.xlsx` beside a workbook that someone has open.
    ignore: ['**/~$*'],
  })
  if (files.length > 0) return { files: files.sort(byCodePoint), findings: [] }
  return {
    files: [],
    findings: [
      error('no-such-file', `there is no file "${pattern}"`, {
        ...place,
        remedy: 'check the name; it is relative to the folder of company.yaml, and capitals count',
      }),
    ],
  }
}
