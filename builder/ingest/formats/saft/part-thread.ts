/** One of the threads that read SAF-T files. */
import { serveParts } from '../../format/part-hands.ts'
import { WORK } from './parts.ts'

serveParts(WORK)
