import { expect, it } from 'vitest'
import type { JsonObject } from '../../base/json/json.ts'
import { countTokens } from '../../shaping/tokens.ts'
import { META_DEFINITIONS, SCRIPT_DEFINITIONS } from '../discover.ts'
import { runScript } from './run-script.ts'

const cost = (definitions: readonly JsonObject[]) =>
  countTokens(JSON.stringify(definitions.map(({ _meta, ...sent }) => sent)))

it('costs little', () => {
  expect(cost([runScript.definition])).toBeLessThanOrEqual(180)
  expect(cost(SCRIPT_DEFINITIONS)).toBeLessThanOrEqual(450)
})

it('marks the tools without which no other tool can be found and called', () => {
  const marked = [...META_DEFINITIONS, ...SCRIPT_DEFINITIONS].filter(
    ({ _meta }) => JSON.stringify(_meta) === '{"anthropic/alwaysLoad":true}',
  )
  expect(new Set(marked.map(({ name }) => name))).toEqual(
    new Set(['find_tools', 'execute_tool', 'run_script']),
  )
})
