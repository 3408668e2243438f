import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { Service } from '../../protocol/service.ts'
import { SKILLS_EXTENSION, digestOf, frontmatterOf } from '../../protocol/skills.ts'
import { type JsonObject, isObject } from '../../base/json/json.ts'

/** A skill of one file; its name is also the name of its folder. */
export interface OwnSkill {
  readonly name: string
  /** The whole `SKILL.md`. */
  readonly text: string
}

/** A source of skills: files of the package, or skills that people and agents have stored. */
export interface SkillProvider {
  load(): Promise<readonly OwnSkill[]>
  /** Subscribes to changes; returns the unsubscribe function. Absent if the skills never change. */
  onChange?(listener: () => void): () => void
}

type Described = ReadonlyMap<string, { readonly entry: JsonObject; readonly text: string }>

/**
 * Adds the skills of all providers to a service. They are loaded on the first request for them, and
 * again after a change. Of two skills with the same name, that of the earlier provider is used.
 */
export function serveSkills(service: Service, providers: readonly SkillProvider[]): Service {
  const listeners = new Set<(method: string, params: JsonObject) => void>()
  let loading: Promise<Described> | undefined

  async function skills(): Promise<Described> {
    if (loading) return loading
    const pending = loadAll(providers)
    loading = pending
    pending.catch(() => {
      if (loading === pending) loading = undefined
    })
    return pending
  }

  const unsubscribe = providers.map((provider) =>
    provider.onChange?.(() => {
      loading = undefined
      for (const listener of listeners) listener('notifications/resources/list_changed', {})
    }),
  )

  async function find(params: JsonObject) {
    const uri = String(params['uri'])
    const found = (await skills()).get(uri)
    if (!found) throw new RpcError(RPC.invalidParams, `Skill not found: ${uri}`, { uri })
    return { uri, ...found }
  }

  const methods: Record<string, (params: JsonObject) => Promise<JsonObject>> = {
    'skills/list': async () => ({
      skills: [...(await skills()).values()].map(({ entry }) => entry),
    }),
    'skills/get': async (params) => ({ skill: (await find(params)).entry }),
    'resources/list': async () => ({ resources: [] }),
    'resources/templates/list': async () => ({ resourceTemplates: [] }),
    'resources/read': async (params) => {
      const { uri, text } = await find(params)
      return { contents: [{ uri, mimeType: 'text/markdown', text }] }
    },
  }
  return {
    ...service,
    capabilities: {
      ...service.capabilities,
      resources: {},
      extensions: { [SKILLS_EXTENSION]: {} },
    },
    async handle(method, params, context) {
      const own = Object.hasOwn(methods, method) ? methods[method] : undefined
      return own ? own(params) : service.handle(method, params, context)
    },
    onNotification(listener) {
      const stop = service.onNotification?.(listener)
      listeners.add(listener)
      return () => {
        stop?.()
        listeners.delete(listener)
      }
    },
    async close() {
      for (const stop of unsubscribe) stop?.()
      await service.close()
    },
  }
}

async function loadAll(providers: readonly SkillProvider[]): Promise<Described> {
  const { parse } = await import('yaml')
  const loaded = await Promise.all(providers.map(async (provider) => provider.load()))
  const described = new Map<string, { entry: JsonObject; text: string }>()
  for (const { name, text } of loaded.flat()) {
    const frontmatter: unknown = parse(frontmatterOf(text) ?? '')
    const uri = `skill://${name}/SKILL.md`
    if (!isObject(frontmatter) || frontmatter['name'] !== name || described.has(uri)) continue
    const bytes = Buffer.from(text)
    const resources = [{ uri, digest: digestOf(bytes), size: bytes.length }]
    described.set(uri, { entry: { uri, frontmatter, resources }, text })
  }
  return described
}
