/** Another process of the same workspace, for pin.test.ts: `pin-process.ts <folder of state>`. Does what it is told. */
import { openPins, PINS } from '../../../serve/companies/pin.ts'
import { openServerState } from '../../../serve/oauth/state/server-state.ts'
import { isShared, stateOf } from '../../support/state.ts'

const { store } = await openServerState(await stateOf(process.argv[2]!), [PINS])
const pins = openPins(store, 600, { isShared })
process.on('message', ([what, grant, company, snapshot]: [string, string, string, string]) => {
  if (what === 'get') void pins.get(grant, company).then((pinned) => process.send!(pinned))
  else void pins.hold(grant, company, snapshot, null).then((held) => process.send!(held))
})
process.on('disconnect', () => process.exit())
process.send!('ready')
