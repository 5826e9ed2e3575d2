/** A process that ends itself by SIGKILL at the n-th change to the disk: `victim.ts <scenario> <root> <state> <n>`. */
import { openSigner } from '../../builder/snapshot/keys/key-file.ts'
import { between, quick } from './effects.ts'
import { SCENARIOS } from './scenarios.ts'

const [name, root, state, last] = process.argv.slice(2)
const scenario = SCENARIOS.find((each) => each.name === name)!
await scenario.act(
  root!,
  await openSigner(state!),
  between((n, _operation, _args, run) => {
    if (n === Number(last)) process.kill(process.pid, 'SIGKILL')
    return run()
  }, quick),
)
