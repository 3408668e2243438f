import type { SettingTable } from '../../base/setting-table.ts'

/** Settings of the service; the names are those of CommonTrace. */
export const SERVICE_SETTINGS = {
  apiKeyPepper: {
    type: 'string',
    default: '',
    text: 'Secret that is mixed into the hashes of API keys, so that a stolen database alone is of no use.',
  },
  adminDashboardToken: {
    type: 'string',
    default: '',
    text: 'Token for the admin pages of whoever runs the service; without one they are not served.',
  },
  validationThreshold: {
    type: 'integer',
    min: 0,
    default: 2,
    text: 'Confirmations that make a trace validated. Lower it to 1 in a small team.',
  },
  rateLimitReadPerMinute: {
    type: 'integer',
    min: 1,
    default: 60,
    text: 'Reads per minute and key. Raise it for keys that several agents share.',
  },
  rateLimitWritePerMinute: {
    type: 'integer',
    min: 1,
    default: 20,
    text: 'Writes per minute and key. Raise it to import traces in bulk.',
  },
  rateLimitKeysPerHour: {
    type: 'integer',
    min: 1,
    default: 20,
    text: 'New keys per hour and address. Raise it for an office whose people all begin on one day.',
  },
  temporalDecayDefaultHalfLifeDays: {
    type: 'integer',
    min: 0,
    default: 365,
    text: 'Days after which a trace weighs half, unless its kind says otherwise. Lower it for fields that change fast.',
  },
  consolidationIntervalHours: {
    type: 'number',
    min: 0.001,
    default: 24,
    text: 'Hours between two consolidations, which merge and freeze traces. Raise it for a very large database.',
  },
  consolidationStaleAgeDays: {
    type: 'integer',
    min: 0,
    default: 180,
    text: 'Days without use after which a distrusted trace is frozen. Raise it where traces are used rarely.',
  },
  requireInvitation: {
    type: 'boolean',
    default: false,
    text: 'Whether only accounts with an invitation may contribute, for a closed group on a public address.',
  },
  retrievalFloorN: {
    type: 'integer',
    min: 0,
    default: 2,
    text: 'Traces of difficult problems that are added to an answer although the limit would cut them off; 0 for none, if your agents have little context.',
  },
  retrievalSomaticFloor: {
    type: 'number',
    min: 0,
    max: 1,
    default: 0.75,
    text: 'Difficulty from which a problem counts as difficult (`somatic_intensity`). Lower it if too few do.',
  },
  retrievalFloorMinAlign: {
    type: 'number',
    min: 0,
    max: 1,
    default: 0,
    text: 'How far such a trace must fit the context of the search, from 0 to 1. Raise it if they are beside the point.',
  },
  packageRegistryUrl: {
    type: 'url',
    text: 'Where versions of packages are looked up, to mark traces about old ones, such as https://pypi.org; by default nowhere.',
  },
  requireEmailVerification: {
    type: 'boolean',
    default: false,
    text: 'Whether only accounts with a confirmed e-mail address may contribute and vote, against accounts made by programs.',
  },
  publicUrl: {
    type: 'url',
    default: 'http://127.0.0.1:8000',
    text: 'Public address of the service, if others reach it; links in mails begin with it.',
  },
  mailRelayUrl: {
    type: 'url',
    text: 'What sends mails for a public service: takes them as JSON (`to`, `subject`, `text`) by POST; without it they go to the log.',
  },
  apiKeyHeaderName: {
    type: 'string',
    default: 'X-API-Key',
    text: 'Header of API keys; change it where a proxy uses this one itself.',
  },
  appName: {
    type: 'string',
    default: 'Portolan traces',
    text: 'Name in mails and in the API, such as that of your organisation.',
  },
  debug: {
    type: 'boolean',
    default: false,
    text: 'Whether the service serves /metrics and logs a line for each request, to watch it or to find a fault.',
  },
  corsOrigins: {
    type: 'list',
    default: [],
    text: 'Origins of web pages that may call, for a site of your own over the service.',
  },
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
    text: 'Time limit of a read in seconds. Raise it for a service that is far away.',
  },
  writeTimeout: {
    type: 'number',
    min: 0.001,
    default: 2,
    text: 'Time limit of a write in seconds. Raise it likewise.',
  },
  circuitFailureThreshold: {
    type: 'integer',
    min: 1,
    default: 5,
    text: 'Failures in a row after which a service elsewhere is not called for a while. Raise it for an unreliable network.',
  },
  circuitRecoveryTimeout: {
    type: 'number',
    min: 0.001,
    default: 30,
    text: 'Seconds after which it is called again. Lower it to notice sooner that it is back.',
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
  url: {
    type: 'url',
    text: 'Service of another installation, to share traces with a team; by default the embedded one.',
  },
  apiKey: {
    type: 'string',
    variable: 'COMMONTRACE_API_KEY',
    text: 'Key for the service, from whoever runs it; by default the account of this data folder.',
  },
  ...ADAPTER_SETTINGS,
  ...SERVICE_SETTINGS,
} as const satisfies SettingTable
