/**
 * Leaves out what makes files survive a power failure, since nothing that a test writes needs to. A flush costs a fifth of the smallest
 * build. What is flushed, and when, is shown by test/faults/, which records it.
 */
import { disk } from '../builder/system/effects.ts'

disk.syncFile = () => {}
disk.syncFolder = () => {}
disk.syncAll = async () => true
