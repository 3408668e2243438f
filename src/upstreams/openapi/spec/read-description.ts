import { isNumber } from '../../../base/json/exact-json.ts'
import { type JsonObject, isObject } from '../../../base/json/json.ts'
import type { ApiDescription } from './operation.ts'
import { readOpenApi3 } from './read-openapi3.ts'
import { readSwagger2 } from './read-swagger2.ts'
import { SpecError } from './spec-error.ts'

/** Detects the dialect of a description and reads it. */
export function readDescription(root: JsonObject, source: string): ApiDescription {
  const openapi = versionText(root['openapi'])
  const isSwagger2 = versionText(root['swagger']).startsWith('2')
  if (!isSwagger2 && !/^3(\.|$)/.test(openapi)) {
    throw new SpecError(
      `${source} is not an OpenAPI or Swagger description.`,
      'It needs "openapi: 3.x" or "swagger: 2.0" at the top.',
    )
  }
  if (!isObject(root['paths'])) {
    throw new SpecError(
      `${source} describes no paths.`,
      'Give a description with a "paths" object.',
    )
  }
  return isSwagger2 ? readSwagger2(root) : readOpenApi3(root)
}

/** YAML reads an unquoted `2.0` as a number. */
function versionText(value: unknown): string {
  return typeof value === 'string' || isNumber(value) ? String(value) : ''
}
