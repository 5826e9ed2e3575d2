/**
 * The text files of a bag (RFC 8493 §2): declaration, manifests and metadata. Parses them as strictly as files of
 * other tools allow: a harmless deviation is a note, any other a problem. Reads and writes no files.
 */

export const DECLARATION = 'bagit.txt'
export const BAG_INFO = 'bag-info.txt'
export const FETCH = 'fetch.txt'
export const PAYLOAD = 'data'

/** The algorithms of RFC 8493 §2.4; MD5 and SHA-1 prove nothing any more. */
const DIGITS = { sha256: 64, sha512: 128 } as const
export type Algorithm = keyof typeof DIGITS
export const ALGORITHMS = Object.keys(DIGITS) as readonly Algorithm[]

/** The versions written and read: 1.0 is the RFC, 0.97 the last draft before it, which most tools read and write. */
const VERSIONS = ['0.97', '1.0'] as const
export type BagVersion = (typeof VERSIONS)[number]

export const manifestName = (algorithm: Algorithm): string => `manifest-${algorithm}.txt`
export const tagManifestName = (algorithm: Algorithm): string => `tagmanifest-${algorithm}.txt`

/**
 * What a manifest lists and by which algorithm, by its name, such as `tagmanifest-sha256.txt`; null for any other
 * file.
 */
export function manifestKind(path: string): { tags: boolean; algorithm: Algorithm | null } | null {
  const [, tag, name] = /^(tag)?manifest-([a-z0-9]+)\.txt$/i.exec(path) ?? []
  if (name === undefined) return null
  const algorithm = name.toLowerCase()
  return {
    tags: tag !== undefined,
    algorithm: Object.hasOwn(DIGITS, algorithm) ? (algorithm as Algorithm) : null,
  }
}

export const declarationText = (version: BagVersion): string =>
  `BagIt-Version: ${version}\nTag-File-Character-Encoding: UTF-8\n`

/**
 * RFC 8493 §2.1.1: two lines, without byte order mark and without other blanks. Returns the text of the problem
 * otherwise.
 */
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

/** The text of a tag file; null where the bytes are not UTF-8. */
export function decodeTags(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return null
  }
}

/**
 * RFC 8493 §2.1.3 encodes LF, CR and the percent sign in paths; the drafts before it did not encode the percent
 * sign.
 */
export const encodePath = (path: string, version: BagVersion): string =>
  version === '1.0' ? path.replaceAll('%', '%25') : path

const decodePath = (path: string, version: BagVersion): string =>
  path.replace(version === '1.0' ? /%(25|0A|0D)/gi : /%(0A|0D)/gi, (_, hex: string) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )

interface ManifestLine {
  readonly path: string
  /** In lower-case hex digits. */
  readonly hash: string
}

interface ParsedLine extends ManifestLine {
  /** The path as written, with nothing decoded. */
  readonly written: string
}

export const manifestText = (lines: readonly ManifestLine[], version: BagVersion): string =>
  lines.map(({ path, hash }) => `${hash}  ${encodePath(path, version)}\n`).join('')

/** Lines as `sha256sum` reads them. No path of our bags has a character that would have to be encoded. */
export const checksumText = (lines: readonly ManifestLine[]): string =>
  lines.map(({ path, hash }) => `${hash}  ${path}\n`).join('')

interface ParsedManifest {
  readonly lines: readonly ParsedLine[]
  readonly problems: readonly string[]
  readonly notes: readonly string[]
}

export function parseBagManifest(
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
    const [, hash = '', star, raw = ''] = /^([0-9a-fA-F]+)[ \t]+(\*?)(.*)/s.exec(line) ?? []
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

/** Lines of bag-info.txt. A line break inside a value becomes a blank. */
export const bagInfoText = (pairs: readonly (readonly [label: string, value: string])[]): string =>
  pairs
    .map(([label, value]) => `${label}: ${value.replace(/[\u0000-\u001f\u007f]+/g, ' ').trim()}\n`)
    .join('')

/** Values by label in lower case, in order; null where a line is neither a label nor a continuation. */
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
    const colon = line.indexOf(':')
    if (colon < 1) return null
    const label = line.slice(0, colon).trim().toLowerCase()
    last = found.get(label) ?? []
    last.push(line.slice(colon + 1).trim())
    found.set(label, last)
  }
  return found
}

/** `bytes.files` of the payload (RFC 8493 §2.2.2). */
export const payloadOxum = (bytes: number, files: number): string => `${bytes}.${files}`

/** The longest name and path in bytes that can be unpacked on every common system. */
const LONGEST = { name: 255, path: 1000 }

/**
 * Why a path must not be used, or null: it leaves the bag, names another file on another system, or shows
 * characters that mislead a reader (RFC 8493 §5.1, CWE-22). No file of a snapshot has such a name.
 */
export function dangerOf(path: string): string | null {
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufffd]/.test(path))
    return 'holds a line break, a control character, or bytes that are not text'
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

/** The form in which two paths are equal on file systems that ignore case or normalise Unicode. */
export const foldedPath = (path: string): string => path.normalize('NFC').toLowerCase()
