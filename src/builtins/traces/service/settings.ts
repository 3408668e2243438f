import type { Environment } from '../../../base/environment.ts'
import { readSettings } from '../../../base/setting-table.ts'
import { SERVICE_SETTINGS } from '../settings.ts'

export interface TracesSettings {
  readonly apiKeyPepper: string
  readonly adminToken: string
  readonly validationThreshold: number
  readonly readsPerMinute: number
  readonly writesPerMinute: number
  readonly keysPerHour: number
  readonly defaultHalfLifeDays: number
  readonly consolidationIntervalHours: number
  readonly staleAgeDays: number
  readonly pricePerMillionTokens: number
  readonly requireInvitation: boolean
  readonly establishedAfterHours: number
  readonly difficultPlaces: number
  readonly minDifficulty: number
  readonly minDifficultAlignment: number
  readonly registryUrl: string | undefined
  readonly countryHeader: string
  readonly requireVerification: boolean
  readonly publicUrl: string
  readonly mailRelayUrl: string | undefined
  readonly keyHeader: string
  readonly appName: string
  readonly debug: boolean
  readonly corsOrigins: readonly string[]
  readonly allowedHosts: readonly string[]
}

export function parseTracesSettings(env: Environment = {}): TracesSettings {
  const data = readSettings(SERVICE_SETTINGS, 'traces', env)
  return {
    apiKeyPepper: data.apiKeyPepper,
    adminToken: data.adminDashboardToken,
    validationThreshold: data.validationThreshold,
    readsPerMinute: data.rateLimitReadPerMinute,
    writesPerMinute: data.rateLimitWritePerMinute,
    keysPerHour: data.rateLimitKeysPerHour,
    defaultHalfLifeDays: data.temporalDecayDefaultHalfLifeDays,
    consolidationIntervalHours: data.consolidationIntervalHours,
    staleAgeDays: data.consolidationStaleAgeDays,
    pricePerMillionTokens: data.savingsPricePerMtok,
    requireInvitation: data.requireInvitation,
    // A day, so that nobody decides with accounts made for it.
    establishedAfterHours: 24,
    difficultPlaces: data.retrievalFloorN,
    minDifficulty: data.retrievalSomaticFloor,
    minDifficultAlignment: data.retrievalFloorMinAlign,
    registryUrl: data.packageRegistryUrl,
    countryHeader: data.countryHeader,
    requireVerification: data.requireEmailVerification,
    publicUrl: data.publicUrl,
    mailRelayUrl: data.mailRelayUrl,
    keyHeader: data.apiKeyHeaderName,
    appName: data.appName,
    debug: data.debug,
    corsOrigins: data.corsOrigins,
    allowedHosts: data.allowedHosts,
  }
}
