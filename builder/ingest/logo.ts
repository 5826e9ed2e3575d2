/**
 * Reads the logo of a company: a PNG or JPEG that is checked as far as it can be without drawing it. Kept are the parts that are drawn, so
 * that neither notes inside the image nor what follows it is published.
 */
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { sha256 } from '../system/hash.ts'
import { readFile } from '../system/plain-file.ts'
import type { Company } from '../workspace/company.ts'
import { error, type Finding } from '../workspace/findings/finding.ts'
import type { LogoImage } from '../workspace/presentation.ts'
import { findFiles } from '../workspace/source-files.ts'
import type { SourceRecord } from './format/intake.ts'

export interface LogoReading {
  readonly logo: LogoImage | null
  readonly sources: readonly SourceRecord[]
  readonly findings: readonly Finding[]
}

/** The style sheet of the pages carries it. */
const MOST_BYTES = 100 * 1024

/** The image that `brand.logo` names; null where it names none, and where it is no image that can be shown. */
export async function readLogo(folder: string, { brand }: Company): Promise<LogoReading> {
  if (brand?.logo === undefined) return { logo: null, sources: [], findings: [] }
  const found = await findFiles(folder, brand.logo, 'brand.logo')
  const [file, ...others] = found.files
  if (file === undefined) return { logo: null, sources: [], findings: found.findings }
  const refused = (what: string): LogoReading => {
    const remedy = `save it as PNG or JPEG in RGB, of at most ${MOST_SIDE} × ${MOST_SIDE} points and 100 KB`
    return { logo: null, sources: [], findings: [error('logo-image', what, { file, remedy })] }
  }
  if (others.length > 0) return refused('is one of several files that "brand.logo" names')
  const { size } = await stat(join(folder, file))
  if (size > MOST_BYTES) return refused(`has ${size} bytes; a logo may have ${MOST_BYTES}`)
  const bytes = await readFile(join(folder, file))
  const logo = logoOf(bytes)
  if (typeof logo === 'string') return refused(logo)
  const described = { bytes: bytes.length, sha256: sha256(bytes), encoding: 'image' }
  return { logo, sources: [{ file, ...described, role: 'logo', rows: null }], findings: [] }
}

/** A logo is a few hundred points wide; decoded it takes four bytes a point. */
const MOST_SIDE = 2000

/** The parts of an image that are drawn, or what is wrong with it, in words that follow the name of its file. */
export function logoOf(bytes: Buffer): LogoImage | string {
  const type = bytes.subarray(0, 8).equals(PNG)
    ? 'image/png'
    : bytes.subarray(0, 2).equals(JPEG)
      ? 'image/jpeg'
      : null
  if (type === null) return 'is neither a PNG nor a JPEG'
  const read = type === 'image/png' ? readPng(bytes) : readJpeg(bytes)
  if (typeof read === 'string') return read
  const { width, height, kept } = read
  if (Math.min(width, height) < 1 || Math.max(width, height) > MOST_SIDE)
    return `is ${width} × ${height} points large`
  return { type, width, height, data: Buffer.concat(kept).toString('base64') }
}

interface Parts {
  readonly width: number
  readonly height: number
  readonly kept: readonly Buffer[]
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const JPEG = Buffer.from([0xff, 0xd8])
const CUT = 'ends before the image does'

const DRAWN: ReadonlySet<string> = new Set(['IHDR', 'PLTE', 'tRNS', 'IDAT', 'IEND'])

/** PNG (ISO 15948): parts with length and check sum, which show that the image is as its program wrote it. */
function readPng(bytes: Buffer): Parts | string {
  const kept: Buffer[] = [PNG]
  const seen = new Set<string>()
  for (let at = PNG.length; !seen.has('IEND'); ) {
    if (at + 12 > bytes.length) return CUT
    const end = at + 12 + bytes.readUInt32BE(at)
    if (end > bytes.length) return CUT
    const name = bytes.toString('latin1', at + 4, at + 8)
    if (crc32(bytes.subarray(at + 4, end - 4)) !== bytes.readUInt32BE(end - 4))
      return `is damaged: its part ${name} has another check sum than it states`
    if ((seen.size === 0) !== (name === 'IHDR')) return 'is damaged: it does not begin with its size'
    if (DRAWN.has(name)) kept.push(bytes.subarray(at, end))
    seen.add(name)
    at = end
  }
  const head = kept[1] ?? Buffer.alloc(0)
  if (head.length !== 25) return 'is damaged: its size is not stated'
  return { width: head.readUInt32BE(8), height: head.readUInt32BE(12), kept }
}

/** Tables, sizes and scans. Left out are photographs' notes and previews. */
const isDrawnMarker = (marker: number): boolean => [0xc0, 0xc1, 0xc2, 0xc4, 0xda, 0xdb, 0xdd].includes(marker)
/** What says how colours are written (JFIF, Adobe), by its length: a longer one holds a preview. */
const COLOUR_MARKERS: ReadonlyMap<number, number> = new Map([
  [0xe0, 16],
  [0xee, 14],
])
const isNote = (marker: number): boolean => marker === 0xfe || (marker >= 0xe0 && marker <= 0xef)

/** JPEG (ISO 10918-1, annex B): segments up to the end of the image; the scans themselves are not decoded. */
function readJpeg(bytes: Buffer): Parts | string {
  const kept: Buffer[] = [JPEG]
  let size: readonly [width: number, height: number] | null = null
  let hasScan = false
  for (let at = 2; ; ) {
    if (at + 4 > bytes.length && bytes[at + 1] !== 0xd9) return CUT
    const marker = bytes[at + 1] ?? 0
    if (bytes[at] !== 0xff) return 'is damaged: a segment does not begin where the one before it ends'
    if (marker === 0xd9) break
    if (!isDrawnMarker(marker) && !isNote(marker)) return 'is a kind of JPEG that browsers do not show'
    let end = at + 2 + bytes.readUInt16BE(at + 2)
    if (marker >= 0xc0 && marker <= 0xc2) {
      if (end > bytes.length || end < at + 10 || size !== null) return CUT
      if (bytes[at + 4] !== 8 || ![1, 3].includes(bytes[at + 9] ?? 0)) return 'is not in RGB or grey'
      size = [bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5)]
    }
    if (marker === 0xda) {
      hasScan = true
      end = endOfScan(bytes, end)
    }
    if (end + 2 > bytes.length) return CUT
    if (isDrawnMarker(marker) || COLOUR_MARKERS.get(marker) === end - at - 2)
      kept.push(bytes.subarray(at, end))
    at = end
  }
  if (size === null || !hasScan) return 'is damaged: it has no image'
  return { width: size[0], height: size[1], kept: [...kept, Buffer.from([0xff, 0xd9])] }
}

/** The place of the next marker that is neither a byte of the scan nor a restart. */
function endOfScan(bytes: Buffer, from: number): number {
  for (let at = bytes.indexOf(0xff, from); at !== -1; at = bytes.indexOf(0xff, at + 1)) {
    const next = bytes[at + 1] ?? 0
    if (next !== 0 && next !== 0xff && !(next >= 0xd0 && next <= 0xd7)) return at
  }
  return bytes.length
}
