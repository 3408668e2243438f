import { z } from 'zod'
import { rulesFileSchema } from '../src/config/rules/rules-schema.ts'
import { serverSchema, serversFileSchema } from '../src/config/servers/servers-schema.ts'
import { settingsSchema } from '../src/config/settings/settings.ts'

const KINDS = ['command', 'url', 'builtin', 'openapi']

/** Generates the JSON Schemas for editors, by file name, from those that validate the files. */
export function configSchemas(): Record<string, object> {
  return {
    'mcp.schema.json': toJsonSchema(serversFileSchema, 'Portolan .mcp.json'),
    'mcp-gateway-rules.schema.json': toJsonSchema(
      rulesFileSchema,
      'Portolan .mcp-gateway-rules.json',
    ),
    'portolan.schema.json': toJsonSchema(settingsSchema, 'Portolan portolan.yaml'),
  }
}

function toJsonSchema(schema: z.ZodType, title: string): object {
  const { $schema, ...rest } = z.toJSONSchema(schema, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      if (zodSchema !== serverSchema) return
      jsonSchema.oneOf = KINDS.map((kind) => ({ required: [kind] }))
    },
  })
  return { $schema, title, ...rest }
}
