/**
 * The texts of a bag (RFC 8493 §2): its declaration, its manifests, its metadata. Read as strictly as the text of
 * somebody else allows: what is harmless is a note, what is not is a problem. Knows no files.
 */

export const DECLARATION = 'bagit.txt'
export const BAG_INFO = 'bag-info.txt'
export const FETCH = 'fetch.txt'
export const PAYLOAD = 'data'

/** RFC 8493 §2.4 asks for both; MD5 and SHA-1 vouch for nothing any more. */
const DIGITS = { sha256: 64, sha512: 128 } as const
export type Algorithm = keyof typeof DIGITS
export const ALGORITHMS = Object.keys(DIGITS) as readonly Algorithm[]

/** The last draft before the RFC, which most tools read and write, and the RFC: what is written, and what is read. */
export const VERSIONS = ['0.97', '1.0'] as const
export type BagVersion = (typeof VERSIONS)[number]

export const manifestName = (algorithm: Algorithm): string => `manifest-${algorithm}.txt`
export const tagManifestName = (algorithm: Algorithm): string => `tagmanifest-${algorithm}.txt`

/** `tagmanifest-sha256.txt` → what it lists, by which algorithm; null for any other file. */
export function manifestKind(path: string): { tags: boolean; algorithm: Algorithm | null } | null {
  const [, tag, name] = /^(tag)?manifest-([a-z0-9]+)\.txt$/i.exec(path) ?? []
  if (name === undefined) return null
  const algorithm = name.toLowerCase()
  return { tags: tag !== undefined, algorithm: algorithm in DIGITS ? (algorithm as Algorithm) : null }
}

export const declarationText = (version: BagVersion): string =>
  `BagIt-Version: ${version}\nTag-File-Character-Encoding: UTF-8\n`

/** RFC 8493 §2.1.1: two lines, no byte order mark, no other blanks; the text of what is wrong otherwise. */
export function parseDeclaration(bytes: Uint8Array): { readonly version: BagVersion } | string {
  const text = Buffer.from(bytes).toString('utf8')
  const [, version, encoding] =
    /^BagIt-Version: (\d+\.\d+)(?:\r\n|\n|\r)Tag-File-Character-Encoding: (\S+)(?:\r\n|\n|\r)?$/.exec(text) ??
    []
  if (version === undefined || encoding === undefined)
    return text.startsWith('\ufeff')
      ? `${DECLARATION} begins with a byte order mark`
      : `${DECLARATION} does not consist of the two lines that declare version and encoding`
  const known = VERSIONS.find((each) => each === version)
  if (known === undefined)
    return `${DECLARATION} declares BagIt ${version}; ${VERSIONS.join(' and ')} are read`
  if (encoding.toUpperCase() !== 'UTF-8')
    return `${DECLARATION} declares tag files in ${encoding}; UTF-8 is read`
  return { version: known }
}

/** The text of a tag file; null where the bytes are no UTF-8. */
export function decodeTags(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * RFC 8493 §2.1.3 has LF, CR and the percent sign encoded, and nothing else; the drafts before it only the first two.
 */
export const encodePath = (path: string, version: BagVersion): string =>
  version === '1.0' ? path.replaceAll('%', '%25') : path

const decodePath = (path: string, version: BagVersion): string =>
  path.replace(version === '1.0' ? /%(25|0A|0D)/gi : /%(0A|0D)/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )

export interface ManifestLine {
  readonly path: string
  /** Lower-case hex digits. */
  readonly hash: string
}

export interface ParsedLine extends ManifestLine {
  /** The path without anything decoded. */
  readonly written: string
}

export const manifestText = (lines: readonly ManifestLine[], version: BagVersion): string =>
  lines.map(({ path, hash }) => `${hash}  ${encodePath(path, version)}\n`).join('')

/** The text of `sha256sum`, which encodes nothing that is in a bag of ours. */
export const checksumText = (lines: readonly ManifestLine[]): string =>
  lines.map(({ path, hash }) => `${hash}  ${path}\n`).join('')

export interface ParsedManifest {
  readonly lines: readonly ParsedLine[]
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

export function parseManifest(
  name: string,
  text: string,
  version: BagVersion,
  algorithm: Algorithm,
): ParsedManifest {
  const lines: ParsedLine[] = []
  const problems: string[] = []
  const notes = new Set<string>()
  text.split(/\r\n|\n|\r/).forEach((line, i) => {
    if (line.trim() === '') return
    const [, hash = '', star, raw = ''] = /^([0-9a-fA-F]+)[ \t]+(\*?)(.*)$/.exec(line) ?? []
    if (hash.length !== DIGITS[algorithm] || raw === '') {
      problems.push(`${name}:${i + 1} is not a ${algorithm} checksum with a path`)
      return
    }
    if (star) notes.add(`${name} marks its paths with "*", as md5sum does; that was left out`)
    const dotted = raw.startsWith('./')
    if (dotted) notes.add(`${name} writes its paths with "./" before them; that was left out`)
    const written = dotted ? raw.slice(2) : raw
    lines.push({ path: decodePath(written, version), hash: hash.toLowerCase(), written })
  })
  return { lines, problems, notes: [...notes] }
}

/** Values have no lines: what would begin one is a blank. */
export const bagInfoText = (pairs: readonly (readonly [label: string, value: string])[]): string =>
  pairs
    .map(([label, value]) => `${label}: ${value.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()}\n`)
    .join('')

/** Labels in lower case, each with its values in order; null where a line is neither one nor the rest of one. */
export function parseBagInfo(text: string): ReadonlyMap<string, readonly string[]> | null {
  const found = new Map<string, string[]>()
  let last: string[] | null = null
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line.trim() === '') continue
    if (/^[ \t]/.test(line)) {
      if (!last) return null
      last.push(`${last.pop()} ${line.trim()}`)
      continue
    }
    const [, label, value] = /^([^:]+?)\s*:\s*(.*?)\s*$/.exec(line) ?? []
    if (label === undefined || value === undefined) return null
    last = found.get(label.toLowerCase()) ?? []
    last.push(value)
    found.set(label.toLowerCase(), last)
  }
  return found
}

/** `bytes.files` of the payload (RFC 8493 §2.2.2). */
export const payloadOxum = (bytes: number, files: number): string => `${bytes}.${files}`

/** Bytes that a file's name, and its path below the bag, may have wherever it is unpacked. */
const LONGEST = { name: 255, path: 1000 }

/**
 * Why a path must not be followed, or null: it leaves the bag, means something else on another system, or cannot be
 * seen for what it is (RFC 8493 §5.1, and CWE-22). No file of a snapshot has such a name.
 */
export function dangerOf(path: string): string | null {
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffd]/.test(path))
    return 'holds a line break, a control character, or what is no text'
  if (path.includes('\\')) return 'holds a backslash'
  if (/^\//.test(path)) return 'is absolute'
  if (/^[A-Za-z]:/.test(path)) return 'names a drive'
  if (path.startsWith('~')) return 'begins with "~"'
  const parts = path.split('/')
  if (parts.includes('..')) return 'leads out of the bag with ".."'
  if (parts.some((part) => part === '' || part === '.')) return 'has an empty part or "."'
  if (Buffer.byteLength(path) > LONGEST.path || parts.some((part) => Buffer.byteLength(part) > LONGEST.name))
    return 'is too long'
  return null
}

/** What two paths have in common that a file system without case, or with its own Unicode form, holds for one. */
export const foldedPath = (path: string): string => path.normalize('NFC').toLowerCase()
