import { setTimeout as sleep } from 'node:timers/promises'
import { fromJsonSchema, type McpServer } from '@modelcontextprotocol/server'
import * as z from 'zod/v4'
import { PNG, WAV } from '../conformance/media.ts'

const nothing = z.object({})
const image = { type: 'image', data: PNG, mimeType: 'image/png' } as const

function said(text: string) {
  return { content: [{ type: 'text' as const, text }] }
}

function embedded(uri: string, mimeType: string, text: string) {
  return { type: 'resource' as const, resource: { uri, mimeType, text } }
}

/** Tools that answer without the client: one for every kind of content and notification. */
export function registerPlainTools(server: McpServer): void {
  server.registerTool('test_simple_text', { description: 'Says one sentence' }, async () =>
    said('This is a simple text response for testing.'),
  )
  server.registerTool('test_image_content', { description: 'Shows one pixel' }, async () => ({
    content: [image],
  }))
  server.registerTool('test_audio_content', { description: 'Plays silence' }, async () => ({
    content: [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }],
  }))
  server.registerTool('test_embedded_resource', { description: 'Embeds a text' }, async () => ({
    content: [
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ],
  }))
  server.registerTool(
    'test_multiple_content_types',
    { description: 'Answers in three blocks' },
    async () => ({
      content: [
        { type: 'text', text: 'Multiple content types test:' },
        image,
        embedded(
          'test://mixed-content-resource',
          'application/json',
          '{"test":"data","value":123}',
        ),
      ],
    }),
  )
  server.registerTool('test_error_handling', { description: 'Throws' }, async () => {
    throw new Error('This tool intentionally returns an error for testing')
  })
  server.registerTool(
    'test_tool_with_logging',
    { description: 'Logs three lines while it works', inputSchema: nothing },
    async (_, { mcpReq }) => {
      for (const line of [
        'Tool execution started',
        'Tool processing data',
        'Tool execution completed',
      ]) {
        await mcpReq.log('info', line)
        await sleep(20)
      }
      return said('Logged three lines')
    },
  )
  server.registerTool(
    'test_logging_tool',
    { description: 'Logs where the request asks for that', inputSchema: nothing },
    async (_, { mcpReq }) => {
      await mcpReq.log('info', 'called')
      return said('Logged, if that was asked for')
    },
  )
  server.registerTool(
    'test_tool_with_progress',
    { description: 'Reports how far it is', inputSchema: nothing },
    async (_, { mcpReq }) => {
      const { _meta: { progressToken } = {} } = mcpReq
      for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
        const params = { progressToken: progressToken ?? '', progress, total: 100 }
        await mcpReq.notify({ method: 'notifications/progress', params })
        await sleep(20)
      }
      return said('Reported progress')
    },
  )
  server.registerTool(
    'test_streaming_elicitation',
    { description: 'Answers without asking anything', inputSchema: nothing },
    async () => said('Nothing was asked'),
  )
  registerSchemas(server)
}

/** A separate constant, because the JSON Schema type does not have the keyword of MCP. */
const REGION = { type: 'string', 'x-mcp-header': 'Region' } as const

/** Tools with handwritten input schemas, because their keywords must arrive unchanged. */
function registerSchemas(server: McpServer): void {
  server.registerTool(
    'test_x_mcp_header',
    {
      description: 'Wants its region repeated in a header',
      inputSchema: fromJsonSchema<{ region?: string; level?: number }>({
        type: 'object',
        properties: { region: REGION, level: { type: 'integer' } },
      }),
    },
    async ({ region }) => said(`region: ${region ?? 'none'}`),
  )
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Describes its input with the newer keywords',
      inputSchema: fromJsonSchema({
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
      }),
    },
    async (args) => said(JSON.stringify(args)),
  )
}
