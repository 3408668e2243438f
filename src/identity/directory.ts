import { after } from '../base/flow/soon.ts'
import type { Agent, Caller, Client } from '../gateway/call.ts'
import { GatewayError } from '../gateway/errors.ts'
import type { AgentDirectory } from '../gateway/layers/identify.ts'
import type { Rules } from '../gateway/agents/rules.ts'
import { isAgentId, isCredential } from '../gateway/agents/agent-id.ts'
import type { AccessTokens } from './incoming/server/access-tokens.ts'
import type { DashboardSessions } from './incoming/sessions/dashboard-sessions.ts'
import { ACCESS_TOKEN_PREFIX, SESSION_PREFIX } from './incoming/tokens/token-prefixes.ts'
import { agentOfClient } from './client-agent.ts'
import { HANDLE_PREFIX, type Handles } from './handles.ts'
import type { JwtVerifier } from './jwt.ts'
import { type Key, type KeyStore, KEY_PREFIX } from './key-store.ts'

export interface DirectoryOptions {
  readonly keys?: KeyStore | undefined
  readonly jwt?: JwtVerifier | undefined
  readonly handles?: Handles | undefined
  /** Access tokens of our own authorization server. */
  readonly tokens?: AccessTokens | undefined
  /** Sessions of people in the dashboard. */
  readonly sessions?: Pick<DashboardSessions, 'verify'> | undefined
  /** Throws if the account behind a handle, or its session, has ended. */
  readonly checkAccount?: ((id: string, session?: string) => unknown) | undefined
  readonly rules: Rules | undefined
  /** The agent of calls that name none (`auth.defaultAgent`). */
  readonly defaultAgent?: string | undefined
  /** The folder in which all agents work that this finds; undefined for the main one. */
  readonly folder?: string | undefined
  /** Whether the caller must prove its identity instead of only naming an agent. */
  credentialRequired(caller: Caller): boolean
}

