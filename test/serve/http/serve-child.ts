/** A server in a process of its own, for signals. Tells its port. */
import { openWorkspace } from '../../../builder/workspace/workspace.ts'
import { closeOnSignals, startServer } from '../../../serve/server.ts'

const running = await startServer(openWorkspace(process.argv[2]!))
closeOnSignals(running)
process.send!(running.port)
