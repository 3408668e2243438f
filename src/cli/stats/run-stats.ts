import { join } from 'node:path'
import { type LoadOptions, loadConfig } from '../../config/load.ts'
import { GatewayError } from '../../gateway/errors.ts'
import { type Range, auditFiles, readAudit } from './read-audit.ts'
import { type Savings, savingsOf } from './savings.ts'
import { Usage } from './usage.ts'

export interface Stats {
  readonly audit: string
  readonly usage: Usage
  readonly savings: Savings
}

/** What happened and what was saved, from the audit files. */
export async function runStats(load: LoadOptions, range: Range): Promise<Stats> {
  const config = loadConfig(load)
  const { audit, home } = config.settings
  const path = audit.path ?? join(home, 'audit.jsonl')
  if (auditFiles(path).length === 0)
    throw new GatewayError('INVALID_PARAMS', `There is no audit file ${path} yet`, {
      hint: 'It is written with the first call: portolan connect <client>. For a gateway elsewhere: --url.',
    })
  const usage = new Usage()
  const lines = readAudit(path, range, () => usage.strangers++)
  for await (const line of lines) usage.add(line)
  return { audit: path, usage, savings: await savingsOf(usage, config) }
}
