import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import type { Service } from '../../protocol/service.ts'
import { SKILLS_EXTENSION, digestOf, frontmatterOf } from '../../protocol/skills.ts'
import { type JsonObject, isObject } from '../../base/json.ts'

/** A skill of one file: its name is that of its folder. */
export interface OwnSkill {
  readonly name: string
  /** The whole `SKILL.md`. */
  readonly text: string
}

/** The service with skills beside its tools; they are read when somebody first asks for them. */
export function serveSkills(service: Service, load: () => Promise<readonly OwnSkill[]>): Service {
  let loading: Promise<ReadonlyMap<string, { entry: JsonObject; text: string }>> | undefined
  const skills = async () => (loading ??= load().then(describeAll))

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
      return methods[method]?.(params) ?? service.handle(method, params, context)
    },
  }
}

async function describeAll(skills: readonly OwnSkill[]) {
  const { parse } = await import('yaml')
  return new Map(
    skills.flatMap(({ name, text }) => {
      const frontmatter: unknown = parse(frontmatterOf(text) ?? '')
      if (!isObject(frontmatter) || frontmatter['name'] !== name) return []
      const uri = `skill://${name}/SKILL.md`
      const bytes = Buffer.from(text)
      const resources = [{ uri, digest: digestOf(bytes), size: bytes.length }]
      return [[uri, { entry: { uri, frontmatter, resources }, text }] as const]
    }),
  )
}
