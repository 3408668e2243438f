import { type Operation, get, post, remove, toJson, toNumber } from './operation.ts'

const ANALYTICS = [
  'summary',
  'timeline',
  'top-tags',
  'top-traces',
  'top-contributors',
  'geo',
  'platforms',
  'triggers',
  'topics',
  'assisted-resolution',
  'knowledge-health',
] as const

const ADMIN: Readonly<Record<string, string>> = {
  health: 'health',
  users: 'users/recent',
  signups: 'signups/timeline',
  sessions: 'sessions/recent',
  traces: 'traces/recent',
  votes: 'votes/recent',
  funnel: 'funnel',
}

/** Operations of the owner (PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN), and reports of the hooks. */
export const OWNER_OPERATIONS: readonly Operation[] = [
  {
    name: 'analytics',
    description: 'show a report (owner)',
    args: [['<report>', ANALYTICS]],
    options: [
      ['--days <count>', 'how far back'],
      ['-l, --limit <count>', 'how many'],
    ],
    toRequest: ([report], { days, limit }) => get(`/analytics/${report}`, { days, limit }),
  },
  {
    name: 'admin',
    description: 'list the latest entries (owner)',
    args: [['<what>', Object.keys(ADMIN)]],
    options: [
      ['--days <count>', 'how far back'],
      ['-l, --limit <count>', 'how many'],
    ],
    toRequest: ([what = ''], { days, limit }) =>
      get(`/admin/${ADMIN[what] ?? what}`, { days, limit }),
  },
  {
    name: 'user',
    description: 'show an account (owner)',
    args: ['<account>'],
    options: [],
    toRequest: ([account]) => get(`/admin/users/${account}`),
  },
  {
    name: 'delete-user',
    description: 'delete an account that nothing refers to (owner)',
    args: ['<account>'],
    options: [],
    toRequest: ([account]) => remove(`/admin/users/${account}`),
  },
  {
    name: 'verification',
    description: 'create a link that verifies the e-mail address of an account (owner)',
    args: ['<account>'],
    options: [],
    toRequest: ([account]) => post(`/admin/users/${account}/verification`),
  },
  {
    name: 'contributor',
    description: 'allow an account to contribute (owner)',
    args: ['<account>'],
    options: [
      ['--door <door>', 'earned or founding'],
      ['--moderator', 'also allow it to moderate'],
    ],
    toRequest: ([account], { door, moderator }) =>
      post(`/admin/contributors/${account}`, { door, moderator }),
  },
  {
    name: 'founding-invitations',
    description: 'create invitation codes that no member vouches for (owner)',
    args: [],
    options: [
      ['--count <count>', 'how many'],
      ['--door <door>', 'founding or vouched'],
      ['--note <text>', 'who they are for'],
    ],
    toRequest: (_, { count, door, note }) =>
      post('/admin/invitations', { count: toNumber(count), door, note }),
  },
  {
    name: 'health',
    description: 'check the health of the service',
    args: [],
    options: [],
    toRequest: () => get('/health'),
  },
  {
    name: 'report-savings',
    description: 'report to the service what a trace saved; stored without identity',
    args: ['<minutes>', '<tokens>'],
    options: [['--measured', 'measured by solving the same error again']],
    toRequest: ([minutes, tokens], { measured }) =>
      post('/telemetry/savings', {
        minutes_saved: Number(minutes),
        tokens_saved: Number(tokens),
        event_type: measured ? 'measured_recurrence' : 'proxy_consumption',
      }),
  },
  {
    name: 'report-triggers',
    description: 'report to the service how the hooks of a session performed',
    args: ['<session>', '<stats-json>'],
    options: [],
    toRequest: ([session_id, stats]) =>
      post('/telemetry/triggers', { session_id, trigger_stats: toJson('<stats-json>', stats) }),
  },
  {
    name: 'report-install',
    description: 'report to the service where it is used',
    args: [],
    options: [
      ['--platform <name>', 'such as linux'],
      ['--skill-version <version>', 'of the hooks'],
      ['--source <name>', 'where they came from'],
    ],
    toRequest: (_, { platform, skillVersion, source }) =>
      post('/telemetry/install', { platform, skill_version: skillVersion, install_source: source }),
  },
  {
    name: 'ping',
    description: 'report to the service that this account is in use',
    args: [],
    options: [],
    toRequest: () => post('/telemetry/ping'),
  },
]
