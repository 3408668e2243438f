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
  command: name,
  description,
  options: PERIOD,
  toRequest: (_, { days, limit }) => get(`/admin/${path}`, { days, limit }),
}))

/** Other operations of the owner (PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN). */
export const OWNER_OPERATIONS: readonly Operation[] = [
  {
    command: 'analytics',
    description: 'show a report (owner)',
    choice: ['<report>', ANALYTICS],
    options: PERIOD,
    toRequest: ([report], { days, limit }) => get(`/analytics/${report}`, { days, limit }),
  },
  {
    command: 'user <account>',
    description: 'show an account (owner)',
    toRequest: ([account]) => get(`/admin/users/${account}`),
  },
  {
    command: 'delete-user <account>',
    description: 'delete an account that nothing refers to (owner)',
    toRequest: ([account]) => remove(`/admin/users/${account}`),
  },
  {
    command: 'verification <account>',
    description: 'create a link that verifies the e-mail address of an account (owner)',
    toRequest: ([account]) => post(`/admin/users/${account}/verification`),
  },
  {
    command: 'contributor <account>',
    description: 'allow an account to contribute (owner)',
    options: [
      ['--door <door>', 'earned or founding'],
      ['--moderator', 'also allow it to moderate'],
    ],
    toRequest: ([account], { door, moderator }) =>
      post(`/admin/contributors/${account}`, { door, moderator }),
  },
  {
    command: 'founding-invitations',
    description: 'create invitation codes that no member vouches for (owner)',
    options: [
      ['--count <count>', 'how many'],
      ['--door <door>', 'founding or vouched'],
      ['--note <text>', 'who they are for'],
    ],
    toRequest: (_, { count, door, note }) =>
      post('/admin/invitations', { count: toNumber(count), door, note }),
  },
  {
    command: 'health',
    description: 'check the health of the service',
    toRequest: () => get('/health'),
  },
]
