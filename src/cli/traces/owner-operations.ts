import { type Operation, get, post, remove, toNumber } from './operation.ts'

const PERIOD = [
  ['--days <count>', 'how far back'],
  ['-l, --limit <count>', 'how many'],
] as const

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

/** `portolan traces admin users` and the like. */
export const OWNER_LISTS: readonly Operation[] = Object.entries({
  totals: ['health', 'show how much there is of everything (owner)'],
  users: ['users/recent', 'list the latest accounts (owner)'],
  signups: ['signups/timeline', 'count the new accounts of each day (owner)'],
  sessions: ['sessions/recent', 'list the latest reports of hooks (owner)'],
  traces: ['traces/recent', 'list the latest traces (owner)'],
  votes: ['votes/recent', 'list the latest votes (owner)'],
  funnel: ['funnel', 'count the accounts that reached each step (owner)'],
}).map(([name, [path = '', description = '']]) => ({
  name,
  description,
  args: [],
  options: PERIOD,
  toRequest: (_, { days, limit }) => get(`/admin/${path}`, { days, limit }),
}))

/** Other operations of the owner (PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN). */
export const OWNER_OPERATIONS: readonly Operation[] = [
  {
    name: 'analytics',
    description: 'show a report (owner)',
    args: [['<report>', ANALYTICS]],
    options: PERIOD,
    toRequest: ([report], { days, limit }) => get(`/analytics/${report}`, { days, limit }),
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
]
