/** Another process of the same workspace, for pin.test.ts: `pin-process.ts <folder>`. Does what it is told. */
import { openPins } from '../../../serve/companies/pin.ts'

const pins = openPins(process.argv[2]!, 600)
process.on('message', ([what, grant, company, snapshot]: [string, string, string, string]) => {
  if (what === 'get') process.send!(pins.get(grant, company))
  else void pins.hold(grant, company, snapshot, null).then((held) => process.send!(held))
})
process.on('disconnect', () => process.exit())
process.send!('ready')
