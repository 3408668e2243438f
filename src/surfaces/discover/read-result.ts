import { readerOf, type World, permittedServers } from '../world.ts'
import { type MetaTool, answerWith, inputSchema } from './meta-tool.ts'
import type { Agent, CallResult, Identified } from '../../gateway/call.ts'
import type { Upstream } from '../../gateway/upstream.ts'
import { filesOf } from '../../protocol/skills.ts'
import { isObject } from '../../base/json/json.ts'
import { checkSkillFile } from '../assets/check-skill-file.ts'
import { newEvent } from '../inbound.ts'
import { type SkillFile, skillFile } from '../assets/skills.ts'

export const readResult: MetaTool = {
  definition: {
    name: 'read_result',
    description: 'Read more of a shortened result by its handle: a page, a search, a projection.',
    inputSchema: inputSchema(
      {
        handle: { type: 'string' },
        select: { type: 'string', description: 'JMESPath, e.g. items[*].{id: id, name: name}' },
        grep: { type: 'string', description: 'Words between "|"' },
        offset: { type: 'integer' },
        limit: { type: 'integer' },
        max_tokens: { type: 'integer' },
      },
      ['handle'],
    ),
    annotations: { readOnlyHint: true },
  },
  async answer(args, call, world) {
    const skill = findSkill(args.required('handle'), call.agent, world)
    if (skill) return readSkill(skill, call, world)
    const page = await world.storedResults.read(
      args.required('handle'),
      readerOf(call.agent, world),
      {
        select: args.text('select'),
        grep: args.text('grep'),
        offset: args.count('offset'),
        limit: args.positive('limit'),
        maxTokens: args.positive('max_tokens'),
        signal: call.signal,
      },
    )
    return answerWith(page, page)
  },
}

const MAX_FILES = 20

interface FoundSkillFile extends SkillFile {
  readonly server: Upstream
  readonly uri: string
}

/** Finds a skill file that an agent may read, by its URI. */
function findSkill(uri: string, agent: Agent, world: World): FoundSkillFile | undefined {
  if (!uri.includes(':')) return undefined
  for (const server of permittedServers(world, agent)) {
    const found = skillFile(server, uri)
    if (found) return { ...found, server, uri }
  }
  return undefined
}

/** Returns the text of a skill file, for a model whose client cannot read resources. */
async function readSkill(
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
