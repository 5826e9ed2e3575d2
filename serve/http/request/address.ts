/** Reports an address that the server cannot listen on, with the setting of tieout.yaml that changes it. */
import { AddressError } from '../../../builder/system/refusals.ts'

/** The settings for host and port, and the option that changes the port for one run. */
interface AddressSetting {
  readonly host: string
  readonly port: string
  readonly option?: string
}

export const PUBLIC_ADDRESS: AddressSetting = {
  host: 'server.host',
  port: 'server.port',
  option: '--port',
}
export const ADMIN_ADDRESS: AddressSetting = { host: 'server.admin.host', port: 'server.admin.port' }

const otherPort = ({ port, option }: AddressSetting): string =>
  `choose another as ${port} in tieout.yaml${option === undefined ? '' : `, or with ${option}`}`
const otherHost = ({ host }: AddressSetting): string => `change ${host} in tieout.yaml`

const REASONS: Readonly<Record<string, (setting: AddressSetting) => string>> = {
  EADDRINUSE: (setting) =>
    `another program uses this address and port already; end it, or ${otherPort(setting)}`,
  EACCES: (setting) =>
    `this user may not use this port, most likely because it is below 1024; ${otherPort(setting)}`,
  EADDRNOTAVAIL: (setting) => `this computer has no such address; ${otherHost(setting)}`,
  EAFNOSUPPORT: (setting) => `this computer has no addresses of this kind; ${otherHost(setting)}`,
  ENOTFOUND: (setting) => `no address is known for this name; ${otherHost(setting)}`,
  EAI_AGAIN: (setting) =>
    `no address is known for this name at the moment; try again, or ${otherHost(setting)}`,
}

/** Returns what `listen` returns. Throws {@link AddressError} where the address is the cause of the failure. */
export async function listeningAt<T>(
  setting: AddressSetting,
  host: string,
  port: number,
  listen: () => Promise<T>,
): Promise<T> {
  try {
    return await listen()
  } catch (cause) {
    const reason = REASONS[(cause as NodeJS.ErrnoException).code ?? '']
    if (reason === undefined) throw cause
    throw new AddressError(`${host}:${port} cannot be used: ${reason(setting)}`, { cause })
  }
}
