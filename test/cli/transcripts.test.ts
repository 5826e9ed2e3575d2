/** Commands as people type them, and all that they print: `cases/`, but for those about approvals. */
import { follow, isOfApprovals } from './transcripts.ts'

follow('commands, and what they print', (name) => !isOfApprovals(name))
