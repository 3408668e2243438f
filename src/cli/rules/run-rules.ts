import { type LoadOptions, loadConfig, loadSettings } from '../../config/load.ts'
import { conditionsReady } from '../../gateway/conditions/condition.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type Range, recordedCalls } from '../shared/audit/recorded-calls.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { Replay } from './replay-rules.ts'
import { type SuggestedRules, Suggestion } from './suggest-rules.ts'

export async function replayRules(
  load: LoadOptions,
  range: Range,
): Promise<{ replay: Replay; path: string }> {
  const { rules, settings, paths } = loadConfig(await withStoredConfig(load))
  if (!rules || paths.rules === undefined)
    throw new GatewayError('INVALID_PARAMS', 'There are no rules to try', {
      hint: 'Name a file: portolan rules replay <file>. A first one: portolan rules suggest',
    })
  const replay = new Replay(rules)
  await conditionsReady()
  await recordedCalls(settings, range, (line) => replay.add(line))
  return { replay, path: paths.rules }
}

export async function suggestRules(load: LoadOptions, range: Range): Promise<SuggestedRules> {
  const suggestion = new Suggestion()
  const settings = loadSettings(await withStoredConfig(load))
  await recordedCalls(settings, range, (line) => suggestion.add(line))
  return suggestion.rules()
}
