import { type LoadOptions, loadConfig } from '../../config/load.ts'
import { type Range, type Recorded, recordedCalls } from '../shared/audit/recorded-calls.ts'
import { withStoredConfig } from '../shared/with-database.ts'
import { type Savings, savingsOf } from './savings.ts'
import { Usage } from './usage.ts'

export interface Stats {
  readonly recorded: Recorded
  readonly usage: Usage
  readonly savings: Savings
}

/** Computes the usage and the savings from the audit record. */
export async function runStats(load: LoadOptions, range: Range): Promise<Stats> {
  const config = loadConfig(await withStoredConfig(load))
  const usage = new Usage()
  const recorded = await recordedCalls(config.settings, range, (line) => usage.add(line))
  return { recorded, usage, savings: await savingsOf(usage, config) }
}
