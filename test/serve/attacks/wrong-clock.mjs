/** Loaded into a server: its clock is off by the seconds that the file CLOCK_OFFSET states, from one moment to the next. */
import { readFileSync } from 'node:fs'

const RealDate = Date
let offset = 0
setInterval(() => {
  offset = Number(readFileSync(process.env.CLOCK_OFFSET, 'utf8')) * 1000
}, 20).unref()

globalThis.Date = class extends RealDate {
  constructor(...given) {
    super(...(given.length === 0 ? [RealDate.now() + offset] : given))
  }
  static now() {
    return RealDate.now() + offset
  }
}