/** Identifies agents by credentials and claims; has no state, so a reload creates a new one. */
export function createDirectory(options: DirectoryOptions): AgentDirectory {
  const { keys, jwt, handles, tokens, sessions, checkAccount, rules, defaultAgent, folder } =
    options

  function proven(credential: string, path?: string): Agent | Promise<Agent> {
    if (credential.startsWith(HANDLE_PREFIX) && handles)
      return after(withGoodKey(handles.verify(credential), 'handle'), withAccount)
    if (credential.startsWith(ACCESS_TOKEN_PREFIX) && tokens)
      return after(tokens.verify(credential, path), (agent): Agent | Promise<Agent> =>
        withGoodKey(agent, 'token'),
      )
    if (credential.startsWith(SESSION_PREFIX) && sessions)
      return after(sessions.verify(credential, path), (agent): Agent | Promise<Agent> =>
        withGoodKey(agent, 'session'),
      )
    if (credential.startsWith(KEY_PREFIX) && keys) return after(keys.find(credential), toAgent)
    if (jwt && credential.split('.').length === 3) return jwt.verify(credential)
    throw unauthenticated('The credential is neither a key, a handle nor a token of this gateway')
  }

  /** Checks the key behind a handle, token or session, which is valid only as long as its key. */
  function withGoodKey(agent: Agent, what: 'handle' | 'token' | 'session'): Agent | Promise<Agent> {
    if (agent.key === undefined) return agent
    return after(keys?.byId(agent.key), (found) => {
      mustBeGood(found, `The API key that this ${what} comes from`)
      return agent
    })
  }

  /** Checks the account and the session behind a handle, which is valid only as long as they are. */
  function withAccount(agent: Agent): Agent | Promise<Agent> {
    if (agent.accountId === undefined) return agent
    if (!checkAccount) throw unauthenticated('The sign-in of this handle is not known')
    return after(checkAccount(agent.accountId, agent.session), () => agent)
  }

  const isHandle = (claim: string | undefined): claim is string =>
    handles !== undefined && claim?.startsWith(HANDLE_PREFIX) === true

  /** Returns the proven owner of the connection, by a credential or a handle in its header. */
  function connected(caller: Caller): Agent | Promise<Agent> | undefined {
    const { credential, claimedAgent } = caller
    if (!credential) return isHandle(claimedAgent) ? proven(claimedAgent) : undefined
    return after(proven(credential, caller.path), (agent): Agent | Promise<Agent> =>
      isHandle(claimedAgent)
        ? after(proven(claimedAgent), (subAgent) => descending(subAgent, agent, OWNER))
        : agreeing(agent, claimedAgent, placeOfClaim(caller)),
    )
  }

  /** Verifies a handle passed as agent_id, with which a sub-agent uses a shared connection. */
  function onBehalf(
    handle: string,
    owner: Agent | undefined,
    caller: Caller,
  ): Agent | Promise<Agent> {
    const { claimedAgent } = caller
    return after(proven(handle), (subAgent) => {
      if (owner) return descending(subAgent, owner, OWNER)
      if (!claimedAgent) return subAgent
      return descending(subAgent, { id: claimedAgent }, `whom the ${placeOfClaim(caller)} names`)
    })
  }

  function unproven(caller: Caller, client: Pick<Client, 'info'> | undefined): Agent {
    const { claimedAgent, agentArgument } = caller
    if (options.credentialRequired(caller))
      throw unauthenticated('A credential is required', 'no_credential')
    if (claimedAgent && agentArgument && claimedAgent !== agentArgument)
      throw new GatewayError(
        'INVALID_AGENT_ID',
        `The ${placeOfClaim(caller)} says agent '${claimedAgent}', the ${ARGUMENT} says '${agentArgument}'`,
        { hint: `Leave agent_id out, or pass '${claimedAgent}'.` },
      )
    const claimed = claimedAgent || agentArgument
    if (claimed) return claimedAgentOf(claimed)
    const name = client?.info?.['name']
    return unnamedAgent(typeof name === 'string' ? name : undefined, rules, defaultAgent)
  }

  return {
    identify(caller, client): Agent | Promise<Agent> {
      const { agentArgument, claimedAgent } = caller
      mustBeName(claimedAgent, isHandle)
      mustBeName(agentArgument, isHandle)
      const found = after(connected(caller), (owner): Agent | Promise<Agent> => {
        if (isHandle(agentArgument)) return onBehalf(agentArgument, owner, caller)
        return owner ? agreeing(owner, agentArgument, ARGUMENT) : unproven(caller, client)
      })
      return folder === undefined ? found : after(found, (agent): Agent => ({ ...agent, folder }))
    },
  }
}

/**
 * Returns the agent of a call that names none: it is named after its client, and limited to the
 * rights of the fallback agent. A client may use any name, so its name can only remove rights, never
 * grant any. Throws if there is no fallback agent.
 */
export function unnamedAgent(
  client: string | undefined,
  rules: Rules | undefined,
  defaultAgent: string | undefined,
): Agent {
  const fallback = fallbackAgent(rules, defaultAgent)
  const id = agentOfClient(client)
  if (defaultAgent !== undefined || id === undefined || id === fallback.id) return fallback
  return { id, proof: 'fallback', ancestors: [fallback.id] }
}

function claimedAgentOf(claimed: string): Agent {
  if (isAgentId(claimed)) return { id: claimed, proof: 'claim' }
  throw new GatewayError('INVALID_AGENT_ID', `'${claimed.slice(0, 200)}' is not an agent id`, {
    hint: 'Agent ids are made of up to 200 letters, digits, "_", "." and "-".',
  })
}

const ARGUMENT = 'agent_id argument'
const OWNER = 'whose credential this is'

/** Names the source of `claimedAgent`: a header, or on stdio the option of `portolan call`. */
function placeOfClaim({ transport }: Caller): string {
  return transport === 'stdio' ? '--agent option' : 'X-Agent-Id header'
}

