import type { Environment } from '../../../base/environment.ts'
import { type SettingValues, readSettings } from '../../../base/setting-table.ts'
import { SERVICE_SETTINGS } from '../settings.ts'

export interface TracesSettings extends SettingValues<typeof SERVICE_SETTINGS> {
  /** Age in hours from which the votes and flags of an unknown account count. */
  readonly establishedAfterHours: number
}

export function parseTracesSettings(env: Environment = {}): TracesSettings {
  // A day, so that nobody decides with accounts made for it.
  return { ...readSettings(SERVICE_SETTINGS, 'traces', env), establishedAfterHours: 24 }
}
