/** One process of `tieout serve --processes`, started by serve/process/primary.ts, with the log of a server. */
import { serveAsWorker } from '../../serve/process/worker.ts'
import { openServerLog } from './log.ts'

serveAsWorker(({ workspace, quiet }) => (quiet ? {} : openServerLog(workspace.server)))
