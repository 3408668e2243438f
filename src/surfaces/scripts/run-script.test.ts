import { expect, it } from 'vitest'
import { countTokens } from '../../shaping/tokens.ts'
import { SCRIPT_DEFINITIONS } from '../discover.ts'
import { runScript } from './run-script.ts'

it.each(['cl100k_base', 'o200k_base'] as const)('costs little in %s', (encoding) => {
  expect(countTokens(JSON.stringify(runScript.definition), encoding)).toBeLessThanOrEqual(180)
  expect(countTokens(JSON.stringify(SCRIPT_DEFINITIONS), encoding)).toBeLessThanOrEqual(450)
})
