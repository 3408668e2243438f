import type { Agent, CallResult, Identified } from '../../gateway/call.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import { filesOf } from '../../protocol/skills.ts'
import { isObject } from '../../base/json/json.ts'
import { checkSkillFile } from '../assets/check-skill-file.ts'
import { newEvent } from '../inbound.ts'
import { type SkillFile, skillFile } from '../assets/skills.ts'
import { type World, permittedServers } from '../world.ts'

const MAX_FILES = 20

export interface FoundSkillFile extends SkillFile {
  readonly server: Upstream
  readonly uri: string
}

/** Finds a skill file that an agent may read, by its URI. */
export function findSkill(uri: string, agent: Agent, world: World): FoundSkillFile | undefined {
  if (!uri.includes(':')) return undefined
  for (const server of permittedServers(world, agent)) {
    const found = skillFile(server, uri)
    if (found) return { ...found, server, uri }
  }
  return undefined
}

/** Returns the text of a skill file, for a model whose client cannot read resources. */
export async function readSkill(
  { skill, server, uri }: FoundSkillFile,
  call: Identified,
  world: World,
): Promise<CallResult> {
  const result = await world.gateway.call({
    ...call,
    operation: 'resources/read',
    address: { kind: 'server', server: server.name },
    method: 'resources/read',
    params: { uri },
    event: newEvent('resources/read'),
  })
  const { contents } = await checkSkillFile(result, uri, server)
  const [content]: unknown[] = Array.isArray(contents) ? contents : []
  const { text } = isObject(content) ? content : {}
  const shown = typeof text === 'string' ? text : 'This file is not text.'
  const others = filesOf(skill)
    .map((file) => String(file['uri']))
    .filter((other) => other !== uri)
    .slice(0, MAX_FILES)
  const more = others.length > 0 ? [`Other files of this skill:\n${others.join('\n')}`] : []
  return { content: [shown, ...more].map((part) => ({ type: 'text', text: part })) }
}
