/** The parts of a workbook as text, and a workbook made of changed parts: with the package that reads zips, not by Tieout's code. */
import { createWriteStream } from 'node:fs'
import { text } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { promisify } from 'node:util'
import yauzl from 'yauzl'
import yazl from 'yazl'

export type Parts = ReadonlyMap<string, string>

const open = promisify<string, yauzl.Options, yauzl.ZipFile>(yauzl.open)

export async function partsOf(path: string): Promise<Parts> {
  const zip = await open(path, { lazyEntries: true })
  const parts = new Map<string, string>()
  const read = promisify(zip.openReadStream.bind(zip)) as (
    entry: yauzl.Entry,
  ) => Promise<NodeJS.ReadableStream>
  await new Promise<void>((resolve, reject) => {
    zip.once('end', resolve)
    zip.once('error', reject)
    zip.on('entry', (entry: yauzl.Entry) => {
      read(entry)
        .then((stream) => text(stream as AsyncIterable<Uint8Array>))
        .then((content) => {
          parts.set(entry.fileName, content)
          zip.readEntry()
        }, reject)
    })
    zip.readEntry()
  })
  return parts
}

export async function writeParts(path: string, parts: Parts): Promise<void> {
  const zip = new yazl.ZipFile()
  for (const [name, content] of parts) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

/** Cells of a sheet, by their place such as `C8`, as the XML states them. */
export const cellsOf = (xml: string): Map<string, string> =>
  new Map(
    [...xml.matchAll(/<c r="([A-Z]+\d+)"[^>]*?(?:\/>|>(.*?)<\/c>)/gs)].map((found) => [found[1]!, found[0]]),
  )

/** Without what each formula gives, so that a program which shows it must have calculated it. */
export const withoutResults = (parts: Parts): Parts =>
  new Map([...parts].map(([name, content]) => [name, content.replace(/(<\/f>)<v>[^<]*<\/v>/g, '$1')]))
