/** Compares two versions of company.yaml setting by setting. Comments and the order of keys do not count. */
import { parse } from 'yaml'

interface SettingChange {
  /** `accounts.4010.type` */
  readonly setting: string
  /** `before` is null for a new setting, `now` for a removed one. */
  readonly before: string | null
  readonly now: string | null
}

/** The changed settings in the order of their names. If a text is not YAML, the whole file is one change. */
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

/** Each value by its path of names; null if the text is not YAML. */
function membersOf(text: string): Map<string, string> | null {
  try {
    const members = new Map<string, string>()
    // The failsafe schema keeps numbers as text, because the code 0100 is not 100.
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
