/** One of the threads that read reports. */
import { serveParts } from '../../format/part-hands.ts'
import { WORK } from './parts.ts'

serveParts(WORK)
