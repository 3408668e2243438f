import { isObject } from '../../../base/json/json.ts'
import type { Era } from '../era.ts'
import { initialize } from './initialize.ts'
import { toLegacyResult } from './to-result.ts'

export const legacy: Era = {
  version: undefined,
  hasSession: true,
  repeatsArguments: false,
  wrapsValues: true,
  asksForTasks: true,
  takesTask: (params) => isObject(params['task']),
  greet: initialize,
  envelope: () => undefined,
  headers: () => ({}),
  toResult: toLegacyResult,
}
