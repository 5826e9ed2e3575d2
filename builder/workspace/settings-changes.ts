/** What two versions of company.yaml say differently, member by member: comments, order and spelling do not count. */
import { parse } from 'yaml'

export interface SettingChange {
  /** `accounts.4010.type` */
  readonly setting: string
  /** Null where it was not set, or is not any more. */
  readonly before: string | null
  readonly now: string | null
}

/** In the order of their names. Text that is no YAML is told as one change of the whole file. */
export function settingChanges(before: string, now: string): SettingChange[] {
  const [old, young] = [membersOf(before), membersOf(now)]
  if (!old || !young)
    return [
      {
        setting: '(the whole file)',
        before: old ? 'readable' : 'no YAML',
        now: young ? 'readable' : 'no YAML',
      },
    ]
  return [...new Set([...old.keys(), ...young.keys()])]
    .sort()
    .filter((setting) => old.get(setting) !== young.get(setting))
    .map((setting) => ({ setting, before: old.get(setting) ?? null, now: young.get(setting) ?? null }))
}

/** Each value by the names that lead to it; null where the text is no YAML. */
function membersOf(text: string): Map<string, string> | null {
  try {
    const members = new Map<string, string>()
    // Numbers stay as they are written: a code 0100 is not 100.
    collect(parse(text, { schema: 'failsafe' }), '', members)
    return members
  } catch {
    return null
  }
}

function collect(value: unknown, name: string, members: Map<string, string>): void {
  if (typeof value !== 'object' || value === null) {
    members.set(name, String(value ?? ''))
    return
  }
  for (const [key, member] of Object.entries(value))
    collect(member, name === '' ? key : `${name}.${key}`, members)
}
