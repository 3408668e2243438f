import { ProtocolError } from '@modelcontextprotocol/server'
import { isObject, type JsonObject } from '../../../src/base/json/json.ts'
import { type Ask, asking, form, name, sampling } from './input-required.ts'
import { type Session, text, type Tool } from './session.ts'

const textArgument = (argument: string) => ({
  type: 'object',
  properties: { [argument]: { type: 'string' } },
  required: [argument],
})

/** Asks the client as its era does: in the middle of the call, or by ending it with a question. */
async function askClient(
  session: Session,
  ask: Ask,
  reply: (answer: JsonObject) => string,
): Promise<JsonObject> {
  if (session.era === 'legacy') return text(reply(await session.request(ask.method, ask.params)))
  return asking({ answer: ask }, ({ answer }) => reply(isObject(answer) ? answer : {}))({}, session)
}

async function elicit(session: Session, ask: Ask, verb = 'Elicitation completed') {
  return askClient(
    session,
    ask,
    ({ action, content }) =>
      `${verb}: action=${String(action)}, content=${JSON.stringify(content)}`,
  )
}

const enums = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: titled('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: {
    type: 'array',
    items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  },
  titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
}

function titled(noun: string): JsonObject[] {
  return ['First', 'Second', 'Third'].map((ordinal, n) => ({
    const: `value${n + 1}`,
    title: `${ordinal} ${noun}`,
  }))
}

/** Tools that ask the client as its era does. */
export const clientTools: Readonly<Record<string, Tool>> = {
  test_sampling: {
    description: 'Has the client ask its model',
    inputSchema: textArgument('prompt'),
    run: async ({ prompt }, session) => {
      return askClient(session, sampling(String(prompt), 100), ({ content }) => {
        return `LLM response: ${isObject(content) ? String(content['text']) : ''}`
      })
    },
  },
  test_elicitation: {
    description: 'Has the client ask its user',
    inputSchema: textArgument('message'),
    run: async ({ message }, session) => {
      const ask = form(String(message), {
        username: { type: 'string', description: "User's response" },
        email: { type: 'string', description: "User's email address" },
      })
      return elicit(session, ask, 'User response')
    },
  },
  test_elicitation_sep1034_defaults: {
    description: 'Has the client ask its user with a default for every type',
    run: async (_, session) =>
      elicit(
        session,
        form('Check these defaults', {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        }),
      ),
  },
  test_elicitation_sep1330_enums: {
    description: 'Has the client ask its user with every kind of enumeration',
    run: async (_, session) => elicit(session, form('Choose', enums, [])),
  },
  test_streaming_elicitation: {
    description: 'Reports progress on its stream, then needs an answer',
    run: async (args, session) => {
      const { notify, progressToken } = session
      if (progressToken !== undefined)
        await notify('notifications/progress', { progressToken, progress: 1, total: 2 })
      return asking({ user_name: name }, () => 'Thank you')(args, session)
    },
  },
  test_missing_capability: {
    description: 'Needs a client that can sample',
    run: (_, { capabilities }) => {
      if (capabilities['sampling'] !== undefined) return text('The client can sample')
      throw new ProtocolError(-32021, 'This tool needs the client capability "sampling"', {
        requiredCapabilities: { sampling: {} },
      })
    },
  },
}
