import type { Agent } from '../../gateway/call.ts'
import type { Listing, Upstream } from '../../gateway/upstream.ts'
import { RPC, RpcError } from '../../protocol/json-rpc.ts'
import { DIRECTORY_TYPE, filesOf, isSkill } from '../../protocol/skills.ts'
import type { JsonObject } from '../../base/json/json.ts'
import { getOrMake } from '../../base/maps.ts'
import { type Offer, permittedServers } from '../world.ts'

/** Lists the skills of all servers an agent may use, except entries that no host could check. */
export function listSkills(agent: Agent, world: Offer): JsonObject[] {
  return permittedServers(world, agent).flatMap(({ listing }) => validSkills(listing))
}

const valid = new WeakMap<Listing, readonly JsonObject[]>()

export function validSkills(listing: Listing): readonly JsonObject[] {
  return getOrMake(valid, listing, () => (listing.skills ?? []).filter(isSkill))
}

export interface SkillFile {
  readonly skill: JsonObject
  readonly file: JsonObject
}

const files = new WeakMap<Listing, ReadonlyMap<string, SkillFile>>()

/** Finds the file of a skill, as its server's listing describes it. */
export function skillFile({ listing }: Upstream, uri: string): SkillFile | undefined {
  const byUri = () =>
    new Map(
      validSkills(listing).flatMap((skill) =>
        filesOf(skill).map((file) => [String(file['uri']), { skill, file }] as const),
      ),
    )
  return getOrMake(files, listing, byUri).get(uri)
}

/** Lists the direct children of a folder of skills, by the server's listing; undefined if none. */
export function skillDirectory({ listing }: Upstream, uri: string): JsonObject | undefined {
  const root = uri.endsWith('/') ? uri : `${uri}/`
  const children = new Map<string, JsonObject>()
  for (const skill of validSkills(listing))
    for (const file of filesOf(skill)) {
      const path = String(file['uri'])
      if (!path.startsWith(root)) continue
      const [name = '', ...deeper] = path.slice(root.length).split('/')
      if (name === '' || children.has(name)) continue
      const isFolder = deeper.length > 0
      children.set(name, {
        uri: `${root}${name}`,
        name,
        ...(isFolder ? { mimeType: DIRECTORY_TYPE } : { size: file['size'] }),
      })
    }
  return children.size > 0 ? { resources: [...children.values()] } : undefined
}

export function unknownSkill(uri: string): RpcError {
  return new RpcError(RPC.invalidParams, `Skill not found: ${uri}`, { uri })
}

export function notADirectory(uri: string): RpcError {
  return new RpcError(RPC.invalidParams, `Not a directory of skills: ${uri}`, { uri })
}
