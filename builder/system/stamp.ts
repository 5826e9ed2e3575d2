/** Writes the fingerprint of the program. `npm run build` runs it after compiling. */
import { stamp } from './program.ts'

stamp()
