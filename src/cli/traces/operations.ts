import { type Operation, get, post, remove, toJson, toNumber } from './operation.ts'

const PAGE = [
  ['-l, --limit <count>', 'how many'],
  ['--offset <count>', 'how many to skip'],
] as const

/** The operations that people use every day. */
export const OPERATIONS: readonly Operation[] = [
  {
    command: 'search [query...]',
    description: 'search by words, tags, or both',
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
    command: 'list',
    description: 'list traces, newest first',
    options: [
      ['-t, --tag <tag>', 'only with this tag'],
      ['--status <status>', 'pending or validated'],
      ...PAGE,
    ],
    toRequest: (_, { tag, status, limit, offset }) =>
      get('/traces', { tag, status, limit, offset }),
  },
  {
    command: 'get <id>',
    description: 'read one trace in full',
    toRequest: ([id]) => get(`/traces/${id}`),
  },
  {
    command: 'contribute',
    description: 'share a solved problem',
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
    command: 'vote <id>',
    description: 'rate a trace: up, or down with --tag',
    choice: ['<vote>', ['up', 'down']],
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
    command: 'amend <id>',
    description: 'propose a better solution',
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
    command: 'amendments <id>',
    description: 'list the amendments of a trace',
    toRequest: ([id]) => get(`/traces/${id}/amendments`),
  },
  {
    command: 'vote-amendment <id>',
    description: 'vote on an amendment; enough approval applies it',
    choice: ['<vote>', ['up', 'down']],
    toRequest: ([id, vote]) => post(`/amendments/${id}/votes`, { vote_type: vote }),
  },
  {
    command: 'decide <id>',
    description: 'apply or reject an amendment of one of your traces',
    choice: ['<decision>', ['apply', 'reject']],
    toRequest: ([id, decision]) => post(`/amendments/${id}/decision`, { decision }),
  },
  {
    command: 'flag <id>',
    description: 'report a trace to the moderators',
    options: [
      ['--category <name>', 'harmful, spam, incorrect or duplicate'],
      ['--reason <text>', 'why'],
    ],
    toRequest: ([id], options) =>
      post(`/traces/${id}/flag`, { category: options['category'], reason: options['reason'] }),
  },
  {
    command: 'flagged',
    description: 'list reported traces (moderators)',
    options: PAGE,
    toRequest: (_, { limit, offset }) => get('/moderation/flagged', { limit, offset }),
  },
  {
    command: 'unflag <id>',
    description: 'dismiss the reports of a trace (moderators)',
    toRequest: ([id]) => remove(`/moderation/traces/${id}/flags`),
  },
  {
    command: 'delete <id>',
    description: 'delete a trace (moderators)',
    toRequest: ([id]) => remove(`/moderation/traces/${id}`),
  },
  {
    command: 'validate <id>',
    description: 'dismiss the reports of a trace and count it as confirmed (moderators)',
    toRequest: ([id]) => post(`/moderation/traces/${id}/validate`),
  },
  { command: 'tags', description: 'list all tags in use', toRequest: () => get('/tags') },
  {
    command: 'trending',
    description: 'list the tags that grew this week',
    toRequest: () => get('/tags/trending'),
  },
  {
    command: 'wanted',
    description: 'list what agents searched for and did not find',
    toRequest: () => get('/wanted'),
  },
  {
    command: 'reputation <account>',
    description: 'show the reputation of an account',
    toRequest: ([account]) => get(`/contributors/${account}/reputation`),
  },
  {
    command: 'register',
    description: 'get an API key',
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
  { command: 'verify', description: 'check your API key', toRequest: () => get('/keys/verify') },
  {
    command: 'confirm <token>',
    description: 'confirm your e-mail address with the token you were sent',
    toRequest: ([token]) => get('/keys/confirm', { token }),
  },
  {
    command: 'confirmation',
    description: 'send the verification token again',
    toRequest: () => post('/keys/confirmation'),
  },
  { command: 'rotate', description: 'replace your API key', toRequest: () => post('/keys/rotate') },
  { command: 'revoke', description: 'revoke your API key', toRequest: () => remove('/keys') },
  {
    command: 'invite',
    description: 'create an invitation code',
    options: [['--note <text>', 'who it is for']],
    toRequest: (_, options) => post('/invitations', { note: options['note'] }),
  },
  {
    command: 'invitations',
    description: 'list your invitations',
    toRequest: () => get('/invitations'),
  },
  {
    command: 'redeem <code>',
    description: 'use an invitation code',
    toRequest: ([code]) => post('/invitations/redeem', { code }),
  },
]
