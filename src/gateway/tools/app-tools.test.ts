import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { hasPage, isForModels } from './app-tools.ts'
import type { Tool } from '../upstream.ts'

function aTool(meta?: JsonObject): Tool {
  const definition = meta === undefined ? { name: 't' } : { name: 't', _meta: meta }
  return { server: 's', name: 't', definition, readOnly: false }
}

describe('a tool of an app', () => {
  it.each([
    [undefined, true],
    [{}, true],
    [{ ui: { resourceUri: 'ui://x' } }, true],
    [{ ui: { visibility: ['model', 'app'] } }, true],
    [{ ui: { visibility: ['model'] } }, true],
    [{ ui: { visibility: ['app'] } }, false],
    [{ ui: { visibility: [] } }, false],
    [{ ui: { visibility: 'app' } }, true],
    [{ ui: 'app' }, true],
  ])('with %j is for models: %s', (meta, expected) => {
    expect(isForModels(aTool(meta))).toBe(expected)
  })

  it.each([
    [undefined, false],
    [{ ui: { visibility: ['app'] } }, false],
    [{ ui: { resourceUri: 'ui://x' } }, true],
    [{ 'ui/resourceUri': 'ui://x' }, true],
    [{ ui: {}, 'ui/resourceUri': 'ui://x' }, true],
    [{ ui: { resourceUri: 7 } }, false],
  ])('with %j has a page: %s', (meta, expected) => {
    expect(hasPage(aTool(meta))).toBe(expected)
  })
})
