/** The logo of a company: PNG and JPEG as they are drawn, without what else a file may hold; anything else is a finding. */
import { crc32, deflateSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { logoOf } from '../../builder/ingest/logo.ts'
import { suite } from '../suite.ts'
import { CHART, codes, companyYaml, findingsOf, ledgerCsv } from '../support/workspace.ts'

const logo = suite('logo')

function part(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const ends = Buffer.alloc(8)
  ends.writeUInt32BE(content.length)
  ends.writeUInt32BE(crc32(named), 4)
  return Buffer.concat([ends.subarray(0, 4), named, ends.subarray(4)])
}

/** A grey PNG of eight bits. */
function png({ width = 3, height = 2, notes = [] as Buffer[] } = {}): Buffer {
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width)
  head.writeUInt32BE(height, 4)
  head.set([8, 0, 0, 0, 0], 8)
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    part('IHDR', head),
    ...notes,
    part('IDAT', deflateSync(Buffer.alloc(height * (width + 1)))),
    part('IEND', Buffer.alloc(0)),
  ])
}

/** 16 × 8 points, made by Pillow with a comment. */
const JPEG = Buffer.from(
  '/9j/4AAQSkZJRgABAQAAAQABAAD//gANc2VjcmV0IG5vdGX/2wBDAA0JCgsKCA0LCgsODg0PEyAVExISEyccHhcgLikxMC4pLSwzOko+MzZGNywtQFdBRkxOUlNSMj5aYVpQYEpRUk//2wBDAQ4ODhMREyYVFSZPNS01T09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT09PT0//wAARCAAIABADASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAAAAX/xAAlEAABAgQEBwAAAAAAAAAAAAARABIGFBVBAgMhMRYjMjNCYuH/xAAVAQEBAAAAAAAAAAAAAAAAAAADBv/EABkRAAIDAQAAAAAAAAAAAAAAAAEDAAIRIf/aAAwDAQACEQMRAD8ArQlw9Tsc9LTTuZNNAsw2G9zvoFCiOnVjNpXY8h0Ou31+jQIiEnkpFrx9raZ//9k=',
  'base64',
)

const dataOf = (bytes: Buffer): Buffer => {
  const found = logoOf(bytes)
  assert.not.type(found, 'string', String(found))
  return Buffer.from((found as Exclude<typeof found, string>).data, 'base64')
}

logo('what is drawn is kept, and nothing else of the file', () => {
  const plain = png()
  const noted = png({ notes: [part('tEXt', Buffer.from('Author\0somebody'))] })
  assert.equal(dataOf(plain), plain)
  assert.equal(dataOf(Buffer.concat([noted, Buffer.from('<script>')])), plain)
  const { type, width, height } = logoOf(JPEG) as Exclude<ReturnType<typeof logoOf>, string>
  assert.equal([type, width, height], ['image/jpeg', 16, 8])
  const kept = dataOf(Buffer.concat([JPEG, Buffer.from('<script>')]))
  assert.is(kept.length, JPEG.length - 'secret note'.length - 4)
  assert.ok(JPEG.includes('secret note') && !kept.includes('secret note'))
  // A preview may stand where colours are declared.
  const preview = Buffer.from('\xff\xe0\0\x0fJFXX\0\x10preview', 'latin1')
  const previewed = Buffer.concat([JPEG.subarray(0, 20), preview, JPEG.subarray(20)])
  assert.equal(dataOf(previewed), dataOf(JPEG))
})

logo('an image cut off anywhere is refused', () => {
  for (const whole of [png(), JPEG])
    for (let length = 0; length < whole.length; length++)
      assert.type(logoOf(whole.subarray(0, length)), 'string', `${length} of ${whole.length} bytes`)
})

logo('what cannot be shown, or is not what it says, is refused', () => {
  const damaged = png()
  damaged[30]! ^= 1
  for (const [bytes, why] of [
    [damaged, /check sum/],
    [png({ width: 0 }), /0 × 2 points/],
    [png({ width: 2001 }), /2001 × 2 points/],
    [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), /neither a PNG nor a JPEG/],
  ] as const)
    assert.match(logoOf(bytes) as string, why)
  // Every other first byte of a segment: it is refused, or taken for notes.
  for (const [at, byte] of JPEG.entries())
    if (byte === 0xff && at > 0 && JPEG[at + 1] !== 0) {
      const changed = Buffer.from(JPEG)
      changed[at] = 0x7f
      assert.type(logoOf(changed), 'string', `segment at ${at}`)
    }
})

logo('mistakes in company.yaml and in the file are findings', async () => {
  const found = async (brand: string, file = '') =>
    codes(
      await findingsOf({
        'company.yaml': companyYaml(`brand: ${brand}`),
        'ledger.csv': ledgerCsv('1 2025-01-05 bank 1.00; 1 2025-01-05 sales -1.00'),
        'chart.csv': CHART,
        'logo.png': file,
      }),
    )
  assert.equal(await found('{ logo: logo.png }', 'no image'), ['logo-image'])
  assert.equal(await found('{ logo: logo.png }', 'x'.repeat(102_401)), ['logo-image'])
  assert.equal(await found('{ logo: other.png }'), ['no-such-file'])
  assert.equal(await found('{ logo: ../logo.png }'), ['file-outside-folder'])
  assert.equal(await found('{ colour: red }'), ['invalid-setting'])
})
