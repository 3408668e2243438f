import { type Operation, get, post, remove, toJson, toNumber } from './operation.ts'

const PAGE = [
  ['-l, --limit <count>', 'how many'],
  ['--offset <count>', 'how many to skip'],
] as const

/** The operations that people use every day. */
export const OPERATIONS: readonly Operation[] = [
  {
    name: 'search',
    description: 'search by words, tags, or both',
    args: ['[query...]'],
    options: [
      ['-t, --tag <tag...>', 'only traces with all of these tags'],
      ['-l, --limit <count>', 'how many results'],
      ['--validated', 'only traces that others have confirmed'],
      ['--pending', 'only traces that nobody has confirmed yet'],
      ['--current', 'leave out superseded traces'],
      ['--where <json>', 'where you work: language, framework, os…'],
    ],
    toRequest: (args, options) =>
      post('/traces/search', {
        q: args.length > 0 ? args.join(' ') : undefined,
        tags: options['tag'],
        limit: toNumber(options['limit']),
        status: options['validated'] ? 'validated' : options['pending'] ? 'pending' : undefined,
        context: toJson('--where', options['where']),
        include_expired: options['current'] ? false : undefined,
      }),
  },
  {
    name: 'list',
    description: 'list traces, newest first',
    args: [],
    options: [
      ['-t, --tag <tag>', 'only with this tag'],
      ['--status <status>', 'pending or validated'],
      ...PAGE,
    ],
    toRequest: (_, { tag, status, limit, offset }) =>
      get('/traces', { tag, status, limit, offset }),
  },
  {
    name: 'get',
    description: 'read one trace in full',
    args: ['<id>'],
    options: [],
    toRequest: ([id]) => get(`/traces/${id}`),
  },
  {
    name: 'contribute',
    description: 'share a solved problem',
    args: [],
    options: [
      ['--title <text>', 'the problem in one line'],
      ['--context <text>', 'what went wrong, and how it showed'],
      ['--solution <text>', 'what solved it, and why'],
      ['-t, --tag <tag...>', 'tags'],
      ['--supersedes <id>', 'one of your traces that this one replaces'],
      ['--review-after <date>', 'when to review it'],
      ['--watch <condition>', 'what would make it outdated'],
      ['--metadata <json>', 'language, framework, error_message, versions…'],
      ['--tokens <count>', 'how many tokens it took'],
      ['--model <name>', 'which model solved it'],
      ['--agent-version <text>', 'which version of the agent'],
    ],
    toRequest: (_, options) =>
      post('/traces', {
        title: options['title'],
        context_text: options['context'],
        solution_text: options['solution'],
        tags: options['tag'],
        supersedes_trace_id: options['supersedes'],
        review_after: options['reviewAfter'],
        watch_condition: options['watch'],
        metadata_json: toJson('--metadata', options['metadata']),
        tokens_to_resolution: toNumber(options['tokens']),
        agent_model: options['model'],
        agent_version: options['agentVersion'],
      }),
  },
  {
    name: 'vote',
    description: 'rate a trace: up, or down with --tag',
    args: ['<id>', ['<vote>', ['up', 'down']]],
    options: [
      ['--tag <tag>', 'outdated, wrong, security_concern or spam'],
      ['--text <text>', 'why'],
      ['--where <json>', 'where you used it: language, framework, os…'],
    ],
    toRequest: ([id, vote], options) =>
      post(`/traces/${id}/votes`, {
        vote_type: vote,
        feedback_tag: options['tag'],
        feedback_text: options['text'],
        voter_context: toJson('--where', options['where']),
      }),
  },
  {
    name: 'amend',
    description: 'propose a better solution',
    args: ['<id>'],
    options: [
      ['--solution <text>', 'the complete corrected solution'],
      ['--explanation <text>', 'what is better about it'],
    ],
    toRequest: ([id], options) =>
      post(`/traces/${id}/amendments`, {
        improved_solution: options['solution'],
        explanation: options['explanation'],
      }),
  },
]

