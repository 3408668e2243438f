import { z } from 'zod'
import { type Environment, parseEnvironment } from '../../../base/environment.ts'

const count = (fallback: number) => z.coerce.number().int().nonnegative().default(fallback)
const rate = (fallback: number) => z.coerce.number().int().min(1).default(fallback)
const share = (fallback: number) => z.coerce.number().min(0).max(1).default(fallback)
const list = z
  .string()
  .default('')
  .transform((text) =>
    text
      .split(',')
      .map((item) => item.trim())
      .filter(Boolean),
  )
const flag = (fallback: boolean) =>
  z
    .enum(['true', 'false', '1', '0'])
    .transform((value) => value === 'true' || value === '1')
    .default(fallback)

/** Every setting of the service, by its name in CommonTrace; the variable is `PORTOLAN_TRACES_…`. */
const environment = z.object({
  API_KEY_PEPPER: z.string().default(''),
  ADMIN_DASHBOARD_TOKEN: z.string().default(''),
  VALIDATION_THRESHOLD: count(2),
  RATE_LIMIT_READ_PER_MINUTE: rate(60),
  RATE_LIMIT_WRITE_PER_MINUTE: rate(20),
  /** New keys from one address. */
  RATE_LIMIT_KEYS_PER_HOUR: rate(20),
  TEMPORAL_DECAY_DEFAULT_HALF_LIFE_DAYS: count(365),
  CONSOLIDATION_INTERVAL_HOURS: z.coerce.number().positive().default(24),
  /** How long a distrusted trace must be left alone before it freezes. */
  CONSOLIDATION_STALE_AGE_DAYS: count(180),
  SAVINGS_PRICE_PER_MTOK: z.coerce.number().nonnegative().default(5),
  /** Only accounts that were let in by a code may contribute. */
  REQUIRE_INVITATION: flag(false),
  /** How old an unknown account must be before its votes confirm and its flags count. */
  ESTABLISHED_AFTER_HOURS: z.coerce.number().nonnegative().default(24),
  /** Flags of established accounts that hide a trace until a moderator looks. */
  FLAGS_TO_HIDE: z.coerce.number().int().min(2).default(3),
  /** 0..1: what shares less with the query than this is not an answer. */
  MIN_RELEVANCE: share(0.2),
  /** Of the best traces that the limit cuts off, so many of the hard-won ones are let in all the same. */
  RETRIEVAL_FLOOR_N: count(2),
  RETRIEVAL_SOMATIC_FLOOR: share(0.75),
  /** How far such a trace must fit the context of the search. */
  RETRIEVAL_FLOOR_MIN_ALIGN: share(0),
  /** Where versions are looked up, such as https://pypi.org; nothing is ever asked without it. */
  PACKAGE_REGISTRY_URL: z.url({ protocol: /^https?$/ }).optional(),
  /** The header in which a trusted proxy names the country of a caller, such as CF-IPCountry. */
  COUNTRY_HEADER: z.string().default(''),
  /** Only accounts that have confirmed their e-mail address may contribute and vote. */
  REQUIRE_EMAIL_VERIFICATION: flag(false),
  /** What the links in mails begin with: where people reach this service. */
  PUBLIC_URL: z.url({ protocol: /^https?$/ }).default('http://127.0.0.1:8000'),
  /** Takes mails as JSON (`to`, `subject`, `text`) by POST; without it they are left to the log. */
  MAIL_RELAY_URL: z.url({ protocol: /^https?$/ }).optional(),
  API_KEY_HEADER_NAME: z.string().default('X-API-Key'),
  APP_NAME: z.string().default('Portolan traces'),
  /** Exposes /metrics, and a log line for each request. */
  DEBUG: flag(false),
  CORS_ORIGINS: list,
  /** Names by which clients reach the service, beside loopback and PUBLIC_URL; `*` for any. */
  ALLOWED_HOSTS: list,
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
  readonly staleAgeDays: number
  readonly pricePerMillionTokens: number
  readonly requireInvitation: boolean
  readonly establishedAfterHours: number
  readonly flagsToHide: number
  readonly minRelevance: number
  readonly hardWonPlaces: number
  readonly hardWonIntensity: number
  readonly hardWonAlignment: number
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

/** The names that CommonTrace has too. */
export const TRACES_NAMES: readonly string[] = Object.keys(
  environment.omit({ ALLOWED_HOSTS: true }).shape,
)

export function parseTracesSettings(env: Environment = {}): TracesSettings {
  const data = parseEnvironment(environment, 'PORTOLAN_TRACES_', env)
  return {
    apiKeyPepper: data.API_KEY_PEPPER,
    adminToken: data.ADMIN_DASHBOARD_TOKEN,
    validationThreshold: data.VALIDATION_THRESHOLD,
    readsPerMinute: data.RATE_LIMIT_READ_PER_MINUTE,
    writesPerMinute: data.RATE_LIMIT_WRITE_PER_MINUTE,
    keysPerHour: data.RATE_LIMIT_KEYS_PER_HOUR,
    defaultHalfLifeDays: data.TEMPORAL_DECAY_DEFAULT_HALF_LIFE_DAYS,
    consolidationIntervalHours: data.CONSOLIDATION_INTERVAL_HOURS,
    staleAgeDays: data.CONSOLIDATION_STALE_AGE_DAYS,
    pricePerMillionTokens: data.SAVINGS_PRICE_PER_MTOK,
    requireInvitation: data.REQUIRE_INVITATION,
    establishedAfterHours: data.ESTABLISHED_AFTER_HOURS,
    flagsToHide: data.FLAGS_TO_HIDE,
    minRelevance: data.MIN_RELEVANCE,
    hardWonPlaces: data.RETRIEVAL_FLOOR_N,
    hardWonIntensity: data.RETRIEVAL_SOMATIC_FLOOR,
    hardWonAlignment: data.RETRIEVAL_FLOOR_MIN_ALIGN,
    registryUrl: data.PACKAGE_REGISTRY_URL,
    countryHeader: data.COUNTRY_HEADER,
    requireVerification: data.REQUIRE_EMAIL_VERIFICATION,
    publicUrl: data.PUBLIC_URL,
    mailRelayUrl: data.MAIL_RELAY_URL,
    keyHeader: data.API_KEY_HEADER_NAME,
    appName: data.APP_NAME,
    debug: data.DEBUG,
    corsOrigins: data.CORS_ORIGINS,
    allowedHosts: data.ALLOWED_HOSTS,
  }
}
