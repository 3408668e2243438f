import { createHmac } from 'node:crypto'
import { z } from 'zod'
import { isAgentId } from '../gateway/agents/agent-id.ts'
import type { Agent } from '../gateway/call.ts'
import { EFFECTS } from '../gateway/tools/effect.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { Principal } from '../gateway/agents/policy.ts'
import type { HandleLimits } from '../gateway/agents/rules.ts'
import { isSame } from '../base/secrets/is-same.ts'
import { createSecret, mustBeLong, readSecret } from './secret-file.ts'

export const HANDLE_PREFIX = 'pth_'
/** Handles cannot be revoked individually; they expire soon, or with the key or sign-in they come from. */
const MAX_TTL_MS = 24 * 60 * 60 * 1000
const CACHED = 1024

const accessSchema = z.strictObject({
  servers: z.array(z.string()).optional(),
  tools: z.record(z.string(), z.array(z.string())).optional(),
  rule: z.string().optional(),
  maxTokens: z.number().optional(),
})

const personSchema = z.strictObject({
  user: z.string(),
  id: z.string().optional(),
  groups: z.array(z.string()),
  claims: z.record(z.string(), z.unknown()).optional(),
})

const claimsSchema = z.strictObject({
  id: z.string(),
  ancestors: z.array(z.string()).min(1),
  within: z.array(accessSchema),
  expiresAt: z.number(),
  key: z.string().optional(),
  accountId: z.string().optional(),
  session: z.string().optional(),
  person: personSchema.optional(),
  client: z.string().optional(),
  effects: z.array(z.enum(EFFECTS)).optional(),
})

interface MintOptions {
  /** The agent that delegates; a handle's holder may mint too, with no more rights or lifetime. */
  readonly parent: Principal & Pick<Agent, 'expiresAt' | 'key' | 'accountId' | 'session' | 'client'>
  readonly agent: string
  readonly ttlMs: number
  /** Limits on the parent's rights; all of them if absent. */
  readonly within?: HandleLimits | undefined
}

interface Handle {
  readonly secret: string
  readonly expiresAt: number
}

/** Short-lived identities of sub-agents, signed by this installation. */
export interface Handles {
  mint(options: MintOptions): Handle
  /**
   * Returns the agent of a handle; throws `UNAUTHENTICATED` if it is forged or expired. Does not
   * check the key or the account behind it.
   */
  verify(handle: string): Agent
}

/** Signs with the secret of a file, created when first needed, or with one that replicas share. */
export function createHandles(source: string | Buffer, now: () => number = Date.now): Handles {
  const verified = new Map<string, Agent & { readonly expiresAt: number }>()
  // Read now, so that a damaged secret is found at the start, not with the first handle.
  let secret = Buffer.isBuffer(source) ? mustBeLong(source, 'the database') : readSecret(source)

  function known(): Buffer | undefined {
    secret ??= readSecret(String(source))
    return secret
  }

  function check(handle: string): Agent & { readonly expiresAt: number } {
    const [payload = '', signature = ''] = handle.slice(HANDLE_PREFIX.length).split('.')
    const key = known()
    const given = Buffer.from(signature, 'base64url')
    const expected = key && sign(payload, key)
    if (!expected || !isSame(given, expected)) throw forged()
    const claims = claimsSchema.safeParse(JSON.parse(Buffer.from(payload, 'base64url').toString()))
    if (!claims.success) throw forged()
    return { proof: 'handle', ...claims.data }
  }

  return {
    mint({ parent, agent, ttlMs, within }) {
      if (!isAgentId(agent)) throw invalid(`"${agent}" is not an agent id`)
      if (!(ttlMs > 0 && ttlMs <= MAX_TTL_MS)) {
        throw invalid('The lifetime of a handle must be more than 0 and at most 24 hours')
      }
      const expiresAt = Math.min(now() + ttlMs, parent.expiresAt ?? Infinity)
      const claims: z.input<typeof claimsSchema> = {
        id: agent,
        ancestors: [parent.id, ...(parent.ancestors ?? [])],
        within: [...(within === undefined ? [] : [within]), ...(parent.within ?? [])].map(copy),
        expiresAt,
        ...(parent.key !== undefined && { key: parent.key }),
        ...(parent.accountId !== undefined && { accountId: parent.accountId }),
        ...(parent.session !== undefined && { session: parent.session }),
        ...signedIn(parent),
      }
      secret = known() ?? createSecret(String(source))
      const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
      return {
        secret: `${HANDLE_PREFIX}${payload}.${sign(payload, secret).toString('base64url')}`,
        expiresAt,
      }
    },
    verify(handle) {
      const agent = verified.get(handle) ?? check(handle)
      if (agent.expiresAt <= now()) {
        verified.delete(handle)
        throw new GatewayError('UNAUTHENTICATED', 'The handle has expired', {
          hint: 'Ask the parent agent for a new one.',
        })
      }
      // The same handle returns the same object, so that the policy compiles its limits once.
      if (!verified.has(handle)) {
        if (verified.size >= CACHED) verified.clear()
        verified.set(handle, agent)
      }
      return agent
    },
  }
}

/** Returns what a sub-agent inherits from a sign-in: the person, the client and its effects. */
function signedIn({ effects, client, person }: MintOptions['parent']) {
  return {
    ...(effects && { effects: [...effects] }),
    ...(client !== undefined && { client }),
    ...(person && { person: { ...person, groups: [...person.groups] } }),
  }
}

function copy({ servers, tools, rule, maxTokens }: HandleLimits): z.input<typeof accessSchema> {
  return {
    ...(rule !== undefined && { rule }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(servers && { servers: [...servers] }),
    ...(tools && {
      tools: Object.fromEntries(Object.entries(tools).map(([key, list]) => [key, [...list]])),
    }),
  }
}

function invalid(message: string): GatewayError {
  return new GatewayError('INVALID_PARAMS', message)
}

function forged(): GatewayError {
  return new GatewayError('UNAUTHENTICATED', 'The handle was not minted by this gateway', {
    hint: 'Ask the parent agent for a new one.',
  })
}

function sign(payload: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(payload).digest()
}
