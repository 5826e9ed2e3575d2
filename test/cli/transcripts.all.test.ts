/** Commands as people type them, and all that they print, where somebody else approves. */
import { follow, isOfApprovals } from './transcripts.ts'

follow('commands of approvals, and what they print', isOfApprovals)
