import { readerOf } from '../world.ts'
import { findSkill, readSkill } from './read-skill.ts'
import { type MetaTool, answerWith, inputSchema } from './meta-tool.ts'

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
