import type { ElicitRequestFormParams, McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod/v4'

type Properties = ElicitRequestFormParams['requestedSchema']['properties']

const options = (noun: string) =>
  ['First', 'Second', 'Third'].map((ordinal, n) => ({
    const: `value${n + 1}`,
    title: `${ordinal} ${noun}`,
  }))

const DEFAULTS: Properties = {
  name: { type: 'string', default: 'John Doe' },
  age: { type: 'integer', default: 30 },
  score: { type: 'number', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', default: true },
}
const ENUMS: Properties = {
  untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  titledSingle: { type: 'string', oneOf: options('Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['Option One', 'Option Two', 'Option Three'],
  },
  untitledMulti: {
    type: 'array',
    items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
  },
  titledMulti: { type: 'array', items: { anyOf: options('Choice') } },
}

/**
 * Tools that ask in the middle of the call. The SDK supports this in the legacy era only: in the
 * modern era they fail, which a legacy client must not notice.
 */
export function registerPushingTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: "Asks the client's model", inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, { mcpReq }) => {
      const { content } = await mcpReq.requestSampling({
        messages: [{ role: 'user', content: { type: 'text', text: prompt } }],
        maxTokens: 100,
      })
      const [first] = Array.isArray(content) ? content : [content]
      const text = first?.type === 'text' ? first.text : ''
      return { content: [{ type: 'text', text: `LLM response: ${text}` }] }
    },
  )
  server.registerTool(
    'test_elicitation',
    { description: 'Asks the user', inputSchema: z.object({ message: z.string() }) },
    async ({ message }, { mcpReq }) => {
      const { action, content } = await mcpReq.elicitInput({
        mode: 'form',
        message,
        requestedSchema: {
          type: 'object',
          properties: { username: { type: 'string' }, email: { type: 'string' } },
          required: ['username'],
        },
      })
      const text = `User response: action=${action}, content=${JSON.stringify(content ?? {})}`
      return { content: [{ type: 'text', text }] }
    },
  )
  const forms = {
    test_elicitation_sep1034_defaults: DEFAULTS,
    test_elicitation_sep1330_enums: ENUMS,
  }
  for (const [name, properties] of Object.entries(forms))
    server.registerTool(
      name,
      { description: 'Asks the user to fill a form', inputSchema: z.object({}) },
      async (_, { mcpReq }) => {
        const { action, content } = await mcpReq.elicitInput({
          mode: 'form',
          message: 'Please fill this form',
          requestedSchema: { type: 'object', properties, required: [] },
        })
        const text = `Elicitation completed: action=${action}, content=${JSON.stringify(content ?? {})}`
        return { content: [{ type: 'text', text }] }
      },
    )
}
