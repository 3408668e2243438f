import { type Operation, get, post, remove, toNumber } from './operation.ts'

/** `portolan traces admin users` and the like. */
export const OWNER_LISTS: readonly Operation[] = [
  {
    command: 'totals',
    description: 'show how much there is of everything (owner)',
    toRequest: () => get('/admin/health'),
  },
  {
    command: 'users',
    description: 'list the latest accounts (owner)',
    options: [['-l, --limit <count>', 'how many']],
    toRequest: (_, { limit }) => get('/admin/users/recent', { limit }),
  },
  {
    command: 'knowledge-health',
    description: 'show which traces are stale, repeated or in conflict (owner)',
    toRequest: () => get('/analytics/knowledge-health'),
  },
]

/** Other operations of the owner (PORTOLAN_TRACES_ADMIN_DASHBOARD_TOKEN). */
export const OWNER_OPERATIONS: readonly Operation[] = [
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