/** Refuses a credential as an agent id; does not repeat it in the message, which is recorded. */
function mustBeName(
  claimed: string | undefined,
  isHandle: (claim: string | undefined) => boolean,
): void {
  if (claimed === undefined || isHandle(claimed) || !isCredential(claimed)) return
  throw new GatewayError(
    'INVALID_AGENT_ID',
    'The agent id is a key or a token: send that as Authorization: Bearer or X-API-Key',
    { hint: 'Leave X-Agent-Id and agent_id out, or pass the name of an agent.' },
  )
}

function toAgent(found: Key | undefined): Agent {
  const { id, agent, role, expiresAt } = mustBeGood(found, 'The API key')
  return {
    id: agent,
    proof: 'key',
    key: id,
    ...(role && { role }),
    ...(expiresAt && { expiresAt }),
  }
}

function mustBeGood(key: Key | undefined, name: string): Key {
  if (key === undefined) throw unauthenticated(`${name} is not known`)
  if (key.revokedAt !== undefined) throw unauthenticated(`${name} was revoked`)
  if (key.expiresAt !== undefined && key.expiresAt <= Date.now()) {
    throw unauthenticated(`${name} has expired`)
  }
  return key
}

/** Requires a claimed agent to match the credential; `source` is where the claim was made. */
function agreeing(agent: Agent, claimed: string | undefined, source: string): Agent {
  if (claimed === undefined || claimed === '' || claimed === agent.id) return agent
  throw new GatewayError(
    'INVALID_AGENT_ID',
    `The credential belongs to agent '${agent.id}', not to '${claimed}'`,
    { hint: `Leave the ${source} out, or set it to '${agent.id}'.` },
  )
}

/** Requires the connection's owner to be the holder of the handle or one of its ancestors. */
function descending(subAgent: Agent, owner: Pick<Agent, 'id'>, who: string): Agent {
  if (subAgent.id === owner.id || subAgent.ancestors?.includes(owner.id)) return subAgent
  throw new GatewayError(
    'INVALID_AGENT_ID',
    `The handle of '${subAgent.id}' was not minted by agent '${owner.id}', ${who}`,
    { hint: `Pass a handle that '${owner.id}' has minted, or leave agent_id out.` },
  )
}

function unauthenticated(message: string, reason?: string): GatewayError {
  return new GatewayError('UNAUTHENTICATED', message, {
    reason,
    hint: 'Send a key as Authorization: Bearer or X-API-Key; `portolan keys create <agent>` makes one.',
  })
}

const HINT = 'Pass agent_id, or send a key as Authorization: Bearer.'

/** Returns the agent of a call that names none: the configured one, or `default` in the rules. */
function fallbackAgent(rules: Rules | undefined, configured: string | undefined): Agent {
  if (rules === undefined) return { id: configured ?? 'default', proof: 'fallback' }
  if (rules.denyOnMissingAgent) {
    throw new GatewayError(
      'INVALID_AGENT_ID',
      "Missing required parameter 'agent_id'. All tool calls must include agent identity.",
      { hint: HINT, rule: 'defaults.deny_on_missing_agent' },
    )
  }
  const knows = (id: string) => Object.hasOwn(rules.agents, id)
  if (configured !== undefined) {
    if (knows(configured)) return { id: configured, proof: 'fallback' }
    throw new GatewayError(
      'FALLBACK_AGENT_NOT_IN_RULES',
      `Missing 'agent_id' parameter and fallback agent '${configured}' is not configured in gateway rules. ` +
        'Add it to the rules file, or change auth.defaultAgent (PORTOLAN_AUTH_DEFAULT_AGENT).',
      { hint: HINT },
    )
  }
  if (knows('default')) return { id: 'default', proof: 'fallback' }
  throw new GatewayError(
    'NO_FALLBACK_CONFIGURED',
    "Missing 'agent_id' parameter and no fallback agent configured. " +
      "Set auth.defaultAgent (PORTOLAN_AUTH_DEFAULT_AGENT), or add an agent named 'default' to the rules file.",
    { hint: HINT },
  )
}
