/**
 * The paths by which Spark reads files of a table in a bucket: a whole folder where all files in it are meant, since
 * that is one request, and single files elsewhere.
 */
import { addTo } from '../../contract/grouping.ts'
import { isHiddenPath } from '../../workspace/table-address.ts'

/**
 * One path for files of one bucket, as a pattern of Hadoop. `others` lie beside them and are not meant. Where names
 * have unusual characters the pattern may match more; whoever reads keeps the rows of the files that it knows.
 */
export function tablePath(files: readonly string[], others: readonly string[]): string {
  const [, root = ''] = /^(\w+:\/\/[^/]+\/)/.exec(files[0] ?? '') ?? []
  const keys = files.map((file) => file.slice(root.length))
  const beside = others.flatMap((file) => (file.startsWith(root) ? [file.slice(root.length)] : []))
  const paths = pathsIn(commonFolder(keys), keys, beside).map(plain)
  return root + (paths.length === 1 ? paths[0] : `{${paths.join(',')}}`)
}

export const objectPath = (file: string): string =>
  file.replace(/^(\w+:\/\/[^/]+\/)(.*)$/s, (_, root: string, key: string) => root + plain(key))

/** `folder` is empty, or ends with a slash, and holds all the keys. */
function pathsIn(folder: string, keys: readonly string[], others: readonly string[]): string[] {
  const beside = others.filter((key) => key.startsWith(folder) && !isHiddenPath(key.slice(folder.length)))
  if (beside.length === 0) return [folder.replace(/\/$/, '')]
  const parts = new Map<string, string[]>()
  for (const key of keys) {
    const part = folder + (/^[^/]+\/?/.exec(key.slice(folder.length))?.[0] ?? '')
    addTo(parts, part, key)
  }
  return [...parts].flatMap(([part, inside]) => (part.endsWith('/') ? pathsIn(part, inside, beside) : [part]))
}

/** The longest folder that holds all of them. */
function commonFolder(keys: readonly string[]): string {
  const [first = '', ...rest] = keys
  const parts = first.split('/').slice(0, -1)
  const shared = parts.findIndex((part, i) => rest.some((key) => key.split('/', parts.length)[i] !== part))
  return parts
    .slice(0, shared === -1 ? undefined : shared)
    .map((part) => `${part}/`)
    .join('')
}

/**
 * A path in which each character that means something in a pattern or in SQL is `?`, which meets any one character: a quote or a
 * hyphen after another would end the name, or begin a comment.
 */
const plain = (path: string): string =>
  [...path]
    .map((letter, i, all) => (isPlain(letter) && !(letter === '-' && all[i - 1] === '-') ? letter : '?'))
    .join('')

const isPlain = (letter: string): boolean => /^[\w ./:=+()%@-]$/.test(letter)

/**
 * A statement that fails with the reason where a cluster cannot list a path of {@link tablePath}: a query of the path itself says only that
 * files of Parquet cannot be queried.
 */
export const reachSql = (path: string, i: number): string =>
  `CREATE OR REPLACE TEMPORARY VIEW reached_${i} (reached INT) USING parquet OPTIONS (path '${path}', recursiveFileLookup 'true')`
