/** Sizes as people read them. */
const UNITS = ['B', 'KB', 'MB', 'GB', 'TB']

/** `1.4 MB` */
export function bytesText(bytes: number): string {
  const power = Math.min(UNITS.length - 1, bytes < 1000 ? 0 : Math.floor(Math.log10(bytes) / 3))
  return `${(bytes / 1000 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`
}
