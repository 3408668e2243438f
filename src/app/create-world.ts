import { scanText } from '../upstreams/listing/scan/scan.ts'
import { AGENT_SHARE } from '../gateway/layers/concurrency.ts'
import type { Config } from '../config/load.ts'
import type { Workspace } from '../config/paths.ts'
import type { ServerConfig } from '../config/servers/servers.ts'
import type { Settings } from '../config/settings/settings.ts'
import { describeLeftOut } from '../config/trust/untrusted.ts'
import { createCatalog } from '../gateway/catalog.ts'
import { effectsIn } from '../gateway/tools/effect.ts'
import { createGateway } from '../gateway/gateway.ts'
import type { CallEvent } from '../gateway/call.ts'
import type { ToolHistory } from '../gateway/names/tool-history.ts'
import { toolKey } from '../gateway/tools/tool-ref.ts'
import { type Principal, createPolicy } from '../gateway/agents/policy.ts'
import type { Upstream } from '../gateway/upstream.ts'
import { credentialRequired } from '../identity/credential-required.ts'
import { createDirectory } from '../identity/directory.ts'
import { createProviderTokens } from '../identity/incoming/tokens/provider-tokens.ts'
import { signInMode } from '../identity/incoming/sign-in-mode.ts'
import type { SignIn } from '../identity/incoming/sign-in.ts'
import { type JwtVerifier, createJwtVerifier } from '../identity/jwt.ts'
import { limitTo } from '../identity/to-limits.ts'
import { after } from '../base/flow/soon.ts'
import type { JsonObject } from '../base/json/json.ts'
import type { SecretValues } from '../base/secrets/secret-values.ts'
import { createShaper } from '../shaping/shaper.ts'
import { META_TOOL_NAMES } from '../surfaces/discover.ts'
import { createAssetIndex } from '../surfaces/tool-search/asset-index.ts'
import { createSkillIndex } from '../surfaces/tool-search/skill-index.ts'
import { createCatalogIndex } from '../surfaces/tool-search/tool-index.ts'
import { countTokens } from '../shaping/tokens.ts'
import type { Location, World } from '../surfaces/world.ts'
import { findBuiltin } from '../builtins/find-builtin.ts'
import type { AppState } from './state.ts'
import { createToolsets } from './toolsets.ts'
import { budgetsOf, cacheRulesOf, deadlinesOf, toolSettings } from './rules.ts'

export interface WorldParts {
  readonly config: Config
  readonly servers: readonly Upstream[]
  readonly appState: AppState
  readonly folder: { readonly id: string | undefined; readonly path: string }
  /** Not dropped with a world: clients go on using the names they were shown. */
  readonly history: ToolHistory
  readonly secrets: SecretValues
  readonly meanings: World['toolMeanings']
  readonly signIn: SignIn | undefined
  /** Where the configuration is, if it is in files. */
  readonly files: Workspace | undefined
  readonly savedScripts: World['savedScripts']
  readonly latest: World['latest']
  readonly status: (world: World, agent: Parameters<World['status']>[0]) => JsonObject
}

const MINT_TTL_MS = 15 * 60_000
/** Calls that run on one server at the same time, unless its entry has `max_concurrency`. */
const CALLS_PER_SERVER = 96
/** More tries would only add load to a server that fails. */
const RETRIES = 1
const RETRY_MS = 100
/** The largest share of calls that may be retries, so that an outage does not double the load. */
const RETRY_SHARE = 0.1

