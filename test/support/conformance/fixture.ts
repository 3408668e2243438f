import { ProtocolError } from '@modelcontextprotocol/server'
import { isObject, type JsonObject } from '../../../src/base/json/json.ts'
import { clientTools } from './client-tools.ts'
import { contentTools } from './content-tools.ts'
import { prompts, says } from './prompts.ts'
import { readResource, resources } from './resources.ts'
import { roundsTools } from './rounds-tools.ts'
import { type Session, text, type Tool } from './session.ts'

const NEWER_KEYWORDS = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: {
    address: {
      $anchor: 'addressDef',
      type: 'object',
      properties: { street: { type: 'string' }, city: { type: 'string' } },
    },
  },
  properties: {
    name: { type: 'string' },
    address: { $ref: '#/$defs/address' },
    contactMethod: { type: 'string', enum: ['phone', 'email'] },
    phone: { type: 'string' },
    email: { type: 'string' },
  },
  allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
  if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['phone'] },
  else: { required: ['email'] },
  additionalProperties: false,
}

const tools: Record<string, Tool> = {
  ...contentTools,
  ...clientTools,
  ...roundsTools,
  json_schema_2020_12_tool: {
    description: 'Has an input schema with the newer keywords',
    inputSchema: NEWER_KEYWORDS,
    run: (args) => text(JSON.stringify(args)),
  },
  test_trigger_tool_change: {
    description: 'Changes the list of tools',
    run: (_, { changed }) => {
      if (tools['test_dynamic_tool']) delete tools['test_dynamic_tool']
      else tools['test_dynamic_tool'] = { description: 'Comes and goes', run: () => text('here') }
      changed('tools')
      return text('Changed')
    },
  },
  test_trigger_prompt_change: {
    description: 'Changes the list of prompts',
    run: (_, { changed }) => {
      if (prompts['test_dynamic_prompt']) delete prompts['test_dynamic_prompt']
      else
        prompts['test_dynamic_prompt'] = { description: 'Comes and goes', get: () => says('here') }
      changed('prompts')
      return text('Changed')
    },
  },
}

function toArguments(params: JsonObject): JsonObject {
  return isObject(params['arguments']) ? params['arguments'] : {}
}

async function callTool(params: JsonObject, session: Session): Promise<JsonObject> {
  const tool = tools[String(params['name'])]
  if (!tool) throw new ProtocolError(-32602, `Unknown tool: ${String(params['name'])}`)
  return tool.run(toArguments(params), session)
}

type Method = (params: JsonObject, session: Session) => JsonObject | Promise<JsonObject>

/** Every method that the fixture answers itself; the SDK answers the handshakes. */
export const METHODS: Readonly<Record<string, Method>> = {
  'tools/list': () => ({
    tools: Object.entries(tools).map(([toolName, { description, inputSchema }]) => ({
      name: toolName,
      description,
      inputSchema: inputSchema ?? { type: 'object' },
    })),
  }),
  'tools/call': callTool,
  'prompts/list': () => ({
    prompts: Object.entries(prompts).map(([promptName, prompt]) => ({
      name: promptName,
      description: prompt.description,
      ...(prompt.arguments && {
        arguments: prompt.arguments.map((argument) => ({ name: argument, required: true })),
      }),
    })),
  }),
  'prompts/get': (params, session) => {
    const prompt = prompts[String(params['name'])]
    if (!prompt) throw new ProtocolError(-32602, `Unknown prompt: ${String(params['name'])}`)
    return prompt.get(toArguments(params), session)
  },
  'resources/list': () => ({
    resources: Object.entries(resources).map(([uri, { description, mimeType }]) => ({
      uri,
      name: uri.slice('test://'.length),
      description,
      mimeType,
    })),
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [
      {
        uriTemplate: 'test://template/{id}/data',
        name: 'template',
        description: 'A resource for every id',
        mimeType: 'application/json',
      },
    ],
  }),
  'resources/read': (params, { era }) => readResource(String(params['uri']), era),
  'resources/subscribe': () => ({}),
  'resources/unsubscribe': () => ({}),
  'completion/complete': () => ({
    completion: { values: ['paris', 'park', 'party'], total: 3, hasMore: false },
  }),
}
