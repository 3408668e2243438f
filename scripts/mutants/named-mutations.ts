/** One change that would cost a user money or data, and the tests that must fail with it. */
export interface NamedMutation {
  readonly name: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly from: string
  readonly to: string
  readonly tests: readonly string[]
}

const CACHE = ['src/gateway/layers/cache', 'src/base/json/json.test.ts']
const POLICY = ['src/gateway/policy']
const RATES = ['src/gateway/state/rate-limits.test.ts', 'src/base/flow/bucket.test.ts']
const JWT = ['src/identity/directory.test.ts', 'src/identity/jwt.test.ts']

/** With each of these, all unit tests once passed. */
export const NAMED_MUTATIONS: readonly NamedMutation[] = [
  {
    name: 'the cache key has no arguments',
    file: 'src/base/json/json.ts',
    from: '.map((name) => [name, object[name]])',
    to: '.map(() => [])',
    tests: CACHE,
  },
  {
    name: 'all tools of a server share a cache key',
    file: 'src/gateway/layers/cache-keys.ts',
    from: 'tool?.name ?? method',
    to: 'tool?.name && method',
    tests: CACHE,
  },
  {
    name: 'a read that began before a write is stored after it',
    file: 'src/gateway/state/result-cache.ts',
    from: 'generation !== this.generation(server)',
    to: 'false',
    tests: CACHE,
  },
  {
    name: 'sub-agents of different parents share a name',
    file: 'src/gateway/agents/policy.ts',
    from: `.join('<')`,
    to: `.join('')`,
    tests: [...POLICY, ...CACHE],
  },
  {
    name: 'a sub-agent gets the largest token budget of its line',
    file: 'src/gateway/agents/policy.ts',
    from: 'tokensOf(other) < tokensOf(one) ? other : one',
    to: 'tokensOf(other) > tokensOf(one) ? other : one',
    tests: POLICY,
  },
  {
    name: 'a sub-agent gets the token budget of whoever is asked first',
    file: 'src/gateway/agents/policy.ts',
    from: 'tokensOf(other) < tokensOf(one) ? other : one',
    to: 'one',
    tests: POLICY,
  },
  {
    name: 'a handle without ancestors is not narrowed',
    file: 'src/gateway/agents/policy.ts',
    from: 'ancestors === undefined && within === undefined',
    to: 'ancestors === undefined',
    tests: POLICY,
  },
  {
    name: 'a server that the agent may not see is suggested',
    file: 'src/gateway/names/missing.ts',
    from: `policy.server(call.agent, name).effect === 'allow'`,
    to: 'name !== undefined',
    tests: ['src/gateway/layers/authorize.test.ts', 'src/gateway/names/missing.test.ts'],
  },
  {
    name: 'a script is a tool before a person has approved it',
    file: 'src/app/saved-scripts.ts',
    from: `state === 'approved'`,
    to: 'state !== undefined',
    tests: ['src/app/saved-scripts.test.ts'],
  },
  {
    name: 'two servers have one name for a tool each',
    file: 'src/gateway/tools/tool-ref.ts',
    from: 'full.indexOf(SEPARATOR) === server.length',
    to: 'full !== SEPARATOR',
    tests: ['src/gateway/tools/tool-ref.test.ts'],
  },
  {
    name: 'a range of characters has no lower end',
    file: 'src/base/text/glob.ts',
    from: 'from <= char && char <= to',
    to: 'char <= to',
    tests: ['src/base/text/glob.test.ts'],
  },
  {
    name: 'limits of single agents alone limit nobody',
    file: 'src/gateway/state/rate-limits.ts',
    from: '[...own.values()].some((pace) => pace !== undefined)',
    to: 'false',
    tests: RATES,
  },
  {
    name: 'one agent id too many clears the debts of all',
    file: 'src/base/flow/bucket.ts',
    from: 'if (at <= now) this.#fullAt.delete(name)',
    to: 'this.#fullAt.delete(name)',
    tests: RATES,
  },
  {
    name: 'retries end with the shared budget alone',
    file: 'src/gateway/layers/retry.ts',
    from: 'tries >= options.retries || ',
    to: '',
    tests: ['src/gateway/layers/retry.test.ts'],
  },
  {
    name: 'a token that was checked once never ends',
    file: 'src/identity/jwt.ts',
    from: 'known !== undefined && known.expiresAt > now()',
    to: 'known !== undefined',
    tests: JWT,
  },
  {
    name: 'a token is accepted a minute longer than it says',
    file: 'src/identity/jwt.ts',
    from: 'const expiresAt = (payload.exp ?? 0) * 1000',
    to: 'const expiresAt = (payload.exp ?? 0) * 1000 + 60_000',
    tests: JWT,
  },
  {
    name: 'a handle is minted for any name',
    file: 'src/identity/handles.ts',
    from: 'if (!isAgentId(agent))',
    to: 'if (false)',
    tests: ['src/identity/handles.test.ts'],
  },
  {
    name: 'arguments are always recorded',
    file: 'src/gateway/layers/audit.ts',
    from: 'if (options.withArguments) event',
    to: 'event',
    tests: ['src/gateway/layers/audit.test.ts'],
  },
]
