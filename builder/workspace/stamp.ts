/** Run by `npm run build` once all is compiled. */
import { stamp } from './program.ts'

stamp()
