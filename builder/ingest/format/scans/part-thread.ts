/** One of the threads that scan files. */
import { serveParts } from '../part-hands.ts'
import { WORK } from './parts.ts'

serveParts(WORK)
