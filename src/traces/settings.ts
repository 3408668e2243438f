import { z } from 'zod'

const count = (fallback: number) => z.coerce.number().int().nonnegative().default(fallback)
const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0'])
    .transform((value) => value === 'true' || value === '1')
    .default(fallback)

/** Every setting of the service, by the name of its environment variable. */
const environment = z.object({
  API_KEY_PEPPER: z.string().default(''),
  ADMIN_DASHBOARD_TOKEN: z.string().default(''),
  VALIDATION_THRESHOLD: count(2),
  RATE_LIMIT_READ_PER_MINUTE: count(60),
  RATE_LIMIT_WRITE_PER_MINUTE: count(20),
  /** New keys from one address. */
  RATE_LIMIT_KEYS_PER_HOUR: count(20),
  TEMPORAL_DECAY_DEFAULT_HALF_LIFE_DAYS: count(365),
  CONSOLIDATION_INTERVAL_HOURS: z.coerce.number().positive().default(24),
  SAVINGS_PRICE_PER_MTOK: z.coerce.number().nonnegative().default(5),
  /** Only accounts that were let in by a code may contribute. */
  REQUIRE_INVITATION: flag(false),
  /** How old an unknown account must be before its votes confirm and its flags count. */
  ESTABLISHED_AFTER_HOURS: z.coerce.number().nonnegative().default(24),
  /** Flags of established accounts that hide a trace until a moderator looks. */
  FLAGS_TO_HIDE: z.coerce.number().int().min(2).default(3),
  /** 0..1: what shares less with the query than this is not an answer. */
  MIN_RELEVANCE: z.coerce.number().min(0).max(1).default(0.2),
  CORS_ORIGINS: z
    .string()
    .default('')
    .transform((list) =>
      list
        .split(',')
        .map((origin) => origin.trim())
        .filter(Boolean),
    ),
})

export interface TracesSettings {
  readonly apiKeyPepper: string
  readonly adminToken: string
  readonly validationThreshold: number
  readonly readsPerMinute: number
  readonly writesPerMinute: number
  readonly keysPerHour: number
  readonly defaultHalfLifeDays: number
  readonly consolidationIntervalHours: number
  readonly pricePerMillionTokens: number
  readonly requireInvitation: boolean
  readonly establishedAfterHours: number
  readonly flagsToHide: number
  readonly minRelevance: number
  readonly corsOrigins: readonly string[]
}

export function parseTracesSettings(
  env: Readonly<Record<string, string | undefined>> = {},
): TracesSettings {
  const parsed = environment.safeParse(withoutEmpty(env))
  if (!parsed.success) throw new Error(`Bad environment: ${z.prettifyError(parsed.error)}`)
  const { data } = parsed
  return {
    apiKeyPepper: data.API_KEY_PEPPER,
    adminToken: data.ADMIN_DASHBOARD_TOKEN,
    validationThreshold: data.VALIDATION_THRESHOLD,
    readsPerMinute: data.RATE_LIMIT_READ_PER_MINUTE,
    writesPerMinute: data.RATE_LIMIT_WRITE_PER_MINUTE,
    keysPerHour: data.RATE_LIMIT_KEYS_PER_HOUR,
    defaultHalfLifeDays: data.TEMPORAL_DECAY_DEFAULT_HALF_LIFE_DAYS,
    consolidationIntervalHours: data.CONSOLIDATION_INTERVAL_HOURS,
    pricePerMillionTokens: data.SAVINGS_PRICE_PER_MTOK,
    requireInvitation: data.REQUIRE_INVITATION,
    establishedAfterHours: data.ESTABLISHED_AFTER_HOURS,
    flagsToHide: data.FLAGS_TO_HIDE,
    minRelevance: data.MIN_RELEVANCE,
    corsOrigins: data.CORS_ORIGINS,
  }
}

function withoutEmpty(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(env).filter((entry): entry is [string, string] => Boolean(entry[1])),
  )
}
