/** One command of `portolan traces` that is one request to the service. */
export interface Operation {
  readonly name: string
  readonly description: string
  /** Positional arguments, as commander writes them. */
  readonly args: readonly string[]
  readonly options: readonly (readonly [flags: string, description: string])[]
  toRequest(args: readonly string[], options: Options): OperationRequest
}

export type Options = Readonly<Record<string, string | string[] | boolean | undefined>>

export interface OperationRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: Record<string, unknown>
}

const get = (path: string): OperationRequest => ({ method: 'GET', path })
const post = (path: string, body: Record<string, unknown> = {}): OperationRequest => ({
  method: 'POST',
  path,
  body: Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined)),
})

export const OPERATIONS: readonly Operation[] = [
  {
    name: 'search',
    description: 'search by words, tags, or both',
    args: ['[query...]'],
    options: [
      ['-t, --tag <tag...>', 'only traces with all of these tags'],
      ['-n, --limit <count>', 'how many results'],
      ['--validated', 'only traces that others have confirmed'],
      ['--current', 'leave out what has been superseded'],
    ],
    toRequest: (args, options) =>
      post('/traces/search', {
        q: args.length > 0 ? args.join(' ') : undefined,
        tags: options['tag'],
        limit: options['limit'] === undefined ? undefined : Number(options['limit']),
        status: options['validated'] ? 'validated' : undefined,
        include_expired: options['current'] ? false : undefined,
      }),
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
      ['--supersedes <id>', 'an own trace that this one replaces'],
      ['--review-after <date>', 'when to look at it again'],
      ['--watch <condition>', 'what would make it outdated'],
      ['--metadata <json>', 'language, framework, error_message, versions…'],
      ['--tokens <count>', 'how many tokens it took'],
      ['--model <name>', 'which model solved it'],
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
        metadata_json:
          typeof options['metadata'] === 'string' ? JSON.parse(options['metadata']) : undefined,
        tokens_to_resolution:
          options['tokens'] === undefined ? undefined : Number(options['tokens']),
        agent_model: options['model'],
      }),
  },
  {
    name: 'vote',
    description: 'rate a trace: up, or down with --tag',
    args: ['<id>', '<up|down>'],
    options: [
      ['--tag <tag>', 'outdated, wrong, security_concern or spam'],
      ['--text <text>', 'why'],
    ],
    toRequest: ([id, vote], options) =>
      post(`/traces/${id}/votes`, {
        vote_type: vote,
        feedback_tag: options['tag'],
        feedback_text: options['text'],
      }),
  },
  {
    name: 'amend',
    description: 'propose a better solution',
    args: ['<id>'],
    options: [
      ['--solution <text>', 'the whole solution as it should read'],
      ['--explanation <text>', 'what is better about it'],
    ],
    toRequest: ([id], options) =>
      post(`/traces/${id}/amendments`, {
        improved_solution: options['solution'],
        explanation: options['explanation'],
      }),
  },
  {
    name: 'amendments',
    description: 'the amendments of a trace',
    args: ['<id>'],
    options: [],
    toRequest: ([id]) => get(`/traces/${id}/amendments`),
  },
  {
    name: 'vote-amendment',
    description: 'vote on an amendment; enough approval applies it',
    args: ['<id>', '<up|down>'],
    options: [],
    toRequest: ([id, vote]) => post(`/amendments/${id}/votes`, { vote_type: vote }),
  },
  {
    name: 'decide',
    description: 'apply or reject an amendment of an own trace',
    args: ['<id>', '<apply|reject>'],
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
    description: 'what has been reported (moderators)',
    args: [],
    options: [],
    toRequest: () => get('/moderation/flagged'),
  },
  {
    name: 'unflag',
    description: 'dismiss the reports of a trace (moderators)',
    args: ['<id>'],
    options: [],
    toRequest: ([id]) => ({ method: 'DELETE', path: `/moderation/traces/${id}/flags` }),
  },
  {
    name: 'delete',
    description: 'delete a trace (moderators)',
    args: ['<id>'],
    options: [],
    toRequest: ([id]) => ({ method: 'DELETE', path: `/moderation/traces/${id}` }),
  },
  {
    name: 'tags',
    description: 'all tags in use',
    args: [],
    options: [],
    toRequest: () => get('/tags'),
  },
  {
    name: 'trending',
    description: 'tags that grew this week',
    args: [],
    options: [],
    toRequest: () => get('/tags/trending'),
  },
  {
    name: 'wanted',
    description: 'what agents looked for and did not find',
    args: [],
    options: [],
    toRequest: () => get('/wanted'),
  },
  {
    name: 'reputation',
    description: 'how an account is trusted',
    args: ['<account>'],
    options: [],
    toRequest: ([account]) => get(`/contributors/${account}/reputation`),
  },
  {
    name: 'savings',
    description: 'what all traces together have saved',
    args: [],
    options: [],
    toRequest: () => get('/analytics/savings'),
  },
  {
    name: 'impact',
    description: 'what your traces have saved others',
    args: [],
    options: [],
    toRequest: () => get('/analytics/impact/outbound'),
  },
  {
    name: 'register',
    description: 'get an API key',
    args: [],
    options: [
      ['--email <address>', 'needed to contribute and vote'],
      ['--name <text>', 'shown with your traces'],
      ['--invitation <code>', 'where the service asks for one'],
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
    toRequest: () => ({ method: 'DELETE', path: '/keys' }),
  },
  {
    name: 'invite',
    description: 'make an invitation code',
    args: [],
    options: [['--note <text>', 'whom it is for']],
    toRequest: (_, options) => post('/invitations', { note: options['note'] }),
  },
  {
    name: 'invitations',
    description: 'your invitations',
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
