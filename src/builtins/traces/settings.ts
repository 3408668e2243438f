import type { SettingTable } from '../../base/setting-table.ts'

/** Settings of the service; the names are those of CommonTrace. */
export const SERVICE_SETTINGS = {
  apiKeyPepper: {
    type: 'string',
    default: '',
    text: 'Secret that is mixed into the hashes of API keys.',
  },
  adminDashboardToken: {
    type: 'string',
    default: '',
    text: 'Token for the admin pages; without one they are not served.',
  },
  validationThreshold: {
    type: 'integer',
    min: 0,
    default: 2,
    text: 'Confirmations that make a trace validated.',
  },
  rateLimitReadPerMinute: {
    type: 'integer',
    min: 1,
    default: 60,
    text: 'Reads per minute and key.',
  },
  rateLimitWritePerMinute: {
    type: 'integer',
    min: 1,
    default: 20,
    text: 'Writes per minute and key.',
  },
  rateLimitKeysPerHour: {
    type: 'integer',
    min: 1,
    default: 20,
    text: 'New keys per hour and address.',
  },
  temporalDecayDefaultHalfLifeDays: {
    type: 'integer',
    min: 0,
    default: 365,
    text: 'Days after which a trace weighs half, unless its kind says otherwise.',
  },
  consolidationIntervalHours: {
    type: 'number',
    min: 0.001,
    default: 24,
    text: 'Hours between two consolidations.',
  },
  consolidationStaleAgeDays: {
    type: 'integer',
    min: 0,
    default: 180,
    text: 'Days without use after which a distrusted trace is frozen.',
  },
  savingsPricePerMtok: {
    type: 'number',
    min: 0,
    default: 5,
    text: 'Price of a million tokens, for the savings that are shown.',
  },
  requireInvitation: {
    type: 'boolean',
    default: false,
    text: 'Whether only accounts with an invitation may contribute.',
  },
  establishedAfterHours: {
    type: 'number',
    min: 0,
    default: 24,
    text: 'Age in hours from which the votes and flags of an unknown account count.',
  },
  retrievalFloorN: {
    type: 'integer',
    min: 0,
    default: 2,
    text: 'Places within the limit that are kept for traces of difficult problems.',
  },
  retrievalSomaticFloor: {
    type: 'number',
    min: 0,
    max: 1,
    default: 0.75,
    text: 'Difficulty from which a problem counts as difficult (`somatic_intensity`).',
  },
  retrievalFloorMinAlign: {
    type: 'number',
    min: 0,
    max: 1,
    default: 0,
    text: 'How far such a trace must fit the context of the search.',
  },
  packageRegistryUrl: {
    type: 'url',
    text: 'Where versions of packages are looked up, such as https://pypi.org; by default nowhere.',
  },
  countryHeader: {
    type: 'string',
    default: '',
    text: 'Header in which a trusted proxy names the country of a caller, such as CF-IPCountry.',
  },
  requireEmailVerification: {
    type: 'boolean',
    default: false,
    text: 'Whether only accounts with a confirmed e-mail address may contribute and vote.',
  },
  publicUrl: {
    type: 'url',
    default: 'http://127.0.0.1:8000',
    text: 'Public address of the service; links in mails begin with it.',
  },
  mailRelayUrl: {
    type: 'url',
    text: 'Takes mails as JSON (`to`, `subject`, `text`) by POST; without it they go to the log.',
  },
  apiKeyHeaderName: { type: 'string', default: 'X-API-Key', text: 'Header of API keys.' },
  appName: { type: 'string', default: 'Portolan traces', text: 'Name in mails and in the API.' },
  debug: {
    type: 'boolean',
    default: false,
    text: 'Whether the service serves /metrics and logs a line for each request.',
  },
  corsOrigins: { type: 'list', default: [], text: 'Origins of web pages that may call.' },
  allowedHosts: {
    type: 'list',
    default: [],
    text: 'Names by which clients reach the service, beside loopback and `publicUrl`; `*` for any.',
  },
} as const satisfies SettingTable

/** Limits of the tools' calls to the service. */
export const ADAPTER_SETTINGS = {
  readTimeout: {
    type: 'number',
    min: 0.001,
    default: 0.2,
    text: 'Time limit of a read in seconds.',
  },
  writeTimeout: {
    type: 'number',
    min: 0.001,
    default: 2,
    text: 'Time limit of a write in seconds.',
  },
  circuitFailureThreshold: {
    type: 'integer',
    min: 1,
    default: 5,
    text: 'Failures in a row after which a service elsewhere is not called for a while.',
  },
  circuitRecoveryTimeout: {
    type: 'number',
    min: 0.001,
    default: 30,
    text: 'Seconds after which it is called again.',
  },
  mcpRateLimitPerMinute: {
    type: 'integer',
    min: 0,
    default: 30,
    text: 'Calls per minute and key to a service elsewhere; 0 for no limit.',
  },
  skills: {
    type: 'integer',
    min: 0,
    max: 100,
    default: 0,
    text: 'How many confirmed traces, the most trusted first, are offered as skills. Agents follow skills, so set it only if you trust the contributors.',
  },
} as const satisfies SettingTable

/** The section `traces` of the settings. */
export const TRACES_SETTINGS = {
  url: { type: 'url', text: 'Service of another installation; by default the embedded one.' },
  apiKey: {
    type: 'string',
    variable: 'COMMONTRACE_API_KEY',
    text: 'Key for the service; by default the account of this data folder.',
  },
  ...ADAPTER_SETTINGS,
  ...SERVICE_SETTINGS,
} as const satisfies SettingTable
