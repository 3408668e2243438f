import type { JsonObject } from '../../src/base/json/json.ts'

/** A small OpenAPI document around the given paths. */
export function aSpec(paths: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1.0' },
    servers: [{ url: 'https://api.example.com/v1' }],
    paths,
    ...more,
  }
}