/** Creates everything that depends on one configuration. */
export function createWorld(parts: WorldParts): World {
  const { config, servers, appState, secrets, meanings, signIn, savedScripts, status } = parts
  const { latest, folder } = parts
  const { settings, rules } = config
  const { tools } = settings.budgets
  const ofTool = toolSettings(tools, config.servers.keys())
  const catalog = createCatalog(servers, {
    history: parts.history,
    reserved: META_TOOL_NAMES,
  })
  const policy = createPolicy(rules, {
    budgets: agentBudgets(config),
    denials: config.denials,
    also: config.changedRules,
    effectOf: effectsIn(catalog),
    scripts: settings.scripts.enabled,
  })
  const shaper = createShaper({
    keep: async (...kept) => appState.kept.keep(...kept),
    rules: (server, tool) => ofTool(server, tool) ?? catalogRules(servers, server, tool),
  })
  const budgets = budgetsOf(config)
  const directory = createDirectory({
    keys: appState.keys,
    handles: appState.handles,
    jwt: jwtVerifiers(settings),
    tokens: signIn?.tokens,
    sessions: signIn?.people?.dashboard,
    checkAccount: signIn?.people?.checkAccount,
    rules,
    defaultAgent: settings.auth.defaultAgent,
    folder: folder.id,
    credentialRequired: credentialRequired({ ...settings.listen, ...settings.auth }),
  })
  const toolsets = createToolsets(settings.toolsets, rules)
  const identify: World['identify'] = (caller, client) =>
    after(directory.identify(caller, client), (agent) => toolsets.narrow(agent, caller.toolset))
  const slots = new Map([...config.servers].map(([name, server]) => [name, slotsOf(server)]))
  const gateway = createGateway({
    tracing: appState.tracing,
    state: appState.gatewayState,
    ledger: appState.ledger,
    recording: {
      withArguments: settings.audit.arguments,
      capture: appState.capture,
      folder: folder.path,
    },
    agents: { identify },
    rates: appState.ratesOf(config),
    catalog,
    policy,
    shaper,
    budgets,
    cacheRules: cacheRulesOf(config),
    scanText: settings.upstreams.scanResults ? scanText : undefined,
    retries: { retries: RETRIES, baseMs: RETRY_MS, share: RETRY_SHARE },
    deadlines: deadlinesOf(config),
    concurrency: {
      // Scripts have slots of their own, and a script that calls others must not wait for itself.
      limitOf: (name) =>
        catalog.server(name)?.inProcess?.makesCalls
          ? undefined
          : (slots.get(name) ?? CALLS_PER_SERVER),
      agentShare: AGENT_SHARE,
    },
    tasks: settings.tasks,
    approvals: {
      approvals: appState.approvals,
      prepareAlways: async (approval) => {
        const { prepareAlways } = await import('../config/rules/always-allow.ts')
        return prepareAlways(approval, { place: parts.files, config })
      },
    },
  })
  /** Returns an agent's own setting, or else that of the nearest ancestor. */
  const settingOf = <Value>(
    { id, ancestors = [] }: Principal,
    pick: (own: Settings['agents'][string]) => Value | undefined,
  ): Value | undefined => {
    for (const agent of [id, ...ancestors]) {
      const own = settings.agents[agent]
      const value = own && pick(own)
      if (value !== undefined) return value
    }
    return undefined
  }
  const world: World = {
    gateway,
    latest,
    catalog,
    policy,
    budgets,
    identify,
    surfaceOf: (agent) =>
      toolsets.of(agent)?.surface ?? settingOf(agent, ({ surface }) => surface) ?? settings.surface,
    instructionsOf: (agent) => toolsets.of(agent)?.instructions,
    toolsetProblem: (name) => toolsets.problem(name),
    pinsOf: (agent) => settingOf(agent, ({ pins }) => pins) ?? settings.pins,
    locate: (server) => secrets.hideDeep(locate(config.servers.get(server))),
    adviceOf: (server) => adviceOf(config.servers.get(server)),
    countTokens: (text) => countTokens(text),
    toolIndex: createCatalogIndex(catalog, meanings),
    assetIndex: createAssetIndex(catalog),
    skillIndex: createSkillIndex(catalog),
    toolMeanings: meanings,
    usedBefore: (agent) => usedBefore(appState.feed.recent(), agent, folder.path),
    storedResults: appState.kept,
    tasks: appState.gatewayState.tasks,
    taskOptions: settings.tasks,
    shaper,
    scripts: appState.scripts.runnerFor(config),
    savedScripts,
    notes: config.leftOut.map(describeLeftOut),
    status: (agent) => status(world, agent),
    mint: (parent, { agent, ttlMs = MINT_TTL_MS, servers: only, tools: patterns }) => {
      const within = limitTo({ servers: only, tools: patterns })
      const { secret, expiresAt } = appState.handles.mint({ parent, agent, ttlMs, within })
      return { agent, handle: secret, expires_at: new Date(expiresAt).toISOString() }
    },
  }
  return world
}

/** Verifies the tokens of providers that are accepted as they are. */
function jwtVerifiers(settings: Settings): JwtVerifier | undefined {
  const ofTeam = signInMode(settings) === 'provider' ? createProviderTokens(settings) : undefined
  return ofTeam ?? (settings.auth.jwt && createJwtVerifier(settings.auth.jwt))
}

function catalogRules(servers: readonly Upstream[], server: string, tool: string) {
  return servers.find(({ name }) => name === server)?.inProcess?.rules?.(tool)?.summary
}

function usedBefore(
  events: readonly Readonly<CallEvent>[],
  agent: string,
  path: string,
): Set<string> {
  return new Set(
    events.flatMap(({ agent: who, folder, server, tool, outcome }) =>
      who === agent &&
      folder === path &&
      server !== undefined &&
      tool !== undefined &&
      outcome === 'ok'
        ? [toolKey({ server, name: tool })]
        : [],
    ),
  )
}

function agentBudgets({ settings }: Config): Record<string, number> {
  const own = Object.entries(settings.agents).flatMap(([id, { maxTokens }]) =>
    maxTokens === undefined ? [] : [[id, maxTokens] as const],
  )
  return Object.fromEntries(own)
}

function slotsOf(server: ServerConfig): number | undefined {
  return server.kind === 'broken' ? undefined : server.maxConcurrency
}

function adviceOf(config: ServerConfig | undefined): string | undefined {
  return config?.kind === 'builtin' ? findBuiltin(config.builtin).advice : undefined
}

/** Returns where a server is, without arguments and query, which may hold secrets. */
function locate(config: ServerConfig | undefined): Location {
  const nowhere = { transport: null, command: null, url: null }
  // No default: a new kind of server does not compile until it is handled here.
  switch (config?.kind) {
    case 'stdio':
      return { ...nowhere, transport: 'stdio', command: config.command }
    case 'http':
      return { ...nowhere, transport: 'http', url: withoutQuery(config.url) }
    case 'openapi':
    case 'builtin':
      return { ...nowhere, transport: config.kind }
    case 'broken':
    case undefined:
      return nowhere
  }
}

function withoutQuery(address: string): string {
  const url = new URL(address)
  return `${url.origin}${url.pathname}`
}