/** The other operations of everyone with a key, and of moderators. */
export const ADMIN_OPERATIONS: readonly Operation[] = [
  {
    name: 'amendments',
    description: 'list the amendments of a trace',
    args: ['<id>'],
    options: [],
    toRequest: ([id]) => get(`/traces/${id}/amendments`),
  },
  {
    name: 'vote-amendment',
    description: 'vote on an amendment; enough approval applies it',
    args: ['<id>', ['<vote>', ['up', 'down']]],
    options: [],
    toRequest: ([id, vote]) => post(`/amendments/${id}/votes`, { vote_type: vote }),
  },
  {
    name: 'decide',
    description: 'apply or reject an amendment of one of your traces',
    args: ['<id>', ['<decision>', ['apply', 'reject']]],
    options: [],
    toRequest: ([id, decision]) => post(`/amendments/${id}/decision`, { decision }),
  },
  {
    name: 'flag',
    description: 'report a trace to the moderators',
    args: ['<id>'],
    options: [
      ['--category <name>', 'harmful, spam, incorrect or duplicate'],
      ['--reason <text>', 'why'],
    ],
    toRequest: ([id], options) =>
      post(`/traces/${id}/flag`, { category: options['category'], reason: options['reason'] }),
  },
  {
    name: 'flagged',
    description: 'list reported traces (moderators)',
    args: [],
    options: PAGE,
    toRequest: (_, { limit, offset }) => get('/moderation/flagged', { limit, offset }),
  },
  {
    name: 'unflag',
    description: 'dismiss the reports of a trace (moderators)',
    args: ['<id>'],
    options: [],
    toRequest: ([id]) => remove(`/moderation/traces/${id}/flags`),
  },
  {
    name: 'delete',
    description: 'delete a trace (moderators)',
    args: ['<id>'],
    options: [],
    toRequest: ([id]) => remove(`/moderation/traces/${id}`),
  },
  {
    name: 'validate',
    description: 'dismiss the reports of a trace and count it as confirmed (moderators)',
    args: ['<id>'],
    options: [],
    toRequest: ([id]) => post(`/moderation/traces/${id}/validate`),
  },
  {
    name: 'tags',
    description: 'list all tags in use',
    args: [],
    options: [],
    toRequest: () => get('/tags'),
  },
  {
    name: 'trending',
    description: 'list the tags that grew this week',
    args: [],
    options: [],
    toRequest: () => get('/tags/trending'),
  },
  {
    name: 'wanted',
    description: 'list what agents searched for and did not find',
    args: [],
    options: [],
    toRequest: () => get('/wanted'),
  },
  {
    name: 'reputation',
    description: 'show the reputation of an account',
    args: ['<account>'],
    options: [],
    toRequest: ([account]) => get(`/contributors/${account}/reputation`),
  },
  {
    name: 'savings',
    description: 'show what all traces together have saved',
    args: [],
    options: [],
    toRequest: () => get('/analytics/savings'),
  },
  {
    name: 'impact',
    description: 'show what your traces have saved others',
    args: [],
    options: [],
    toRequest: () => get('/analytics/impact/outbound'),
  },
  {
    name: 'register',
    description: 'get an API key',
    args: [],
    options: [
      ['--email <address>', 'e-mail address, required to contribute and vote'],
      ['--name <text>', 'name shown with your traces'],
      ['--invitation <code>', 'invitation code, if the service requires one'],
    ],
    toRequest: (_, options) =>
      post('/keys', {
        email: options['email'],
        display_name: options['name'],
        invitation_code: options['invitation'],
      }),
  },
  {
    name: 'verify',
    description: 'check your API key',
    args: [],
    options: [],
    toRequest: () => get('/keys/verify'),
  },
  {
    name: 'confirm',
    description: 'confirm your e-mail address with the token you were sent',
    args: ['<token>'],
    options: [],
    toRequest: ([token]) => get('/keys/confirm', { token }),
  },
  {
    name: 'confirmation',
    description: 'send the verification token again',
    args: [],
    options: [],
    toRequest: () => post('/keys/confirmation'),
  },
  {
    name: 'rotate',
    description: 'replace your API key',
    args: [],
    options: [],
    toRequest: () => post('/keys/rotate'),
  },
  {
    name: 'revoke',
    description: 'revoke your API key',
    args: [],
    options: [],
    toRequest: () => remove('/keys'),
  },
  {
    name: 'invite',
    description: 'create an invitation code',
    args: [],
    options: [['--note <text>', 'who it is for']],
    toRequest: (_, options) => post('/invitations', { note: options['note'] }),
  },
  {
    name: 'invitations',
    description: 'list your invitations',
    args: [],
    options: [],
    toRequest: () => get('/invitations'),
  },
  {
    name: 'redeem',
    description: 'use an invitation code',
    args: ['<code>'],
    options: [],
    toRequest: ([code]) => post('/invitations/redeem', { code }),
  },
]
